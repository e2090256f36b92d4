#include "support/memory_plan.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "support/errors.h"

namespace isomer {
namespace {

class Planner {
 public:
  Planner(std::span<const Lifetime> buffers, int64_t alignment, uint64_t node_limit)
      : node_limit_(node_limit) {
    for (const Lifetime& b : buffers) {
      REQUIRE(b.bytes >= 0 && b.birth >= 0 && b.birth <= b.death, "buffers that live for some time");
      buffers_.push_back(b);
      buffers_.back().bytes = (b.bytes + alignment - 1) / alignment * alignment;
      steps_ = std::max(steps_, b.death + 1);
    }
  }

  MemoryPlan run() {
    MemoryPlan out;
    // At each step: how high what is placed reaches, and how much is still to come.
    height_.assign(static_cast<size_t>(steps_), 0);
    waiting_.assign(static_cast<size_t>(steps_), 0);
    for (const Lifetime& b : buffers_)
      for (int t = b.birth; t <= b.death; ++t) waiting_[static_cast<size_t>(t)] += b.bytes;
    out.bound = waiting_.empty() ? 0 : *std::ranges::max_element(waiting_);
    bound_ = out.bound;
    order_.resize(buffers_.size());
    std::iota(order_.begin(), order_.end(), size_t{0});
    // The largest and longest first: the first plan is a good one.
    std::ranges::stable_sort(order_, std::greater<>(), [&](size_t i) {
      return std::pair(buffers_[i].bytes * (buffers_[i].death - buffers_[i].birth + 1), buffers_[i].bytes);
    });
    placed_.assign(buffers_.size(), false);
    offsets_.assign(buffers_.size(), 0);
    first_fit();
    place(0, 0);
    out.offsets = best_offsets_;
    out.bytes = best_;
    if (!stopped_) out.bound = best_;
    return out;
  }

 private:
  bool done() { return best_ == bound_ || (stopped_ = stopped_ || nodes_ > node_limit_); }

  /// A plan to begin with: each buffer in the lowest gap.
  void first_fit() {
    best_offsets_.assign(buffers_.size(), 0);
    std::vector<std::pair<int64_t, int64_t>> taken;  // offset and end of what lives at the same time
    for (size_t n = 0; n < order_.size(); ++n) {
      const Lifetime& b = buffers_[order_[n]];
      taken.clear();
      for (size_t k = 0; k < n; ++k) {
        const Lifetime& other = buffers_[order_[k]];
        if (other.birth <= b.death && b.birth <= other.death)
          taken.emplace_back(best_offsets_[order_[k]], best_offsets_[order_[k]] + other.bytes);
      }
      std::ranges::sort(taken);
      int64_t offset = 0;
      for (const auto& [from, end] : taken) {
        if (offset + b.bytes <= from) break;
        offset = std::max(offset, end);
      }
      best_offsets_[order_[n]] = offset;
      best_ = std::max(best_, offset + b.bytes);
    }
  }

  void place(size_t count, int64_t lowest) {
    if (count == buffers_.size()) {
      // What is placed is below the best plan everywhere (fits).
      best_ = height_.empty() ? 0 : *std::ranges::max_element(height_);
      best_offsets_ = offsets_;
      return;
    }
    for (size_t i : order_) {
      if (placed_[i] || done()) continue;
      const Lifetime& b = buffers_[i];
      const auto first = height_.begin() + b.birth, last = height_.begin() + b.death + 1;
      const int64_t offset = *std::max_element(first, last);
      if (offset < lowest || !fits(b, offset)) continue;
      ++nodes_;
      const std::vector<int64_t> before(first, last);
      std::fill(first, last, offset + b.bytes);
      for (int t = b.birth; t <= b.death; ++t) waiting_[static_cast<size_t>(t)] -= b.bytes;
      placed_[i] = true;
      offsets_[i] = offset;
      place(count + 1, offset);
      placed_[i] = false;
      for (int t = b.birth; t <= b.death; ++t) waiting_[static_cast<size_t>(t)] += b.bytes;
      std::ranges::copy(before, first);
    }
  }

  /// Whether a plan below the best may follow.
  bool fits(const Lifetime& b, int64_t offset) const {
    for (int t = 0; t < steps_; ++t) {
      const auto at = static_cast<size_t>(t);
      const bool lives = t >= b.birth && t <= b.death;
      const int64_t height = lives ? offset + b.bytes : height_[at];
      if (height + waiting_[at] - (lives ? b.bytes : 0) >= best_) return false;
    }
    return true;
  }

  std::vector<Lifetime> buffers_;
  uint64_t node_limit_, nodes_ = 0;
  bool stopped_ = false;
  int steps_ = 0;
  int64_t bound_ = 0, best_ = 0;
  std::vector<int64_t> height_, waiting_, offsets_, best_offsets_;
  std::vector<size_t> order_;
  std::vector<char> placed_;
};

}  // namespace

MemoryPlan plan_memory(std::span<const Lifetime> buffers, int64_t alignment, uint64_t node_limit) {
  return Planner(buffers, alignment, node_limit).run();
}

}  // namespace isomer
