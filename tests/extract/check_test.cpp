#include "extract/check.h"

#include <gtest/gtest.h>

namespace isomer::extract {
namespace {

// 0 -> {1, 2}; 1 -> {2} or -> {0}; 2 a leaf or -> {1}.
struct Diamond {
  Diamond() {
    ProblemBuilder builder;
    const ClassId top = builder.add_class();
    const ClassId left = builder.add_class();
    const ClassId leaf = builder.add_class();
    a = builder.add_node(top, 1, std::vector{left, leaf});
    b = builder.add_node(left, 2, std::vector{leaf});
    up = builder.add_node(left, 0, std::vector{top});
    c = builder.add_node(leaf, 4, {});
    back = builder.add_node(leaf, 0, std::vector{left});
    builder.add_root(top);
    problem = builder.build();
  }
  Problem problem;
  NodeId a, b, up, c, back;

  Verdict pick(NodeId top, NodeId left, NodeId leaf) const {
    Selection s(3);
    s.pick(ClassId(0), top);
    s.pick(ClassId(1), left);
    s.pick(ClassId(2), leaf);
    return check(problem, s);
  }
};

TEST(Check, CountsSharedPartsOnceInTheDagAndTwiceInTheTree) {
  const Diamond d;
  const Verdict v = d.pick(d.a, d.b, d.c);
  EXPECT_TRUE(v.valid) << v.fault;
  EXPECT_EQ(v.dag_cost, 7);
  EXPECT_EQ(v.tree_cost, 11);
  EXPECT_EQ(v.classes, 3u);
}

TEST(Check, FindsCycles) {
  const Diamond d;
  EXPECT_NE(d.pick(d.a, d.up, d.c).fault.find("cycle"), std::string::npos);
  EXPECT_NE(d.pick(d.a, d.b, d.back).fault.find("cycle"), std::string::npos);
}

TEST(Check, FindsSelfLoops) {
  ProblemBuilder builder;
  const ClassId c = builder.add_class();
  const NodeId n = builder.add_node(c, 1, std::vector{c});
  builder.add_root(c);
  const Problem problem = builder.build();
  Selection s(1);
  s.pick(c, n);
  EXPECT_FALSE(check(problem, s).valid);
}

TEST(Check, FindsMissingAndForeignPicks) {
  const Diamond d;
  EXPECT_NE(d.pick(d.a, NodeId(), d.c).fault.find("class 1 is needed"), std::string::npos);
  EXPECT_NE(d.pick(d.a, d.c, d.c).fault.find("not one of its nodes"), std::string::npos);
  EXPECT_NE(d.pick(d.a, NodeId(77), d.c).fault.find("not one of its nodes"), std::string::npos);
  EXPECT_FALSE(check(d.problem, Selection(2)).valid);
}

TEST(Check, IgnoresWhatNoRootReaches) {
  ProblemBuilder builder;
  const ClassId root = builder.add_class();
  const ClassId other = builder.add_class();
  const NodeId leaf = builder.add_node(root, 1, {});
  const NodeId loop = builder.add_node(other, 5, std::vector{other});
  builder.add_root(root);
  const Problem problem = builder.build();
  Selection s(2);
  s.pick(root, leaf);
  s.pick(other, loop);
  const Verdict v = check(problem, s);
  EXPECT_TRUE(v.valid);
  EXPECT_EQ(v.dag_cost, 1);
}

}  // namespace
}  // namespace isomer::extract
