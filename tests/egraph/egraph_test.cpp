#include "egraph/egraph.h"

#include <map>

#include <gtest/gtest.h>

#include "egraph/naive_egraph.h"
#include "support/rng.h"

namespace isomer::egraph {
namespace {

// Least and greatest number of operators in a term of the class, as a meet of intervals: [lo, hi] of what is
// known.
struct SizeBound {
  struct Data {
    uint32_t least = 0xFFFFFFFFu;
    uint32_t ops = 0;  // set of operators that occur at the top of the class
    bool operator==(const Data&) const = default;
  };
  Data make(uint32_t op, uint32_t, std::span<const Data> children) {
    uint64_t size = 1;
    for (const Data& c : children) size += c.least;
    return {static_cast<uint32_t>(std::min<uint64_t>(size, 1000000)), 1u << (op % 32)};
  }
  Data join(const Data& a, const Data& b) { return {std::min(a.least, b.least), a.ops | b.ops}; }
};

TEST(EGraph, CongruenceReachesTheTop) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId a = g.add(0, 0, {});
  const ClassId b = g.add(1, 0, {});
  const ClassId fa = g.add(2, 0, {a});
  const ClassId fb = g.add(2, 0, {b});
  const ClassId ga = g.add(3, 0, {fa, a});
  const ClassId gb = g.add(3, 0, {fb, b});
  EXPECT_EQ(g.live_nodes(), 6u);
  EXPECT_TRUE(g.unite(a, b));
  EXPECT_FALSE(g.clean());
  EXPECT_EQ(g.rebuild(), 2u);
  EXPECT_TRUE(g.same(ga, gb));
  EXPECT_FALSE(g.unite(fa, fb));
  EXPECT_EQ(g.live_nodes(), 4u);
  EXPECT_EQ(g.live_classes(), 3u);
  EXPECT_EQ(g.check_invariants(), "");
}

TEST(EGraph, PayloadsKeepNodesApart) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId a = g.add(0, 0, {});
  EXPECT_NE(g.add(1, 7, {a}), g.add(1, 8, {a}));
  EXPECT_EQ(g.add(1, 7, {a}), g.add(1, 7, {a}));
  EXPECT_NE(g.add(1, 7, {a}), g.add(1, 7, {a, a}));
}

TEST(EGraph, ACycleIsAnEGraphToo) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId a = g.add(0, 0, {});
  const ClassId fa = g.add(1, 0, {a});
  g.unite(fa, a);
  g.rebuild();
  // a = f(a) = f(f(a)) ...: all added later fall into the same class.
  ClassId c = a;
  for (int i = 0; i < 5; ++i) c = g.add(1, 0, {c});
  EXPECT_EQ(c, g.find(a));
  EXPECT_EQ(g.live_nodes(), 2u);
  EXPECT_EQ(g.check_invariants(), "");
}

TEST(EGraph, ChildrenMayBeASpanOfItsOwnPool) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<ClassId> leaves;
  for (uint32_t i = 0; i < 7; ++i) leaves.push_back(g.add(i, 0, {}));
  const NodeId wide = g.add_node(100, 0, leaves);
  for (uint32_t i = 0; i < 2000; ++i) {
    const NodeId n = g.add_node(101 + i, 0, g.children(wide));
    ASSERT_TRUE(std::ranges::equal(g.children(n), leaves));
  }
}

TEST(EGraph, FilteredNodesStayCongruentAndUnfilterWhenMergedWithAGoodOne) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId a = g.add(0, 0, {});
  const ClassId b = g.add(1, 0, {});
  const NodeId fa = g.add_node(2, 0, std::vector{a});
  const NodeId fb = g.add_node(2, 0, std::vector{b});
  g.filter(fa);
  EXPECT_EQ(g.filtered_nodes(), 1u);
  EXPECT_FALSE(g.usable(fa));
  g.unite(a, b);
  g.rebuild();
  EXPECT_EQ(g.class_of(fa), g.class_of(fb));
  EXPECT_EQ(g.filtered_nodes(), 0u);
  EXPECT_TRUE(g.usable(fa));  // the older of the two lives on
  EXPECT_TRUE(g.dead(fb));
  EXPECT_EQ(g.check_invariants(), "");
}

TEST(EGraph, ACopyGoesItsOwnWay) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId a = g.add(0, 0, {});
  const ClassId b = g.add(1, 0, {});
  g.rebuild();
  EGraph<NoAnalysis> copy = g;
  copy.unite(a, b);
  copy.rebuild();
  EXPECT_TRUE(copy.same(a, b));
  EXPECT_FALSE(g.same(a, b));
  EXPECT_EQ(g.check_invariants(), "");
  EXPECT_EQ(copy.check_invariants(), "");
}

TEST(EGraph, FreshMarksNameWhatChanged) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const NodeId a = g.add_node(0, 0, {});
  const NodeId b = g.add_node(1, 0, {});
  const NodeId c = g.add_node(2, 0, {});
  const NodeId fa = g.add_node(3, 0, std::vector{as_class(a)});
  const NodeId fb = g.add_node(3, 1, std::vector{as_class(b)});
  const NodeId fc = g.add_node(3, 0, std::vector{as_class(c)});
  g.rebuild();
  for (NodeId n : {a, b, c, fa, fb, fc}) EXPECT_TRUE(g.fresh(n));
  g.clear_fresh();
  g.unite(as_class(a), as_class(b));
  g.rebuild();
  // One of the two moved to the other's class, and its parent has another child now.
  EXPECT_NE(g.fresh(a), g.fresh(b));
  EXPECT_EQ(g.fresh(fa), g.fresh(a));
  EXPECT_EQ(g.fresh(fb), g.fresh(b));
  EXPECT_FALSE(g.fresh(c));
  EXPECT_FALSE(g.fresh(fc));
  g.clear_fresh();
  g.filter(c);
  g.unfilter(c);
  EXPECT_TRUE(g.fresh(c));  // what it makes match did not match before
}

TEST(EGraph, ANodeMayBeginInTheClassThatItIsEqualTo) {
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  const ClassId a = g.add(0, 0, {});
  NodeId made;
  EXPECT_TRUE(g.add_equal(1, 0, std::vector{a}, a, {}, &made));
  EXPECT_FALSE(g.add_equal(1, 0, std::vector{a}, a));
  EXPECT_EQ(g.live_classes(), 1u);
  const ClassId b = g.add(2, 0, {});
  EXPECT_TRUE(g.add_equal(1, 0, std::vector{a}, b));  // it is there, in another class
  g.rebuild();
  EXPECT_TRUE(g.same(a, b));
  EXPECT_TRUE(g.same(as_class(made), a));
  EXPECT_EQ(g.live_nodes(), 3u);
  EXPECT_EQ(g.check_invariants(), "");
}

TEST(EGraph, TrimmingKeepsEverything) {
  Rng rng(7);
  NoAnalysis none;
  EGraph<NoAnalysis> g(none);
  std::vector<ClassId> classes{g.add(0, 0, {})};
  const auto any = [&] { return classes[rng.below(classes.size())]; };
  for (int i = 0; i < 3000; ++i) {
    classes.push_back(g.add(static_cast<uint32_t>(rng.below(5)), 0, {any(), any()}));
    if (rng.chance(0.2)) g.unite(any(), any());
  }
  g.rebuild();
  const size_t nodes = g.live_nodes(), bytes = g.memory_bytes();
  g.trim();
  EXPECT_LT(g.memory_bytes(), bytes);
  EXPECT_EQ(g.live_nodes(), nodes);
  EXPECT_EQ(g.check_invariants(), "");
  for (int i = 0; i < 300; ++i) g.add(7, 0, {any(), any()});
  g.rebuild();
  EXPECT_EQ(g.check_invariants(), "");
}

TEST(EGraph, CompactionDropsTheDeadAndSaysWhatIsCalledWhat) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Rng rng(seed);
    SizeBound sizes;
    EGraph<SizeBound> g(sizes);
    std::vector<ClassId> classes{g.add(0, 0, {})};
    const auto any = [&] { return classes[rng.below(classes.size())]; };
    for (int i = 0; i < 400; ++i) {
      classes.push_back(g.add(static_cast<uint32_t>(rng.below(5)), 0, {any(), any()}));
      if (rng.chance(0.3)) g.unite(any(), any());
    }
    g.rebuild();
    for (int i = 0; i < 20; ++i) g.filter(NodeId(static_cast<uint32_t>(rng.below(g.slots()))));
    const EGraph<SizeBound> before = g;
    ASSERT_LT(before.live_nodes(), before.slots());
    const std::vector<ClassId> called = g.compact();
    EXPECT_EQ(g.slots(), g.live_nodes());
    EXPECT_EQ(g.live_nodes(), before.live_nodes());
    EXPECT_EQ(g.live_classes(), before.live_classes());
    EXPECT_EQ(g.filtered_nodes(), before.filtered_nodes());
    EXPECT_LT(g.memory_bytes(), 40 * g.live_nodes() + 8 * g.live_nodes() + 512);
    EXPECT_EQ(g.check_invariants(), "");
    for (const ClassId a : classes)
      for (const ClassId b : classes)
        ASSERT_EQ(before.same(a, b), g.same(called[a.index()], called[b.index()]));
    for (uint32_t n = 0; n < before.slots(); ++n) {
      const ClassId c = called[n];
      ASSERT_TRUE(g.is_canonical(c));
      ASSERT_EQ(before.data(as_class(NodeId(n))), g.data(c));
      if (before.dead(NodeId(n))) continue;
      std::vector<ClassId> children;
      for (ClassId k : before.children(NodeId(n))) children.push_back(called[k.index()]);
      const NodeId now = g.lookup(before.op(NodeId(n)), before.payload(NodeId(n)), children);
      ASSERT_TRUE(now.valid());
      ASSERT_EQ(g.class_of(now), c);
      ASSERT_EQ(before.filtered(NodeId(n)), g.filtered(now));
      ASSERT_EQ(before.fresh(NodeId(n)), g.fresh(now));
    }
    for (int i = 0; i < 50; ++i) g.unite(called[any().index()], g.add(6, 0, {called[any().index()]}));
    g.rebuild();
    EXPECT_EQ(g.check_invariants(), "");
  }
}

// Random additions and unions, with rebuilds at random moments, against the definition.
TEST(EGraph, AgreesWithTheNaiveOneOnRandomActions) {
  for (uint64_t seed = 1; seed <= 120; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    SizeBound bound;
    EGraph<SizeBound> g(bound);
    NaiveEGraph naive;
    std::vector<NodeId> node;  // by naive term
    const uint64_t ops = 2 + rng.below(4);
    const uint64_t steps = 20 + rng.below(60);
    for (uint64_t step = 0; step < steps; ++step) {
      if (node.size() < 2 || rng.chance(0.6)) {
        std::vector<uint32_t> children;
        const uint32_t arity = node.empty() ? 0 : static_cast<uint32_t>(rng.below(3));
        std::vector<ClassId> classes;
        for (uint32_t k = 0; k < arity; ++k) {
          children.push_back(static_cast<uint32_t>(rng.below(node.size())));
          classes.push_back(as_class(node[children.back()]));
        }
        const uint32_t op = static_cast<uint32_t>(rng.below(ops));
        naive.add(op, children);
        node.push_back(g.add_node(op, 0, classes));
      } else if (rng.chance(0.8)) {
        const uint32_t a = static_cast<uint32_t>(rng.below(node.size()));
        const uint32_t b = static_cast<uint32_t>(rng.below(node.size()));
        naive.unite(a, b);
        g.unite(as_class(node[a]), as_class(node[b]));
      } else if (rng.chance(0.3)) {
        g.close();
      } else {
        g.rebuild();
        ASSERT_EQ(g.check_invariants(), "");
      }
    }
    g.rebuild();
    naive.close();
    ASSERT_EQ(g.check_invariants(), "");
    EXPECT_EQ(g.live_classes(), naive.classes());
    EXPECT_EQ(g.live_nodes(), naive.nodes());
    for (uint32_t a = 0; a < naive.size(); ++a) {
      for (uint32_t b = 0; b < a; ++b)
        ASSERT_EQ(g.same(as_class(node[a]), as_class(node[b])), naive.same(a, b));
    }
    // The analysis, by iteration to its own fixed point.
    std::map<uint32_t, SizeBound::Data> expected;
    for (bool changed = true; changed;) {
      changed = false;
      for (uint32_t t = 0; t < naive.size(); ++t) {
        std::vector<SizeBound::Data> children;
        for (uint32_t c : naive.term(t).children) children.push_back(expected[naive.class_of(c)]);
        SizeBound::Data& value = expected[naive.class_of(t)];
        SizeBound::Data joined = bound.join(value, bound.make(naive.term(t).op, 0, children));
        changed |= !(joined == value);
        value = joined;
      }
    }
    for (uint32_t t = 0; t < naive.size(); ++t) {
      EXPECT_EQ(g.data(as_class(node[t])), expected[naive.class_of(t)]);
    }
  }
}

}  // namespace
}  // namespace isomer::egraph
