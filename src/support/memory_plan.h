// Where buffers lie in one memory: offsets for what lives for some time only, so that the peak is least.
// Tiles in the shared memory of a block (mugraph/block_plan.h), scratch of a program (codegen/parts.h).
//
// Dynamic storage allocation is hard in general and small here (a block has fewer than 30 tiles), so that it
// is solved: a first plan that puts each buffer, the largest first, into the lowest gap, then branch and
// bound over the order of buffers by offset. In that order each buffer of some best plan lies on the highest
// one below it that lives at the same time, so that orders are all there is to search; a branch ends where,
// at some time, what is placed and what is not cannot stay below the best plan. Mirage's paper enumerates
// plans, its project takes the best of three greedy ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace isomer {

struct Lifetime {
  int64_t bytes = 0;
  int birth = 0, death = 0;  ///< first and last step at which it must keep its content
};

struct MemoryPlan {
  std::vector<int64_t> offsets;  ///< of each buffer, multiples of the alignment
  int64_t bytes = 0;             ///< the peak
  int64_t bound = 0;             ///< no plan needs less
  bool optimal() const { return bytes == bound; }
};

/// `node_limit`: places that are tried; beyond it the best plan so far and the bound are returned.
MemoryPlan plan_memory(std::span<const Lifetime> buffers, int64_t alignment = 16,
                       uint64_t node_limit = 1'000'000);

}  // namespace isomer
