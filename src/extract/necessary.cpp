#include "extract/necessary.h"

#include <algorithm>

namespace isomer::extract {

namespace {

// Children before parents, as far as cycles allow: one pass in this order is enough where there are none.
std::vector<uint32_t> children_first(const Choices& choices) {
  struct Frame {
    uint32_t c;
    size_t next;
  };
  std::vector<uint32_t> order;
  std::vector<bool> seen(choices.classes(), false);
  std::vector<Frame> path;
  const auto enter = [&](uint32_t c) {
    seen[c] = true;
    path.push_back({c, 0});
  };
  for (uint32_t start = 0; start < choices.classes(); ++start) {
    if (!seen[start]) enter(start);
    while (!path.empty()) {
      Frame& f = path.back();
      const auto children = choices.children_of_class(f.c);
      if (f.next == children.size()) {
        order.push_back(f.c);
        path.pop_back();
        continue;
      }
      const uint32_t child = children[f.next++];
      if (!seen[child]) enter(child);
    }
  }
  return order;
}

}  // namespace

bool Necessary::compute(const Choices& choices) {
  constexpr int kMostPasses = 30;
  const size_t count = choices.classes();
  if (count > kMostClasses) return false;
  words_ = (count + 63) / 64;
  bits_.assign(count * words_, ~uint64_t{0});
  const std::vector<uint32_t> order = children_first(choices);
  std::vector<uint64_t> meet(words_);
  std::vector<uint64_t> join(words_);
  for (int pass = 0; pass < kMostPasses; ++pass) {
    bool changed = false;
    for (uint32_t c : order) {
      std::ranges::fill(meet, ~uint64_t{0});
      for (uint32_t n = choices.class_first[c]; n < choices.class_first[c + 1]; ++n) {
        std::ranges::fill(join, uint64_t{0});
        for (uint32_t m : choices.children(n)) {
          const uint64_t* row = &bits_[m * words_];
          for (size_t w = 0; w < words_; ++w) join[w] |= row[w];
        }
        for (size_t w = 0; w < words_; ++w) meet[w] &= join[w];
      }
      meet[c / 64] |= uint64_t{1} << (c % 64);
      uint64_t* row = &bits_[c * words_];
      for (size_t w = 0; w < words_; ++w) {
        changed |= row[w] != meet[w];
        row[w] = meet[w];
      }
    }
    if (!changed) return true;
  }
  return false;
}

void Necessary::of_all(std::span<const ClassId> classes, std::span<uint64_t> bits) const {
  std::ranges::fill(bits, uint64_t{0});
  for (ClassId c : classes) {
    const uint64_t* row = &bits_[c.index() * words_];
    for (size_t w = 0; w < words_; ++w) bits[w] |= row[w];
  }
}

std::vector<bool> in_every_selection(const Problem& problem) {
  std::vector<bool> out(problem.nodes());
  Necessary necessary;
  if (!necessary.compute(choices_of(problem))) return out;
  std::vector<uint64_t> needed(necessary.words());
  necessary.of_all(problem.roots(), needed);
  for (uint32_t c = 0; c < problem.classes(); ++c) {
    const auto nodes = problem.nodes_of(ClassId(c));
    if (nodes.size() == 1 && (needed[c / 64] >> (c % 64) & 1) != 0) out[nodes[0].index()] = true;
  }
  return out;
}

}  // namespace isomer::extract
