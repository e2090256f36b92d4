#include "support/memory_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support/rng.h"

namespace isomer {
namespace {

int64_t peak_of(const std::vector<Lifetime>& buffers, const std::vector<int64_t>& offsets) {
  int64_t peak = 0;
  for (size_t i = 0; i < buffers.size(); ++i) peak = std::max(peak, offsets[i] + buffers[i].bytes);
  return peak;
}

bool overlap(const std::vector<Lifetime>& buffers, const std::vector<int64_t>& offsets) {
  for (size_t i = 0; i < buffers.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      const Lifetime &a = buffers[i], &b = buffers[j];
      if (a.bytes > 0 && b.bytes > 0 && a.birth <= b.death && b.birth <= a.death &&
          offsets[i] < offsets[j] + b.bytes && offsets[j] < offsets[i] + a.bytes)
        return true;
    }
  return false;
}

/// Every offset below the sum of all sizes, for every buffer.
int64_t brute_force(const std::vector<Lifetime>& buffers, std::vector<int64_t>& offsets, size_t i,
                    int64_t best) {
  if (i == buffers.size()) return std::min(best, peak_of(buffers, offsets));
  for (int64_t o = 0; o + buffers[i].bytes < best; ++o) {
    offsets[i] = o;
    const std::vector<Lifetime> some(buffers.begin(), buffers.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    if (!overlap(some, offsets)) best = brute_force(buffers, offsets, i + 1, best);
  }
  return best;
}

TEST(MemoryPlan, IsTheBestThereIs) {
  Rng rng(3);
  for (int round = 0; round < 60; ++round) {
    std::vector<Lifetime> buffers;
    int64_t sum = 1;
    for (uint64_t n = 2 + rng.below(3); buffers.size() < n;) {
      const int birth = static_cast<int>(rng.below(5));
      buffers.push_back({rng.between(1, 3), birth, birth + static_cast<int>(rng.below(3))});
      sum += buffers.back().bytes;
    }
    const MemoryPlan plan = plan_memory(buffers, 1);
    EXPECT_TRUE(plan.optimal());
    EXPECT_FALSE(overlap(buffers, plan.offsets));
    EXPECT_EQ(plan.bytes, peak_of(buffers, plan.offsets));
    std::vector<int64_t> offsets(buffers.size());
    EXPECT_EQ(plan.bytes, brute_force(buffers, offsets, 0, sum));
  }
}

TEST(MemoryPlan, ProvesThatWhatLivesAtOneTimeIsNotEnough) {
  // Never more than 8 bytes live, and no plan needs fewer than 9.
  const std::vector<Lifetime> buffers = {{2, 0, 0}, {2, 0, 1}, {1, 0, 3}, {3, 0, 1}, {1, 1, 2}, {1, 1, 3},
                                         {3, 2, 3}, {1, 2, 3}, {1, 2, 2}, {2, 3, 4}, {3, 4, 4}, {3, 4, 4}};
  const MemoryPlan plan = plan_memory(buffers, 1);
  EXPECT_TRUE(plan.optimal());
  EXPECT_EQ(plan.bytes, 9);
  EXPECT_FALSE(overlap(buffers, plan.offsets));
  std::vector<int64_t> offsets(buffers.size());
  EXPECT_EQ(brute_force(buffers, offsets, 0, 9), 9);
}

TEST(MemoryPlan, IsAlignedAndStopsAtItsLimit) {
  std::vector<Lifetime> buffers;
  Rng rng(5);
  for (int i = 0; i < 60; ++i) {
    const int birth = static_cast<int>(rng.below(40));
    buffers.push_back({rng.between(1, 1000), birth, birth + static_cast<int>(rng.below(12))});
  }
  const MemoryPlan plan = plan_memory(buffers, 16, 10'000);
  for (int64_t o : plan.offsets) EXPECT_EQ(o % 16, 0);
  EXPECT_FALSE(overlap(buffers, plan.offsets));
  EXPECT_LE(plan.bound, plan.bytes);
}

}  // namespace
}  // namespace isomer
