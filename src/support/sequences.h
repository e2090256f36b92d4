// Numbers sequences of words in order of their first appearance. Open addressing, words in one array: for
// what is asked for each match of each step.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace isomer {

class Sequences {
 public:
  /// The number of a sequence, and whether it is a new one. Numbers go from 0.
  std::pair<uint32_t, bool> number(std::span<const uint32_t> words) {
    if (2 * (first_.size() + 1) > slots_.size()) grow();
    uint64_t hash = words.size();
    size_t w = 0;
    for (; w + 1 < words.size(); w += 2)
      hash = (hash ^ (hash >> 29) ^ (uint64_t{words[w]} << 32 | words[w + 1])) * 0xBF58476D1CE4E5B9ull;
    if (w < words.size()) hash = (hash ^ (hash >> 29) ^ words[w]) * 0xBF58476D1CE4E5B9ull;
    hash ^= hash >> 32;
    for (size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      Slot& slot = slots_[at];
      if (slot.number == kFree) {
        slot = {hash, static_cast<uint32_t>(first_.size() - 1)};
        words_.insert(words_.end(), words.begin(), words.end());
        first_.push_back(words_.size());
        return {slot.number, true};
      }
      if (slot.hash != hash) continue;
      const size_t first = first_[slot.number];
      if (first_[slot.number + 1] - first == words.size() &&
          std::equal(words.begin(), words.end(), words_.begin() + static_cast<std::ptrdiff_t>(first)))
        return {slot.number, false};
    }
  }

  size_t size() const { return first_.size() - 1; }

 private:
  static constexpr uint32_t kFree = 0xFFFFFFFFu;
  struct Slot {
    uint64_t hash = 0;
    uint32_t number = kFree;
  };
  void grow() {
    std::vector<Slot> larger(std::max<size_t>(1024, 2 * slots_.size()));
    for (const Slot& s : slots_) {
      if (s.number == kFree) continue;
      size_t at = s.hash & (larger.size() - 1);
      while (larger[at].number != kFree) at = (at + 1) & (larger.size() - 1);
      larger[at] = s;
    }
    slots_ = std::move(larger);
  }

  std::vector<Slot> slots_;
  std::vector<uint32_t> words_;
  std::vector<size_t> first_{0};
};

}  // namespace isomer
