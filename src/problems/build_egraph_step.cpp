#include "problems/build_egraph_step.h"

#include <algorithm>

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;

/// Of pairs a thousand are looked at where one is taken: what is known of them is found for all matches that
/// a chosen one may join, as bits.
void BuildEGraph::Step::look() {
  const auto [unknown, there] = memo.right_sides.outlook();
  memo.unknown = unknown;
  memo.open.assign(there.begin(), there.end());
  const bool any = std::ranges::any_of(there, [](uint64_t w) { return w != 0; });
  if (const ClosingMatches* closing = any ? p.closing_matches(from.graph, lookups, number) : nullptr)
    for (size_t part = 0; part + 1 < memo.chosen.size(); ++part) {
      const std::span<const uint64_t> closed = closing->closed_by(part, memo.chosen[part]);
      for (size_t w = 0; w < closed.size(); ++w) memo.open[w] &= ~closed[w];
    }
  for (size_t w = 0; w < unknown.size(); ++w) memo.open[w] |= unknown[w];
}

/// A node of the right sides, whose number among those of all recipes is given, over memo.children.
/// `foretold`: these have the facts that the recipe says.
ClassId BuildEGraph::Step::insert_node(const rewrite::RightNode& n, uint32_t number, bool foretold,
                                       bool& found) {
  const RightSideMemo::Node& node = memo.right_sides.node(number);
  if (g == nullptr) {
    const NodeId known = from.graph.lookup_canonical(n.op.v, node.payload, memo.children);
    if (known.valid()) {
      found = true;
      return from.graph.clean_class_of(known);
    }
    write();
  }
  const size_t end = g->slots();
  const NodeId made = foretold ? g->add_node(n.op.v, node.payload, memo.children, node.facts)
                               : g->add_node(n.op.v, node.payload, memo.children);
  if (g->slots() == end)
    found = true;
  else
    memo.made_by.push_back(foretold ? number : RightSideMemo::kUnknown);
  return egraph::as_class(made);
}

void BuildEGraph::Step::insert(std::span<const ClassId> at, const egraph::Subst& subst,
                               std::span<const uint32_t> chosen) {
  if (from.regions.of(at) != region) return;
  const uint32_t recipe = memo.right_sides.recipe(chosen.back(), at, subst);
  if (recipe == RightSideMemo::kRefused) return;
  if (!closing_asked && p.closes_cycle(from.graph, lookups, number, chosen)) return;
  const size_t slots = now().slots();
  bool found = false;
  memo.made.assign(rule.right.size(), ClassId());
  memo.foretold.assign(rule.right.size(), 1);
  for (size_t i = 0; i < rule.right.size(); ++i) {
    const rewrite::RightNode& n = rule.right[i];
    if (n.is_variable) {
      memo.made[i] = now().find(subst.class_at(n.variable));
      continue;
    }
    memo.children.clear();
    bool foretold = true;
    for (uint32_t c : n.children) {
      memo.children.push_back(memo.made[c]);
      foretold = foretold && memo.foretold[c] != 0;
    }
    const uint32_t number = recipe + static_cast<uint32_t>(i);
    memo.made[i] = insert_node(n, number, foretold, found);
    memo.foretold[i] = now().data(memo.made[i]) == memo.right_sides.node(number).facts;
  }
  bool united = false;
  for (size_t i = 0; i < at.size(); ++i) {
    const ClassId a = now().find(at[i]);
    const ClassId b = now().find(memo.made[rule.right_roots[i]]);
    if (a == b) continue;
    write();
    // Two classes that were there before, or facts that go on to other classes.
    const bool learns = !(g->data(a) == g->data(b));
    merged = merged || (a.index() < before && b.index() < before) || learns;
    united = g->unite(a, b) || united;
    if (!learns) continue;
    learned = true;
    memo.right_sides.forget();
    if (memo.chosen.size() > 1) look();
  }
  if (!united && now().slots() == slots) return;
  may_close = may_close || found;  // a term that was there already may lie above the match
  ++p.statistics_.matches;
  changed = true;
}

}  // namespace isomer::problems
