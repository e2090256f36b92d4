#include "egraph/cycles.h"

#include <gtest/gtest.h>

#include "egraph/order.h"
#include "egraph/symbols.h"
#include "support/errors.h"
#include "support/rng.h"

namespace isomer::egraph {
namespace {

using Graph = EGraph<NoAnalysis>;

/// By the definition: whether a class reaches itself, from classes that a root reaches, through usable nodes.
bool cyclic_below(const Graph& g, const std::vector<ClassId>& roots) {
  const size_t n = g.slots();
  std::vector<std::vector<bool>> reach(n, std::vector<bool>(n, false));
  for (uint32_t i = 0; i < n; ++i) {
    if (!g.usable(NodeId(i))) continue;
    for (ClassId c : g.children(NodeId(i))) reach[g.class_of(NodeId(i)).index()][g.find(c).index()] = true;
  }
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (reach[i][k] && reach[k][j]) reach[i][j] = true;
  for (size_t c = 0; c < n; ++c) {
    for (ClassId root : roots) {
      const size_t r = g.find(root).index();
      if (reach[c][c] && (r == c || reach[r][c])) return true;
    }
  }
  return false;
}

/// Classes that have a finite term of usable nodes.
size_t finite_classes(const Graph& g) {
  std::vector<bool> finite(g.slots(), false);
  size_t count = 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t i = 0; i < g.slots(); ++i) {
      const NodeId n(i);
      if (!g.usable(n) || finite[g.class_of(n).index()]) continue;
      bool ready = true;
      for (ClassId c : g.children(n)) ready = ready && finite[g.find(c).index()];
      if (!ready) continue;
      finite[g.class_of(n).index()] = changed = true;
      ++count;
    }
  }
  return count;
}

TEST(Cycles, AreBrokenAndEveryClassStaysExtractable) {
  size_t filtered = 0;
  for (uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    NoAnalysis none;
    Graph g(none);
    std::vector<ClassId> classes{g.add(0, 0, {}), g.add(1, 0, {})};
    const auto any = [&] { return classes[rng.below(classes.size())]; };
    for (int i = 0; i < 10; ++i)
      classes.push_back(g.add(2 + static_cast<uint32_t>(rng.below(3)), 0, {any(), any()}));
    const std::vector<ClassId> roots{classes.back(), any()};
    g.rebuild();
    const size_t own = g.slots();
    for (int i = 0; i < 12; ++i) {
      classes.push_back(g.add(5 + static_cast<uint32_t>(rng.below(3)), 0, {any(), any()}));
      if (rng.chance(0.6)) g.unite(any(), any());
    }
    g.rebuild();
    const size_t finite = finite_classes(g);
    std::vector<ClassId> now;
    for (ClassId r : roots) now.push_back(g.find(r));
    EXPECT_EQ(has_cycle(g, now), cyclic_below(g, now));
    std::vector<ClassId> all;
    g.for_each_class([&](ClassId c) { all.push_back(c); });
    EXPECT_EQ(children_first(g).acyclic, !cyclic_below(g, all));
    filtered += break_cycles(g, now, own);
    EXPECT_FALSE(has_cycle(g, now));
    EXPECT_FALSE(cyclic_below(g, now));
    EXPECT_EQ(finite_classes(g), finite);
    EXPECT_EQ(break_cycles(g, now, own), 0u);
  }
  EXPECT_GT(filtered, 200u);
}

// Figure 3 of the TENSAT paper: the multi-pattern rule for two products with a shared left operand, on
// matmul(x, matmul(x, y)): after it the inner product is computed from a product of which it is a part.
TEST(Cycles, FigureThreeOfTensat) {
  SymbolTable symbols;
  NoAnalysis none;
  Graph g(none);
  std::vector<std::string> variables;
  const ClassId inner = add_term(g, parse_pattern("(matmul x y)", symbols, variables));
  const ClassId outer = add_term(g, parse_pattern("(matmul x (matmul x y))", symbols, variables));
  g.rebuild();
  const size_t own = g.slots();
  const ClassId x = g.add(symbols.intern("x"), 0, {});
  const ClassId y = g.add(symbols.intern("y"), 0, {});
  const std::vector<ClassId> operands{x, y, inner}, roots{outer};
  g.rebuild();
  EXPECT_TRUE(reaches_now(g, operands, std::vector{inner, outer}));  // so the vanilla filter refuses it
  EXPECT_TRUE(DescendantMap(g).reaches(outer, inner));
  EXPECT_FALSE(DescendantMap(g).reaches(inner, outer));
  const ClassId both =
      g.add(symbols.intern("matmul"), 0, {x, g.add(symbols.intern("concat"), 0, {y, inner})});
  const ClassId split = g.add(symbols.intern("split"), 0, {both});
  g.unite(inner, g.add(symbols.intern("split_0"), 0, {split}));
  g.unite(outer, g.add(symbols.intern("split_1"), 0, {split}));
  g.rebuild();
  EXPECT_TRUE(has_cycle(g, std::vector{g.find(outer)}));
  EXPECT_EQ(break_cycles(g, std::vector{g.find(outer)}, own), 1u);
  EXPECT_FALSE(has_cycle(g, std::vector{g.find(outer)}));
  for (uint32_t n = 0; n < own; ++n) EXPECT_TRUE(g.usable(NodeId(n)));  // never the program's own
}

TEST(Cycles, MembersAndReachAreKnownBetweenRebuilds) {
  for (uint64_t seed = 1; seed <= 100; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    NoAnalysis none;
    Graph g(none);
    g.rebuild();
    g.track_members(true);
    std::vector<ClassId> classes{g.add(0, 0, {}), g.add(1, 0, {})};
    const auto any = [&] { return classes[rng.below(classes.size())]; };
    for (int i = 0; i < 60; ++i) {
      switch (rng.below(4)) {
        case 0: g.unite(any(), any()); break;
        case 1: g.add_equal(9, static_cast<uint32_t>(i), std::vector{any()}, any()); break;
        case 2:
          if (rng.chance(0.3)) g.rebuild();
          break;
        default: classes.push_back(g.add(2 + static_cast<uint32_t>(rng.below(3)), 0, {any(), any()}));
      }
      if (rng.chance(0.1)) g.close();
      std::vector<uint32_t> listed, expected;
      const ClassId c = any();
      g.for_each_node(c, [&](NodeId n) { listed.push_back(n.v); });
      for (uint32_t n = 0; n < g.slots(); ++n)
        if (!g.dead(NodeId(n)) && g.class_of(NodeId(n)) == g.find(c)) expected.push_back(n);
      std::ranges::sort(listed);
      ASSERT_EQ(listed, expected);
    }
    Graph clean = g;
    clean.rebuild();
    g.close();
    for (int i = 0; i < 20; ++i) {
      const std::vector<ClassId> from{any()}, to{any()};
      EXPECT_EQ(reaches_now(g, from, to), reaches_now(clean, from, to));
    }
  }
}

TEST(Cycles, ModesHaveNames) {
  EXPECT_EQ(cycle_mode("online"), CycleMode::kOnline);
  EXPECT_EQ(cycle_mode("vanilla-multi"), CycleMode::kVanillaMulti);
  EXPECT_THROW(cycle_mode("sometimes"), UsageError);
}

}  // namespace
}  // namespace isomer::egraph
