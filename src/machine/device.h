// Devices, said once: what an operator costs there as a whole (the roofline's three numbers), what a kernel's
// parts cost (levels of memory, multiprocessors or cores), and what our own kernels reach (gpu.h). The first
// two are of the literature or of a data sheet, named with the figure. Where they differ of one device
// (memory of an A100: 1,555 GB/s by its data sheet, 1,407 as others measured it, 1,400 in what we estimate;
// launches: customary 5 us for a framework's operator, 0.9 us between queued kernels, 1 us) they price
// different things.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "machine/gpu.h"

namespace isomer::machine {

/// What the roofline model knows of a device (cost/roofline.h).
struct DeviceProfile {
  std::string name;
  double flops_per_second = 1;
  double bytes_per_second = 1;
  double overhead_ms = 0;  ///< per operator
  std::string source;      ///< where the numbers are from
};

/// What running costs (mugraph/kernel_cost.h). In the words of a GPU; for a CPU a multiprocessor is a core,
/// shared memory its own caches, L2 the cache that all cores share.
struct Machine {
  std::string name;
  std::string processor = "multiprocessor", near_memory = "shared memory";  ///< how they are called
  int multiprocessors = 0;
  int64_t shared_bytes = 0;        ///< of a multiprocessor
  int64_t block_shared_bytes = 0;  ///< that one block may have
  int64_t reserved_bytes = 0;      ///< of each block, by the driver
  int threads = 0, blocks = 0;     ///< that a multiprocessor holds at most
  double device_bytes_per_second = 0, l2_bytes_per_second = 0, shared_bytes_per_second = 0;
  double l2_bytes_per_second_each = 0;  ///< into one multiprocessor
  double matmul_flops_per_second = 0;   ///< of products, on half-precision matrix units
  int64_t fragment = 1;                 ///< matrix units take products of multiples of this size
  double flops_per_second = 0;          ///< of all else, and of products where that is quicker
  bool products_add = false;            ///< a product is added to what was accumulated at no cost
  double launch_seconds = 0;            ///< between two kernels that are queued
  double load_seconds = 0;              ///< from device memory, nothing else on its way
  double barrier_seconds = 0;           ///< until what threads wrote to shared memory can be read
};

/// Caches as the system tells their sizes; nothing where it does not. Who asks knows what else to take.
struct Caches {
  std::optional<int64_t> l1_bytes, l2_bytes;  ///< of a core; the first one's for data
  std::optional<int64_t> last_bytes;          ///< of the one that all share, what a core reaches
};
Caches caches_here();

/// What can be read off a CPU.
struct Cpu {
  std::string name = "cpu";
  int cores = 8;
  int64_t l1_bytes = 32 * 1024;                      ///< of a core, for data
  int64_t l2_bytes = 1024 * 1024;                    ///< of a core
  int64_t vector_registers = 16, vector_bytes = 32;  ///< AVX2; AVX-512: 32 of 64
};
/// The machine that this runs on: caches and cores as the system tells them, vectors as the processor does;
/// what they do not tell is as above.
Cpu this_cpu();

/// One device under its name.
struct Device {
  std::string_view name;
  std::string_view what;         ///< "a GPU"
  const DeviceProfile* profile;  ///< of whole operators; none where nobody asks, or it is measured ("local")
  const Machine* machine;  ///< of a kernel's parts; none where no kernels are searched for it, or read off
  const Gpu* gpu;          ///< that code is made for
};

/// cpu (8 cores, the same everywhere), a100, h100, p100, t4, local (the machine that this runs on).
std::span<const Device> devices();
/// Nothing when there is no such device.
const Device* find_device(std::string_view name);

/// A CPU in float32. At 3 GHz, a cycle of a core: 32 operations in multiplications that add (two vectors of
/// 8, as AVX2 has it; 512 bits at a time are not counted as quicker), 16 others, 64 bytes of L1, 32 from the
/// cache that all share (peaks of AMD's and Intel's cores of the 2020s by their optimisation guides). 20 GB/s
/// of memory a core, as `cpu` has it, but not more than two channels of DDR4-3200 have together:
/// 51.2. Customary figures: 90 ns of latency, 2 us to fork and join.
Machine machine_of(const Cpu& cpu);

}  // namespace isomer::machine
