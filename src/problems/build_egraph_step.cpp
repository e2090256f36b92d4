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

/// A node of the right sides, whose number among those of all recipes is given.
/// `foretold`: these have the facts that the recipe says.
ClassId BuildEGraph::Step::insert_node(const rewrite::FragmentNode& n, uint32_t number,
                                       std::span<const ClassId> children, bool foretold, bool& found) {
  const RightSideMemo::Node& node = memo.right_sides.node(number);
  if (g == nullptr) {
    const NodeId known = from.graph.lookup_canonical(n.op.v, node.payload, children);
    if (known.valid()) {
      found = true;
      return from.graph.clean_class_of(known);
    }
    write();
  }
  const size_t end = g->slots();
  const NodeId made = foretold ? g->add_node(n.op.v, node.payload, children, node.facts)
                               : g->add_node(n.op.v, node.payload, children);
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
  memo.foretold.assign(rule.right.nodes.size(), 1);
  memo.variables.clear();
  for (uint32_t v = 0; v < rule.tensors; ++v) memo.variables.push_back(now().find(subst.class_at(v)));
  rule.right.build<ClassId>(memo.variables, memo.made,
                            [&](size_t i, const rewrite::FragmentNode& n, std::span<const ClassId> children) {
                              const bool foretold = std::ranges::all_of(
                                  n.children, [&](uint32_t c) { return memo.foretold[c] != 0; });
                              const uint32_t number = recipe + static_cast<uint32_t>(i);
                              const ClassId made = insert_node(n, number, children, foretold, found);
                              memo.foretold[i] = now().data(made) == memo.right_sides.node(number).facts;
                              return made;
                            });
  bool united = false;
  for (size_t i = 0; i < at.size(); ++i) {
    const ClassId a = now().find(at[i]);
    const ClassId b = now().find(memo.made[rule.right.roots[i]]);
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
