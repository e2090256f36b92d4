#include "machine/device.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <thread>

namespace isomer::machine {
namespace {

const DeviceProfile kCpu = {"cpu", 1e11, 2e10, 0.001,
                            "an ordinary server core of the 2020s: 32 float32 operations a cycle at 3 GHz, "
                            "two memory channels' share"};
const DeviceProfile kA100 = {"a100", 19.5e12, 1555e9, 0.005,
                             "NVIDIA A100 40 GB data sheet: 19.5 TFLOP/s in float32 without tensor cores, "
                             "1555 GB/s; 5 us to launch a kernel is "
                             "the customary figure"};
const DeviceProfile kP100 = {
    "p100", 9.3e12, 732e9, 0.005,
    "NVIDIA P100 PCIe 16 GB data sheet: 9.3 TFLOP/s in float32, 732 GB/s; launch as for a100"};
const DeviceProfile kT4 = {
    "t4", 8.1e12, 320e9, 0.005,
    "NVIDIA T4 data sheet: 8.1 TFLOP/s in float32, 320 GB/s (300 in its first edition); launch as for a100"};

// NVIDIA A100 40 GB at 1.41 GHz. Data sheet and architecture white paper: 312 and 19.5 TFLOP/s, 128 bytes a
// cycle of each shared memory. Fragments are of 16 x 8 by 16 (PTX, mma.m16n8k16), either operand on either
// side. Measured by Luo et al. (2024, arXiv 2402.13499): 1,407.2 GB/s of device memory, 2,007.9 bytes a cycle
// of L2 (its peak is 5,120), latencies of 466.3 cycles of device memory and 29.0 of shared memory. Into one
// multiprocessor 64 bytes a cycle come from L2 (Jia et al. 2018, for Volta). The gap between queued kernels:
// 0.9 us (Gray, NVIDIA, 2019, on V100: 3.8 us a kernel of 2.9; 3.4 in a CUDA graph).
Machine machine_of_a100() {
  constexpr double kHertz = 1.41e9;
  constexpr GpuLimits kLimits = kA100Gpu.limits;
  Machine p;
  p.name = "a100";
  p.multiprocessors = kLimits.multiprocessors;
  p.shared_bytes = kLimits.shared_bytes;
  p.block_shared_bytes = kLimits.block_shared_bytes;
  p.reserved_bytes = kLimits.reserved_bytes;
  p.threads = kLimits.threads;
  p.blocks = kLimits.blocks;
  p.device_bytes_per_second = 1407.2e9;
  p.l2_bytes_per_second = 2007.9 * kHertz;
  p.l2_bytes_per_second_each = 64 * kHertz;
  p.shared_bytes_per_second = kLimits.multiprocessors * 128 * kHertz;
  p.matmul_flops_per_second = 312e12;
  p.fragment = 8;
  p.flops_per_second = kA100.flops_per_second;
  p.launch_seconds = 0.9e-6;
  p.load_seconds = 466.3 / kHertz;
  p.barrier_seconds = 29.0 / kHertz;
  return p;
}

}  // namespace

std::span<const Device> devices() {
  static const Machine kMachineOfCpu = machine_of({}), kMachineOfA100 = machine_of_a100();
  static const std::array<Device, 6> kDevices = {{
      {"cpu", "a CPU of 8 cores", &kCpu, &kMachineOfCpu, nullptr},
      {"a100", "a GPU", &kA100, &kMachineOfA100, &kA100Gpu},
      {"h100", "a GPU", nullptr, nullptr, &kH100Gpu},
      {"p100", "a GPU", &kP100, nullptr, nullptr},
      {"t4", "a GPU", &kT4, nullptr, nullptr},
      {"local", "the CPU that this runs on", nullptr, nullptr, nullptr},
  }};
  return kDevices;
}

const Device* find_device(std::string_view name) {
  const auto all = devices();
  const auto at = std::ranges::find(all, name, &Device::name);
  return at == all.end() ? nullptr : &*at;
}

Caches caches_here() {
  Caches out;
#ifdef _SC_LEVEL1_DCACHE_SIZE
  const auto told = [](int what) {
    const int64_t bytes = sysconf(what);
    return bytes > 0 ? std::optional(bytes) : std::nullopt;
  };
  out.l1_bytes = told(_SC_LEVEL1_DCACHE_SIZE);
  out.l2_bytes = told(_SC_LEVEL2_CACHE_SIZE);
  // Systems may tell all of a processor's, of which a core reaches its part.
  constexpr int64_t kOfCore = 32 << 20;
  if (const auto last = told(_SC_LEVEL3_CACHE_SIZE)) out.last_bytes = std::min(*last, kOfCore);
#endif
  return out;
}

Cpu this_cpu() {
  Cpu out;
  out.name = "local";
  const Caches caches = caches_here();
  out.l1_bytes = caches.l1_bytes.value_or(out.l1_bytes);
  out.l2_bytes = caches.l2_bytes.value_or(out.l2_bytes);
  if (const unsigned n = std::thread::hardware_concurrency(); n > 0) out.cores = static_cast<int>(n);
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    out.vector_registers = 32;
    out.vector_bytes = 64;
  } else if (!__builtin_cpu_supports("avx2")) {
    out.vector_bytes = 16;
  }
#elif defined(__aarch64__)
  out.vector_registers = 32;
  out.vector_bytes = 16;
#endif
  return out;
}

Machine machine_of(const Cpu& cpu) {
  constexpr double kHertz = 3e9;
  const double cores = cpu.cores;
  Machine m;
  m.name = cpu.name;
  m.processor = "core";
  m.near_memory = "its caches";
  m.multiprocessors = cpu.cores;
  m.shared_bytes = m.block_shared_bytes = cpu.l2_bytes;
  m.threads = std::numeric_limits<int>::max();
  m.blocks = 1;
  m.device_bytes_per_second = std::min(cores * kCpu.bytes_per_second, 51.2e9);
  m.l2_bytes_per_second_each = 32 * kHertz;
  m.l2_bytes_per_second = cores * m.l2_bytes_per_second_each;
  m.shared_bytes_per_second = cores * 64 * kHertz;
  m.matmul_flops_per_second = cores * 32 * kHertz;
  m.flops_per_second = cores * 16 * kHertz;
  m.products_add = true;  // its last operation is one that adds
  m.launch_seconds = 2e-6;
  m.load_seconds = 90e-9;
  return m;
}

}  // namespace isomer::machine
