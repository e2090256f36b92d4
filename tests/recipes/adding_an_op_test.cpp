// docs/adding_an_op.md as a test: a scalar function is a row, an element type is a row, an operator a
// declaration, and everything else (text, ONNX, rules, e-graph, extraction, evaluation, cost, proofs, machine
// code, bounds of inputs, element types) follows.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "codegen/generate.h"
#include "cost/flops.h"
#include "cost/roofline.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "formats/hlo_graph.h"
#include "formats/onnx.h"
#include "ir/dag_hash.h"
#include "ir/float_bits.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/elementwise.h"
#include "ir/print.h"
#include "ir/scalar_table.h"
#include "native/program.h"
#include "passes/program_writer.h"
#include "recipes/agreement.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "rewrite/tensor_extract.h"
#include "support/errors.h"
#include "verify/equivalence.h"
#include "verify/input_ranges.h"

namespace isomer {
namespace {

double bell(double x) { return std::exp(-x * x); }

/// The one place that a new function needs.
ir::ScalarOp bell_function() {
  const ir::ScalarExpr x = ir::scalar::read(0);
  static const ir::ScalarOp op =
      ir::add_scalar_op({.name = "bell",
                         .operands = 1,
                         .of_one = bell,
                         .flops = 16,
                         .arbitrary = "bell",
                         .outside_lax = "a bell",
                         .code = ir::CodeForm::expression(ir::scalar::apply(ir::ScalarOp::kExp, -(x * x)))});
  return op;
}

/// The one place that a new element type needs: a float of 8 bits, of no format's name.
ir::DType small_float() {
  static const ir::DType dtype = ir::add_dtype({.name = "f8e3m4b3",
                                                .bits = 8,
                                                .kind = ir::DTypeKind::kFloat,
                                                .computed = true,
                                                .format = {3, 4, 3, 15.5},
                                                .tolerance = 0.2,
                                                .usual = {-2, 2}});
  return dtype;
}

/// The one place that a new operator needs: bell(scale x), which ONNX is taken to call Bell, with an
/// attribute `factor` that is an input from operator set 13 on.
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
  def.spellings = {
      ir::ops::said(ir::ops::typed(ir::ops::onnx("Bell", 7), ir::ops::floats_bfloat_since(13)),
                    {{.ours = "scale", .name = "factor", .input = 1, .input_since = 13, .scalar = true}})};
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

  for (const int64_t opset : {12, 13}) {
    const std::string model = formats::write_onnx_bytes(graph, *formats::OnnxEnvelope::plain(graph, opset));
    EXPECT_EQ(model.find("factor") != std::string::npos, opset == 12);
    const ir::Graph back = formats::read_onnx_bytes(ctx, std::as_bytes(std::span(model)), "bell.onnx").graph;
    EXPECT_EQ(ir::dag_hash(back), ir::dag_hash(graph)) << ir::print(back);
  }
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
  EXPECT_FALSE(formats::can_spell(op, 12));
  EXPECT_TRUE(formats::can_spell(op, 13));
}

/// True of any function: a factor that is a constant is the operator's own.
constexpr const char* kFactors = R"(rule bell-takes-factors {
  dtypes f32;
  (bell{scale=?s} (mul ?x ?v)) => (bell{scale=?s * splat(?v)} ?x);
})";
/// True of this one, which is even.
constexpr const char* kEven =
    "rule bell-is-even { dtypes f32; (bell{scale=?s} (neg ?x)) => (bell{scale=?s} ?x); }";
/// Of any operator, in any type.
constexpr const char* kTwice = R"(rule transposed-twice {
  (transpose{perm=?p} (transpose{perm=?q} ?x)) => ?x;
  if is_identity(compose(?q, ?p));
})";

/// The cheapest program that the rules find.
ir::Graph rewritten(const ir::Graph& graph, const std::string& rules) {
  const rewrite::RuleSet set = rewrite::parse_rules(table(), rules, "test");
  rewrite::TensorEGraph program(graph);
  rewrite::Saturation saturation(program, set);
  EXPECT_EQ(saturation.run({}).stop_reason, StopReason::kSaturated);
  cost::RooflineCost model({"even", 1e9, 1e9, 1e-3, "made up"});
  const auto found = rewrite::extract(program, saturation.alternatives(), model, {});
  EXPECT_TRUE(found.found);
  return found.graph;
}

std::vector<std::string> operators_of(const ir::Graph& graph) {
  std::vector<std::string> out;
  for (size_t i = 0; i < graph.size(); ++i) out.push_back(graph.def(ir::ValueId(i)).name);
  return out;
}

TEST_F(AddingAnOp, RulesOnItAreChecked) {
  const auto verdict_of = [&](const char* rule) {
    return to_string(rewrite::check_rule(ctx, rewrite::parse_rules(table(), rule, "test").rules[0]));
  };
  EXPECT_EQ(verdict_of(kFactors), "identity");
  EXPECT_EQ(verdict_of(kEven), "tested");
  EXPECT_EQ(
      verdict_of("rule bell-is-odd { dtypes f32; (bell{scale=?s} (neg ?x)) => (neg (bell{scale=?s} ?x)); }"),
      "refuted");
}

/// Read from what is written of it.
ir::Graph through_onnx(ir::Context& ctx, const ir::Graph& graph) {
  const std::string model = formats::write_onnx_bytes(graph, *formats::OnnxEnvelope::plain(graph, 13));
  return formats::read_onnx_bytes(ctx, std::as_bytes(std::span(model)), "bell.onnx").graph;
}

TEST_F(AddingAnOp, IsReadRewrittenExtractedVerifiedWrittenAndCompiled) {
  const ir::Graph graph = through_onnx(ctx, scaled_by_operator(ctx, false));
  const ir::Graph found = rewritten(graph, std::string(kFactors) + kEven + kTwice);
  EXPECT_EQ(operators_of(found), (std::vector<std::string>{"input", "bell"})) << ir::print(found);
  EXPECT_EQ(verify::check_equivalent(graph, found).kind, verify::VerdictKind::kProved);

  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  native::Program compiled(codegen::generate(through_onnx(ctx, found)), ctx);
  const std::vector<float> x = {0, -0.5, 1.25};
  std::vector<float> y(3);
  const void* in[] = {x.data()};
  void* out[] = {y.data()};
  compiled.run(in, out);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(y[i], bell(2.0 * x[i]), 1e-6);
}

TEST_F(AddingAnOp, IsWrittenAsHloByItsRowsExpression) {
  const ir::Graph back = formats::hlo_graph(ctx, passes::module_of(scaled_by_operator(ctx, true)));
  const eval::Tensor<double> x{ir::DType::kF32, {3}, {0, -0.5, 1.25}, {}};
  const std::vector<eval::Value<double>> inputs = {eval::make_value(x)};
  eval::Float64 domain;
  const auto out = eval::evaluate(domain, back, std::span<const eval::Value<double>>(inputs));
  ASSERT_TRUE(out[0].tensor);
  for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(out[0].tensor->numbers[i], bell(2 * x.numbers[i]), 1e-6);
}

/// Empty where it is compiled.
std::string why_not_compiled(const ir::Graph& graph) {
  try {
    native::Program(codegen::generate(graph), graph.context());
  } catch (const InputError& e) {
    return e.what();
  }
  return {};
}

TEST_F(AddingAnOp, AFunctionThatSaysNoCodeIsNotCompiled) {
  static const ir::ScalarOp bump = ir::add_scalar_op({.name = "bump",
                                                      .operands = 1,
                                                      .of_one = bell,
                                                      .flops = 16,
                                                      .arbitrary = "bump",
                                                      .outside_lax = "a bump",
                                                      .code = ir::CodeForm::none()});
  ir::OpTable with_bump;
  ir::add_standard_ops(with_bump);
  ir::OpDef def = bell_operator();
  def.name = "bump";
  def.nests = [](const ir::OpInstance& op) {
    return ir::ops::pointwise_nest(op, ir::scalar::apply(bump, ir::scalar::read(0)));
  };
  with_bump.add(std::move(def));
  ir::Context own(with_bump);
  ir::Builder b(own, "g");
  const ir::ValueId x = b.input("x", own.tensor_type(ir::DType::kF32, ir::static_shape({3})));
  const ir::Graph graph = b.finish({b.add("bump", {x})});
  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(why_not_compiled(graph), "no code is generated for the function bump yet");
}

/// bell(cast(x)), computed in the new type, and cast back.
ir::Graph in_small_float(ir::Context& ctx) {
  ir::Builder b(ctx, "g");
  const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, ir::static_shape({4})));
  const ir::ValueId small = b.add("cast", {x}, {{"to", static_cast<int64_t>(small_float())}});
  const ir::ValueId bell =
      b.add("bell", {b.add("add", {small, b.constant(small_float(), {4}, {1, 0, 0, 0})})});
  return b.finish({b.add("cast", {bell}, {{"to", static_cast<int64_t>(ir::DType::kF32)}}), small});
}

TEST_F(AddingAnOp, ANewElementTypeIsReadAndWrittenAsText) {
  const ir::Graph graph = in_small_float(ctx);
  const std::string text = ir::print(graph);
  EXPECT_NE(text.find("f8e3m4b3[4]"), std::string::npos) << text;
  EXPECT_EQ(ir::dag_hash(ir::parse_graph(ctx, text)), ir::dag_hash(graph));
}

TEST_F(AddingAnOp, ANewElementTypeIsEvaluatedPricedAndCompared) {
  const ir::Graph graph = in_small_float(ctx);
  const std::vector<eval::Value<double>> inputs = {
      eval::make_value(eval::Tensor<double>{ir::DType::kF32, {4}, {0, 1.03, -0.3, 15.9}, {}})};
  eval::Float64 domain;
  const auto out = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs));
  const std::vector<double> small = {0, 1, -0.296875, std::numeric_limits<double>::infinity()};
  EXPECT_EQ(out[1].tensor->numbers, small);
  EXPECT_EQ(cost::bytes_of(ctx, graph.type_id(graph.outputs()[1])), 4);
  EXPECT_EQ(recipes::tolerance_for(graph, 1e-4), 0.2);
  EXPECT_EQ(verify::check_equivalent(graph, in_small_float(ctx)).kind, verify::VerdictKind::kProved);
}

TEST_F(AddingAnOp, ANewElementTypeIsRewrittenExtractedAndVerified) {
  ir::Builder b(ctx, "g");
  const ir::ValueId x = b.input("x", ctx.tensor_type(small_float(), ir::static_shape({4, 3})));
  const std::vector<ir::NamedAttr> turned = {{"perm", std::vector<int64_t>{1, 0}}};
  const ir::ValueId twice = b.add("transpose", {b.add("transpose", {x}, turned)}, turned);
  const ir::Graph graph = b.finish({b.add("bell", {twice})});
  const ir::Graph found = rewritten(graph, kTwice);
  EXPECT_EQ(operators_of(found), (std::vector<std::string>{"input", "bell"})) << ir::print(found);
  EXPECT_EQ(found.type(found.outputs()[0]).dtype, small_float());
  EXPECT_TRUE(verify::check_equivalent(graph, found).equivalent());
}

TEST_F(AddingAnOp, ANewElementTypeIsCompiled) {
  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  const ir::Graph graph = in_small_float(ctx);
  native::Program compiled(codegen::generate(graph), ctx);
  const std::vector<float> x = {0, 1.03F, -0.3F, 15.9F};
  std::vector<float> y(4);
  std::vector<uint8_t> small(4);
  const void* in[] = {x.data()};
  void* out[] = {y.data(), small.data()};
  compiled.run(in, out);
  const ir::FloatFormat& format = ir::row(small_float()).format;
  const auto rounded = [&](double v) { return ir::round_float(format, v); };
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(ir::decode_float(format, small[i]), rounded(x[i]));
    EXPECT_EQ(y[i], rounded(bell(rounded(rounded(x[i]) + (i == 0 ? 1 : 0)))));
  }
}

TEST_F(AddingAnOp, AnElementTypeThatIsNoFloatOfWholeBytesIsNotCompiled) {
  ir::Builder b(ctx, "g");
  const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, ir::static_shape({4})));
  const ir::Graph graph = b.finish({b.add("cast", {x}, {{"to", static_cast<int64_t>(ir::DType::kF8E8M0)}})});
  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  EXPECT_EQ(why_not_compiled(graph), "no code is generated for elements of type f8e8m0 yet");
}

TEST_F(AddingAnOp, AnElementTypeThatOnnxHasNotIsNotWrittenThere) {
  const ir::Graph graph = in_small_float(ctx);
  const ir::ValueId cast(1);
  const std::vector<ir::TypeId> types = {graph.type_id(graph.operands(cast)[0])};
  const ir::OpInstance op(ctx, graph.def(cast), graph.attrs(cast), types, graph.type_id(cast));
  EXPECT_FALSE(formats::can_spell(op, 21));
  EXPECT_THROW(formats::OnnxEnvelope::plain(graph), InputError);
}

}  // namespace
}  // namespace isomer
