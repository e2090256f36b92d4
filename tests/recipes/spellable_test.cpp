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

/// A slice of f32[2,7,3] in operator set 9, read again.
std::string slice_of(const std::string& attrs, const std::string& result) {
  return "graph g {\n  %0 = input{name=\"x\"} : f32[2,7,3]\n  %1 = slice{" + attrs + "}(%0) : f32[" + result +
         "]\n  return %1\n}";
}

TEST(Spellable, SlicesHaveNoStepsInOldOperatorSets) {
  constexpr int64_t kOpset = 9;
  struct Case {
    std::string attrs, result;
    size_t gathers;
  };
  for (const Case& c : {
           Case{"axes=[1], starts=[0], ends=[6], steps=[2]", "2,3,3", 0},
           Case{"axes=[1], starts=[1], ends=[7], steps=[2]", "2,3,3", 0},
           Case{"axes=[1], starts=[3], ends=[7], steps=[3]", "2,2,3", 0},
           Case{"axes=[1], starts=[2], ends=[7], steps=[3]", "2,2,3", 0},
           Case{"axes=[1], starts=[-5], ends=[99], steps=[4]", "2,2,3",
                1},  // 2 and 6: the second group is not whole
           Case{"axes=[1], starts=[0], ends=[7], steps=[2]", "2,4,3", 1},
           Case{"axes=[1], starts=[-1], ends=[-99], steps=[-1]", "2,7,3", 1},
           Case{"axes=[1], starts=[5], ends=[0], steps=[-2]", "2,3,3", 1},
           Case{"axes=[1], starts=[3], ends=[3], steps=[2]", "2,0,3", 0},
           Case{"axes=[2, 0, 1], starts=[0, 1, 1], ends=[3, 2, 6], steps=[2, 1, 2]", "1,3,2", 1},
       }) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, slice_of(c.attrs, c.result));
    ASSERT_EQ(formats::unspellable(graph, kOpset), "") << c.attrs;
    const std::string bytes = formats::write_onnx_bytes(graph, *formats::OnnxEnvelope::plain(graph, kOpset));
    const ir::Graph back = formats::read_onnx_bytes(ctx, std::as_bytes(std::span(bytes)), "test.onnx").graph;
    EXPECT_EQ(count(back, "gather"), c.gathers) << c.attrs;
    EXPECT_EQ(count(back, "opaque"), 0u) << c.attrs;
    const verify::Verdict verdict = verify::check_equivalent(graph, back);
    EXPECT_TRUE(verdict.equivalent()) << c.attrs << ": " << verify::summary(verdict);
  }
  ir::Context ctx(ir::standard_ops());
  const ir::Graph input = ir::parse_graph(ctx, R"(graph g {
    %0 = input{name="x"} : f32[n,3]
    return %0
  })");
  const auto backwards = [&](int64_t axis) {
    ir::Builder b(ctx);
    const ir::ValueId x = b.input("x", input.type_id(ir::ValueId(0)));
    const std::vector<int64_t> start = {-1}, end = {-4}, step = {-2};
    return b.finish({b.add(
        "slice", {x}, {{"axes", std::vector{axis}}, {"starts", start}, {"ends", end}, {"steps", step}})});
  };
  EXPECT_NE(formats::unspellable(backwards(0), kOpset), "") << "of an axis of unknown size";
  EXPECT_EQ(formats::unspellable(backwards(1), kOpset), "");
}

TEST(Spellable, WhatIsWrittenInOthersIsExtractedWhereTheseCanBeSaid) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
    %0 = input{name="x"} : f32[1,2,6,6]
    %1 = input{name="u"} : f32[48,2,1,1]
    %2 = winograd_conv{pads=[1, 1, 1, 1]}(%0, %1) : f32[1,3,6,6]
    %3 = shrink{lambda=0.5, bias=0.25}(%2) : f32[1,3,6,6]
    return %3
  })");
  rewrite::TensorEGraph program(graph);
  rewrite::EGraph& g = program.graph();
  const auto again = [&](std::string_view name) {  // not the program's own: another operand
    const egraph::NodeId n = g.nodes_with_op(ctx.ops().at(name).v)[0];
    std::vector<egraph::ClassId> operands(g.children(n).begin(), g.children(n).end());
    operands[0] = g.class_of(g.add_node(ctx.ops().at("relu").v, ctx.intern(std::vector<ir::AttrId>{}).v,
                                        std::vector{operands[0]}));
    return g.add_node(g.op(n), g.payload(n), operands);
  };
  const egraph::NodeId conv = again("winograd_conv"), shrink = again("shrink");
  g.rebuild();
  // Slices with steps can be said in others at all times; `where` is of operator set 9.
  for (const int64_t opset : {8, 9, 13}) {
    const auto can = spellable(program, opset);
    EXPECT_TRUE(can(conv)) << opset;
    EXPECT_EQ(can(shrink), opset >= 9) << opset;
    EXPECT_EQ(can(shrink), opset >= 9) << "asked again";
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
