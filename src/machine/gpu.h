// Graphics processors that code is made for: what each grants, and how fast our own kernels were seen to be
// there. The published rates of the same devices are in device.h, as far as something is priced by them: the
// two differ by design. What is granted is from NVIDIA's white papers and CUDA's programming guide
// ("Technical specifications per compute capability").
#pragma once

#include <cstdint>
#include <string_view>

namespace isomer::machine {

struct GpuLimits {
  int multiprocessors = 0;
  int64_t shared_bytes = 0;         ///< of a multiprocessor
  int64_t block_shared_bytes = 0;   ///< of these, that one block may have
  int64_t reserved_bytes = 1024;    ///< of each block, by the driver
  int threads = 2048, blocks = 32;  ///< that a multiprocessor holds at most
};

/// What generated kernels reach (codegen/gpu_estimate.h), in a second.
struct FittedRates {
  double memory_bytes = 0;
  double loaded_bytes = 0;  ///< by all blocks, from the second cache
  double near_bytes = 0;    ///< from and to all shared memories, as threads ask for them
  double tensor_flops = 0;  ///< by instructions of a warp
  double group_flops = 0;   ///< by those of a group of warps
  double flops = 0;         ///< all others: a multiplication that adds is two
  double run_seconds = 0, launch_seconds = 0, step_seconds = 0;
  std::string_view source;  ///< where the numbers are from
};

struct Gpu {
  GpuLimits limits;
  FittedRates fitted;
  bool warpgroups = false;  ///< tensor cores multiply from shared memory, four warps at a time
};

inline constexpr Gpu kA100Gpu = {
    {108, 164 << 10, 163 << 10},
    {1.4e12, 2.8e12, 8e12, 1.8e14, 6.0e14, 1.5e13, 2.7e-6, 1e-6, 3.2e-7,
     "no fit is recorded. Seconds, and group_flops, which no code for it asks for, are those of an H100"}};
inline constexpr Gpu kH100Gpu = {
    {132, 228 << 10, 227 << 10},
    {3.0e12, 6.1e12, 1.2e13, 3.6e14, 6.0e14, 6.0e13, 2.7e-6, 1e-6, 3.2e-7,
     "fitted on an H100 to 111 muGraphs, 15 products and 506 operators of networks"}};

/// A processor as LLVM names it (sm_80, sm_90a). What its blocks may have is its own; for all else it is
/// taken for an A100, or from the H100's generation on for an H100.
Gpu gpu_named(std::string_view llvm);

}  // namespace isomer::machine
