// Parts of a program: where classes belong does not depend on which of their nodes names them.
#include "problems/regions.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::problems {
namespace {

using egraph::ClassId;

constexpr const char* kChain = R"(graph chain {
  %0 = input{name="x"} : f32[4]
  %1 = relu(%0) : f32[4]
  %2 = tanh(%1) : f32[4]
  %3 = exp(%2) : f32[4]
  %4 = neg(%3) : f32[4]
  return %4
})";

ClassId add(rewrite::EGraph& g, const ir::Context& ctx, const char* op, ClassId operand) {
  const ClassId operands[] = {operand};
  const uint32_t no_attributes = g.payload(g.nodes_in(operand).front());
  return g.class_of(g.add_node(ctx.ops().find(op).v, no_attributes, operands));
}

// A class that has grown to more nodes than the one that it merges with gives its name to both, although its
// nodes are later ones.
TEST(Regions, AGrownEGraphHasItsClassesWhereTheFirstNodesAre) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kChain);
  rewrite::TensorEGraph program(graph);
  rewrite::EGraph& g = program.graph();
  const ClassId old = program.roots()[0], operand = g.children(g.nodes_in(old).front())[0];
  const ClassId a = add(g, ctx, "sin", operand), b = add(g, ctx, "cos", operand);
  g.unite(a, b);
  g.rebuild();
  g.unite(old, a);
  g.rebuild();
  const ClassId last = program.roots()[0];
  ASSERT_GT(last, old);

  Regions regions(g, 2);
  std::vector<uint32_t> at_first;
  g.for_each_class([&](ClassId c) { at_first.push_back(regions.of(c)); });
  EXPECT_EQ(regions.of(last), 1u);
  regions.settle(g);
  std::vector<uint32_t> settled;
  g.for_each_class([&](ClassId c) { settled.push_back(regions.of(c)); });
  EXPECT_EQ(settled, at_first);
}

}  // namespace
}  // namespace isomer::problems
