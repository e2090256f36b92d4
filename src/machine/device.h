// Devices, said once: what an operator costs there as a whole (the roofline's three numbers) and what a
// kernel's parts cost (levels of memory, multiprocessors or cores). Both are of the literature or of a data
// sheet, named with the figure; where the two differ of one device (launches: customary 5 us for a
// framework's operator, 0.9 us between queued kernels) they price different things.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

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
  const DeviceProfile* profile;  ///< absent where it is measured (cost/roofline.h: "local")
};

/// cpu (8 cores, the same everywhere), a100, p100, t4, local (the machine that this runs on).
std::span<const Device> devices();
/// Nothing when there is no such device.
const Device* find_device(std::string_view name);

/// NVIDIA A100 40 GB at 1.41 GHz. Data sheet and architecture white paper: 108 multiprocessors of 164 KiB,
/// 312 and 19.5 TFLOP/s, 128 bytes a cycle of each shared memory. Fragments are of 16 x 8 by 16 (PTX,
/// mma.m16n8k16), either operand on either side. Measured by Luo et al. (2024, arXiv 2402.13499): 1,407.2
/// GB/s of device memory, 2,007.9 bytes a cycle of L2 (its peak is 5,120), latencies of 466.3 cycles of
/// device memory and 29.0 of shared memory. Into one multiprocessor 64 bytes a cycle come from L2 (Jia et al.
/// 2018, for Volta). The gap between queued kernels: 0.9 us (Gray, NVIDIA, 2019, on V100: 3.8 us a kernel
/// of 2.9; 3.4 in a CUDA graph).
const Machine& a100();

/// A CPU in float32. At 3 GHz, a cycle of a core: 32 operations in multiplications that add (two vectors of
/// 8, as AVX2 has it; 512 bits at a time are not counted as quicker), 16 others, 64 bytes of L1, 32 from the
/// cache that all share (peaks of AMD's and Intel's cores of the 2020s by their optimisation guides). 20 GB/s
/// of memory a core, as `cpu` has it, but not more than two channels of DDR4-3200 have together:
/// 51.2. Customary figures: 90 ns of latency, 2 us to fork and join.
Machine machine_of(const Cpu& cpu);

}  // namespace isomer::machine
