#include "machine/gpu.h"

#include <algorithm>

#include "machine/device.h"

namespace isomer::machine {
namespace {

/// Names that begin so, of which the first counts.
struct Named {
  std::string_view prefix, like;
  int64_t shared_bytes, block_shared_bytes;
};
constexpr Named kNamed[] = {
    {"sm_80", "a100", kA100Gpu.limits.shared_bytes, kA100Gpu.limits.block_shared_bytes},
    {"sm_87", "a100", kA100Gpu.limits.shared_bytes, kA100Gpu.limits.block_shared_bytes},
    {"sm_9", "h100", kH100Gpu.limits.shared_bytes, kH100Gpu.limits.block_shared_bytes},
    {"sm_10", "h100", kH100Gpu.limits.shared_bytes, kH100Gpu.limits.block_shared_bytes},
    {"sm_1", "h100", 100 << 10, 99 << 10},
    {"", "a100", 100 << 10, 99 << 10},
};

}  // namespace

Gpu gpu_named(std::string_view llvm) {
  const Named& row =
      *std::ranges::find_if(kNamed, [&](const Named& n) { return llvm.starts_with(n.prefix); });
  Gpu out = *find_device(row.like)->gpu;
  out.limits.shared_bytes = row.shared_bytes;
  out.limits.block_shared_bytes = row.block_shared_bytes;
  out.warpgroups = llvm == "sm_90a";
  return out;
}

}  // namespace isomer::machine
