#include "machine/gpu.h"

#include <algorithm>

namespace isomer::machine {
namespace {

/// Of the generation that it is taken for, with memory of blocks of its own.
constexpr Gpu with_shared(Gpu like, int64_t shared_bytes, int64_t block_shared_bytes) {
  like.limits.shared_bytes = shared_bytes;
  like.limits.block_shared_bytes = block_shared_bytes;
  return like;
}

constexpr Gpu with_warpgroups(Gpu like) {
  like.warpgroups = true;
  return like;
}

/// Names that begin so, of which the first counts.
struct Named {
  std::string_view prefix;
  Gpu gpu;
};
constexpr Named kNamed[] = {
    {"sm_80", kA100Gpu},
    {"sm_87", kA100Gpu},
    {"sm_90a", with_warpgroups(kH100Gpu)},
    {"sm_9", kH100Gpu},
    {"sm_10", kH100Gpu},
    {"sm_1", with_shared(kH100Gpu, 100 << 10, 99 << 10)},
    {"", with_shared(kA100Gpu, 100 << 10, 99 << 10)},
};

}  // namespace

Gpu gpu_named(std::string_view llvm) {
  return std::ranges::find_if(kNamed, [&](const Named& n) { return llvm.starts_with(n.prefix); })->gpu;
}

}  // namespace isomer::machine
