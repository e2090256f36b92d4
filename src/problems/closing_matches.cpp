#include "problems/closing_matches.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;

void ClosingMatches::find(const egraph::Store& store, std::span<const ClassId> order,
                          const RuleMatcher& matcher, uint32_t rule) {
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  column_.assign(store.slots(), kNone);
  parts_.resize(matcher.parts(rule));
  // Matches of the last part have a column each, the roots of the others one where they have none yet.
  const egraph::Matches& last = matcher.found(matcher.left_side(rule, parts_.size() - 1));
  auto columns = static_cast<uint32_t>(last.size());
  next_.resize(columns);
  parts_.back().column.resize(columns);
  for (uint32_t m = columns; m-- > 0;) {
    uint32_t& first = column_[last.root(m).index()];
    next_[m] = first;
    first = parts_.back().column[m] = m;
  }
  last_words_ = (columns + 63) / 64;
  for (size_t p = 0; p + 1 < parts_.size(); ++p) {
    const egraph::Matches& found = matcher.found(matcher.left_side(rule, p));
    parts_[p].column.clear();
    for (size_t m = 0; m < found.size(); ++m) {
      uint32_t& column = column_[found.root(m).index()];
      if (column == kNone) column = columns++;
      parts_[p].column.push_back(column);
    }
  }
  words_ = (columns + 63) / 64;
  bits_.assign(store.slots() * words_, 0);
  for (ClassId c : order) {
    uint64_t* const mine = bits_.data() + c.index() * words_;
    for (uint32_t column = column_[c.index()]; column != kNone;
         column = column < next_.size() ? next_[column] : kNone)
      mine[column / 64] |= uint64_t{1} << (column % 64);
    for (NodeId n : store.nodes_in(c)) {
      if (!store.usable(n)) continue;
      for (ClassId child : store.children(n)) {
        const uint64_t* const theirs = bits_.data() + child.index() * words_;
        for (size_t w = 0; w < words_; ++w) mine[w] |= theirs[w];
      }
    }
  }
  for (size_t p = 0; p < parts_.size(); ++p) {
    const egraph::Matches& found = matcher.found(matcher.left_side(rule, p));
    parts_[p].below.assign(found.size() * words_, 0);
    for (size_t m = 0; m < found.size(); ++m)
      for (uint32_t variable : matcher.used(rule, p)) {
        const uint64_t* const theirs = bits_.data() + found.subst(m).values[variable] * words_;
        for (size_t w = 0; w < words_; ++w) parts_[p].below[m * words_ + w] |= theirs[w];
      }
  }
}

}  // namespace isomer::problems
