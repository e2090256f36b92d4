#include "problems/right_side_memo.h"

#include <algorithm>
#include <cassert>

namespace isomer::problems {

using egraph::ClassId;
using rewrite::TensorFacts;

namespace {

void add_facts(std::vector<uint32_t>& words, const TensorFacts& f) {
  const uint32_t facts[] = {f.type.v << 1 | uint32_t{f.is_weight}, f.splat.v, f.range.v};
  words.insert(words.end(), std::begin(facts), std::end(facts));
}

}  // namespace

RightSideMemo::RightSideMemo(rewrite::TensorAnalysis& analysis, const RuleMatcher& matcher)
    : matcher_(matcher),
      right_sides_(analysis),
      lefts_(matcher.distinct_left_sides()),
      rows_(matcher.size()) {
  for (uint32_t left = 0; left < lefts_.size(); ++left) lefts_[left].number = left;
}

void RightSideMemo::begin(uint32_t rule, const rewrite::EGraph& g) {
  rule_ = rule;
  graph_ = &g;
  last_ = &lefts_[matcher_.left_side(rule, matcher_.parts(rule) - 1)];
  for (uint32_t left : matcher_.left_sides(rule))
    lefts_[left].of_match.assign(matcher_.found(left).size(), kUnknown);
  outlooks_.clear();
  ++round_;
}

void RightSideMemo::forget() {
  begin(rule_, *graph_);
  find_row();
}

uint32_t RightSideMemo::find_kind(Left& left, uint32_t match) {
  const egraph::Matches& found = matcher_.found(left.number);
  const egraph::Subst subst = found.subst(match);
  const uint32_t classes = found.class_variables();
  words_.assign(1, left.number);
  words_.insert(words_.end(), subst.values.begin() + classes, subst.values.end());
  for (uint32_t i = 0; i < classes; ++i)
    if (subst.values[i] != egraph::kUnbound) add_facts(words_, graph_->data(ClassId(subst.values[i])));
  add_facts(words_, graph_->data(found.root(match)));
  const auto [number, fresh] = facts_.number(words_);
  if (fresh) kinds_.push_back(left.kinds++);
  return kinds_[number];
}

void RightSideMemo::earlier(std::span<const uint32_t> matches) {
  earlier_.assign(matches.begin(), matches.end());
  find_row();
}

void RightSideMemo::find_row() {
  row_ = rule_;
  rare_ = false;
  for (size_t part = 0; part < earlier_.size(); ++part) {
    const uint32_t kind = kind_of(lefts_[matcher_.left_side(rule_, part)], earlier_[part]);
    rare_ = rare_ || kind >= kLongest;
    if (rare_) continue;
    if (rows_[row_].size() <= kind) rows_[row_].resize(kind + 1, kUnknown);
    uint32_t next = rows_[row_][kind];
    if (next == kUnknown) {
      next = rows_[row_][kind] = static_cast<uint32_t>(rows_.size());
      rows_.emplace_back();
    }
    row_ = next;
  }
  cells_ = rare_ ? std::span<const uint32_t>() : std::span<const uint32_t>(rows_[row_]);
}

RightSideMemo::Outlook RightSideMemo::outlook() {
  const size_t matches = last_->of_match.size(), words = (matches + 63) / 64;
  const auto at = [&](size_t begin) {
    const std::span<const uint64_t> bits = outlooks_;
    return Outlook{bits.subspan(begin, words), bits.subspan(begin + words, words)};
  };
  if (seen_.size() < rows_.size()) seen_.resize(rows_.size());
  if (!rare_ && seen_[row_].round == round_) return at(seen_[row_].begin);
  const size_t begin = outlooks_.size();
  outlooks_.resize(begin + 2 * words);
  for (uint32_t w = 0, m = 0; w < words; ++w) {
    uint64_t unknown = 0, there = 0;
    for (uint32_t bit = 0; bit < 64 && m < matches; ++bit, ++m) {
      const uint32_t recipe = known(m);
      unknown |= uint64_t{recipe == kUnknown} << bit;
      there |= uint64_t{recipe < kRefused} << bit;
    }
    outlooks_[begin + w] = unknown;
    outlooks_[begin + words + w] = there;
  }
  if (!rare_) seen_[row_] = {round_, begin};
  return at(begin);
}

/// Where the recipe of a joint match stands.
uint32_t* RightSideMemo::cell(uint32_t match) {
  const uint32_t kind = kind_of(*last_, match);
  if (!rare_ && kind < kLongest) {
    std::vector<uint32_t>& row = rows_[row_];
    if (row.size() <= kind) row.resize(kind + 1, kUnknown);
    cells_ = row;
    return &row[kind];
  }
  kinds_of_parts_.assign({rule_, kind});
  for (size_t part = 0; part < earlier_.size(); ++part)
    kinds_of_parts_.push_back(kind_of(lefts_[matcher_.left_side(rule_, part)], earlier_[part]));
  const auto [number, fresh] = rare_facts_.number(kinds_of_parts_);
  if (fresh) rare_recipes_.push_back(kUnknown);
  return &rare_recipes_[number];
}

uint32_t RightSideMemo::recipe(uint32_t match, std::span<const ClassId> roots, const egraph::Subst& subst) {
  uint32_t& known = *cell(match);
  if (known != kUnknown) return known;
  const rewrite::CompiledRule& rule = matcher_.rule(rule_);
  rewrite::RightSides& sides = right_sides_;
  rewrite::Instance& m = sides.instance;
  m.attributes.assign(rule.attributes, ir::AttrId());
  for (uint32_t i = 0; i < rule.matched_attributes; ++i) m.attributes[i] = ir::AttrId(subst.attr_at(i));
  m.tensors.clear();
  for (uint32_t i = 0; i < rule.tensors; ++i) m.tensors.push_back(graph_->data(subst.class_at(i)));
  m.roots.clear();
  for (ClassId r : roots) m.roots.push_back(graph_->data(r));
  if (sides.prepare(rule) != rewrite::Applied::kChanged) return known = kRefused;
  known = static_cast<uint32_t>(nodes_.size());
  for (size_t i = 0; i < rule.right.nodes.size(); ++i)
    nodes_.push_back({rule.right.nodes[i].is_variable ? 0 : sides.payload(i).v, kUnknown, sides.facts(i)});
  return known;
}

}  // namespace isomer::problems
