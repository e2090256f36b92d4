// docs/adding_an_op.md as a test: a scalar function is a row, an operator a declaration, and everything else
// (text, ONNX, evaluation, cost, proofs, bounds of inputs, element types) follows.
#include <gtest/gtest.h>

#include <cmath>

#include "cost/flops.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "formats/onnx.h"
#include "formats/onnx_element_types.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/elementwise.h"
#include "ir/print.h"
#include "ir/scalar_table.h"
#include "verify/equivalence.h"
#include "verify/input_ranges.h"

namespace isomer {
namespace {

double bell(double x) { return std::exp(-x * x); }

/// The one place that a new function needs.
ir::ScalarOp bell_function() {
  static const ir::ScalarOp op =
      ir::add_scalar_op({.name = "bell", .operands = 1, .of_one = bell, .flops = 16});
  return op;
}

/// The one place that a new operator needs: bell(scale x), which ONNX is taken to call Bell.
ir::OpDef bell_operator() {
  ir::OpDef def = ir::ops::operation("bell", ir::MeaningKind::kPointwise, 1, {}, "exp(-(scale x)^2).",
                                     {ir::ops::float_attr("scale", 1.0f)});
  def.infer = [](const ir::OpInstance& op) {
    const std::string bad = ir::ops::check_operand(op, 0, ir::ops::Takes::kFloats);
    return bad.empty() ? ir::Inferred::ok(op.inputs[0]) : ir::Inferred::fail(bad);
  };
  def.nests = [](const ir::OpInstance& op) {
    return ir::ops::pointwise_nest(
        op, ir::scalar::apply(bell_function(), ir::scalar::number(op.f("scale")) * ir::scalar::read(0)));
  };
  def.spellings = {ir::ops::typed(ir::ops::onnx("Bell", 7), ir::ops::floats_bfloat_since(13))};
  def.wishes = {{0, "argument of", -2, 2}};
  return def;
}

const ir::OpTable& table() {
  static const ir::OpTable made = [] {
    ir::OpTable t;
    ir::add_standard_ops(t);
    t.add(bell_operator());
    return t;
  }();
  return made;
}

ir::Graph scaled_by_operator(ir::Context& ctx, bool inside) {
  ir::Builder b(ctx, "g");
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({3}));
  const ir::ValueId x = b.input("x", type);
  if (inside) return b.finish({b.add("bell", {x}, {{"scale", 2.0}})});
  const ir::ValueId two = b.constant(ir::DType::kF32, {3}, {2, 2, 2});
  return b.finish({b.add("bell", {b.add("mul", {x, two})})});
}

class AddingAnOp : public testing::Test {
 protected:
  AddingAnOp() : ctx(table()) {}
  ir::Context ctx;
};

TEST_F(AddingAnOp, IsReadAndWrittenAsTextAndAsOnnx) {
  const ir::Graph graph = scaled_by_operator(ctx, true);
  const std::string text = ir::print(graph);
  EXPECT_NE(text.find("bell"), std::string::npos);
  EXPECT_EQ(ir::dag_hash(ir::parse_graph(ctx, text)), ir::dag_hash(graph));

  const std::string model = formats::write_onnx_bytes(graph, *formats::OnnxEnvelope::plain(graph));
  const auto back =
      formats::read_onnx_bytes(ctx, std::as_bytes(std::span(model.data(), model.size())), "bell.onnx");
  EXPECT_EQ(ir::dag_hash(back.graph), ir::dag_hash(graph)) << ir::print(back.graph);
}

TEST_F(AddingAnOp, IsEvaluatedAndPriced) {
  const ir::Graph graph = scaled_by_operator(ctx, true);
  const eval::Tensor<double> x{ir::DType::kF32, {3}, {0, 0.5, 1}, {}};
  const std::vector<eval::Value<double>> inputs = {eval::make_value(x)};
  eval::Float64 domain;
  const auto out = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs));
  ASSERT_TRUE(out[0].tensor);
  for (size_t i = 0; i < 3; ++i) EXPECT_DOUBLE_EQ(out[0].tensor->numbers[i], bell(2 * x.numbers[i]));
  EXPECT_EQ(cost::work_of(graph).flops, 3 * (16 + 1));  // the function and the product
}

TEST_F(AddingAnOp, IsProvedForAnyFunctionInItsPlace) {
  const verify::Verdict verdict =
      verify::check_equivalent(scaled_by_operator(ctx, true), scaled_by_operator(ctx, false));
  EXPECT_EQ(verdict.kind, verify::VerdictKind::kProved) << verify::summary(verdict);
  EXPECT_EQ(verdict.uninterpreted, std::vector<std::string>{"bell"});
}

TEST_F(AddingAnOp, SaysWhatItsOperandShouldBeAndWhichTypesOnnxTakes) {
  const ir::Graph graph = scaled_by_operator(ctx, true);
  const auto ranges = verify::infer_input_ranges(graph);
  EXPECT_EQ(ranges[0].low, -2);
  EXPECT_EQ(ranges[0].high, 2);
  const ir::ValueId node(1);
  const ir::TypeId half = ctx.tensor_type(ir::DType::kBF16, ir::static_shape({3}));
  const std::vector<ir::TypeId> types = {half};
  const ir::OpInstance op(ctx, graph.def(node), graph.attrs(node), types, half);
  EXPECT_FALSE(formats::takes_element_type(op, 12));
  EXPECT_TRUE(formats::takes_element_type(op, 13));
}

}  // namespace
}  // namespace isomer
