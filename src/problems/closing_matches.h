// Which matches of a multi-pattern rule would close a cycle: those in which something that the right sides
// use has one of the matched classes below it (Yang et al., TENSAT, MLSys 2021, algorithm 2, whose map of all
// descendants of all classes is egraph::DescendantMap). A rule matches in few classes and joins its matches
// to thousands of pairs: so only the matched classes are looked for below others, once for each match what it
// uses is summed up, and a pair is a question of a few bits.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/rule_matcher.h"

namespace isomer::problems {

class ClosingMatches {
 public:
  /// For the matches of a rule that the matcher has found last; the store must be as it was then. `order`:
  /// its classes, children first (egraph/order.h). Answers are those of egraph::DescendantMap.
  void find(const egraph::Store& store, std::span<const egraph::ClassId> order, const RuleMatcher& matcher,
            uint32_t rule);
  /// A bit for each match of the last part (64 to a word): it lies below what a match of another part uses,
  /// so that both together close a cycle.
  std::span<const uint64_t> closed_by(size_t part, uint32_t match) const {
    return std::span(parts_[part].below).subspan(match * words_, last_words_);
  }
  /// Of a joint match, by the numbers of its parts' matches.
  bool closes(std::span<const uint32_t> matches) const {
    for (size_t p = 0; p < matches.size(); ++p)
      for (size_t q = 0; q < matches.size(); ++q)
        if (uses(p, matches[p], q, matches[q])) return true;
    return false;
  }

 private:
  bool uses(size_t part, uint32_t match, size_t other_part, uint32_t other) const {
    const uint32_t column = parts_[other_part].column[other];
    return (parts_[part].below[match * words_ + column / 64] >> (column % 64) & 1) != 0;
  }
  struct Part {
    std::vector<uint32_t> column;  ///< by match: of its root; of the last part, its own number
    std::vector<uint64_t> below;   ///< by match: a bit for each column
  };
  std::vector<Part> parts_;
  size_t words_ = 0;
  size_t last_words_ = 0;         ///< of these, those of matches of the last part
  std::vector<uint32_t> column_;  ///< by class: the first
  std::vector<uint32_t> next_;    ///< by match of the last part: the next one with its root
  std::vector<uint64_t> bits_;    ///< by class: a bit for each column
};

}  // namespace isomer::problems
