// What cannot be written is not extracted; what an operator set has no name for is written in others that say
// the same.
#include "recipes/spellable.h"

#include <gtest/gtest.h>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

size_t count(const ir::Graph& graph, std::string_view op) {
  size_t n = 0;
  for (size_t i = 0; i < graph.size(); ++i) n += graph.def(ir::ValueId(i)).name == op;
  return n;
}

TEST(Spellable, OldOperatorSetsGetTheWordsInstead) {
  for (const char* op :
       {R"(gelu{approximate="none"}(%0))", R"(gelu{approximate="tanh"}(%0))", "hard_swish(%0)", "mish(%0)",
        "silu(%0)", "layer_norm{axis=1, epsilon=0.5}(%0, %1)", "layer_norm{axis=1, epsilon=0.5}(%0, %1, %1)",
        "rms_norm{axis=1, epsilon=0.5}(%0, %1)"}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, std::string("graph g {\n") +
                                                     "  %0 = input{name=\"x\"} : f32[2,6]\n"
                                                     "  %1 = input{name=\"g\"} : f32[6]\n  %2 = " +
                                                     op + " : f32[2,6]\n  return %2\n}");
    const std::string name = graph.def(ir::ValueId(2)).name;
    constexpr int64_t kOpset = 13;
    EXPECT_EQ(formats::unspellable(graph, kOpset), "") << op;
    const std::string bytes = formats::write_onnx_bytes(graph, *formats::OnnxEnvelope::plain(graph, kOpset));
    const ir::Graph back = formats::read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test.onnx").graph;
    EXPECT_EQ(count(back, name), 0u) << op;
    EXPECT_EQ(count(back, "opaque"), 0u) << op;
    const verify::Verdict verdict = verify::check_equivalent(graph, back);
    EXPECT_TRUE(verdict.equivalent()) << op << ": " << verify::summary(verdict);
  }
}

TEST(Spellable, NumbersThatAnAttributeOf32BitsCannotHoldAreNotAttributesOfDoubles) {
  const auto norms_of = [](const std::string& dtype, const std::string& epsilon) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, "graph g {\n  %0 = input{name=\"x\"} : " + dtype +
                                                     "[2,6]\n  %1 = input{name=\"g\"} : " + dtype +
                                                     "[6]\n  %2 = layer_norm{axis=1, epsilon=" + epsilon +
                                                     "}(%0, %1) : " + dtype + "[2,6]\n  return %2\n}");
    const std::string bytes = formats::write_onnx_bytes(graph, *formats::OnnxEnvelope::plain(graph, 17));
    return count(formats::read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test.onnx").graph,
                 "layer_norm");
  };
  EXPECT_EQ(norms_of("f64", "1e-5"), 0u);
  EXPECT_EQ(norms_of("f64", "0.5"), 1u);
  EXPECT_EQ(norms_of("f32", "1e-5"), 1u);
}

TEST(Spellable, RefusesBroadcastsThatNothingImplies) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
    %0 = input{name="x"} : f32[batch,4]
    %1 = weight{name="a"} : f32[4]
    %2 = broadcast{shape=[batch,4]}(%1) : f32[batch,4]
    %3 = add(%0, %2) : f32[batch,4]
    return %3
  })");
  rewrite::TensorEGraph program(graph);
  rewrite::EGraph& g = program.graph();
  const auto op = [&](std::string_view name) { return ctx.ops().at(name).v; };
  const egraph::ClassId x = g.class_of(g.nodes_with_op(op("input"))[0]);
  const egraph::ClassId wide = g.class_of(g.nodes_with_op(op("broadcast"))[0]);
  const ir::PayloadId none = ctx.intern(std::vector<ir::AttrId>{});
  const auto node = [&](std::string_view name, std::vector<egraph::ClassId> children) {
    return g.add_node(op(name), none.v, children);
  };
  const egraph::NodeId implied = node("mul", {x, wide});    // x has the shape
  const egraph::NodeId folded = node("mul", {wide, wide});  // a constant without a size
  const egraph::NodeId alone = node("tanh", {wide});
  g.rebuild();
  const auto can = spellable(program, 17);
  EXPECT_TRUE(can(implied));
  EXPECT_FALSE(can(folded));
  EXPECT_FALSE(can(alone));
}

}  // namespace
}  // namespace isomer::recipes
