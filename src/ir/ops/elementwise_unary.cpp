// Pointwise operators of one operand: a table of rows, each the scalar expression of one output element.
// Where a textbook form would overflow (softplus) the row has the form that does not.
#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ir/constant_data.h"
#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/elementwise.h"
#include "ir/ops/families.h"
#include "ir/ops/older_words.h"

namespace isomer::ir::ops {
namespace {

using scalar::number;

ScalarExpr unary(ScalarOp op, const ScalarExpr& a) { return scalar::apply(op, a); }
ScalarExpr larger(const ScalarExpr& a, const ScalarExpr& b) { return scalar::apply(ScalarOp::kMax, a, b); }
ScalarExpr smaller(const ScalarExpr& a, const ScalarExpr& b) { return scalar::apply(ScalarOp::kMin, a, b); }
ScalarExpr less(const ScalarExpr& a, const ScalarExpr& b) { return scalar::apply(ScalarOp::kLess, a, b); }
ScalarExpr exp(const ScalarExpr& a) { return unary(ScalarOp::kExp, a); }
ScalarExpr tanh(const ScalarExpr& a) { return unary(ScalarOp::kTanh, a); }
ScalarExpr negative(const ScalarExpr& a) { return unary(ScalarOp::kNeg, a); }

ScalarExpr sigmoid(const ScalarExpr& x) { return number(1) / (number(1) + exp(negative(x))); }

/// max(x, 0) + log(1 + exp(-|x|)), which does not overflow.
ScalarExpr softplus(const ScalarExpr& x) {
  const ScalarExpr small = exp(negative(unary(ScalarOp::kAbs, x)));
  return larger(x, number(0)) + unary(ScalarOp::kLog, number(1) + small);
}

ScalarExpr gelu(const OpInstance& op, const ScalarExpr& x) {
  if (op.s("approximate") == "tanh") {
    const ScalarExpr cubic = x + number(0.044715) * x * x * x;
    return number(0.5) * x * (number(1) + tanh(number(std::sqrt(2 * std::numbers::inv_pi)) * cubic));
  }
  return number(0.5) * x * (number(1) + unary(ScalarOp::kErf, x * number(std::numbers::sqrt2 / 2)));
}

ScalarExpr clip(const OpInstance& op, const ScalarExpr& x) {
  ScalarExpr out = x;
  if (op.has("min")) out = larger(out, literal(op.in_dtype(0), op.f("min")));
  if (op.has("max")) out = smaller(out, literal(op.in_dtype(0), op.f("max")));
  return out;
}

struct UnaryRow {
  std::string name;
  std::string doc;
  Takes takes;
  ScalarExpr (*element)(const OpInstance& op, const ScalarExpr& x);
  Spelling spelling;
  RangeKind range = RangeKind::kUnknown;
  std::vector<AttrSpec> attrs = {};
  std::vector<Wish> wishes = {};
  OlderWords older_words = nullptr;
  bool of_tiles = false;
};

/// Rows whose element is one scalar operator.
struct PlainRow {
  const char* name;
  ScalarOp op;
  Takes takes;
  const char* onnx;
  int since;
  std::vector<TypesSince> types = {};
  std::vector<Wish> wishes = {};
  bool of_tiles = false;
};

/// At all levels, and by that name in Mirage's files.
void for_tiles(OpDef& def) {
  def.levels = kAllLevels;
  in_mirage(def, def.name);
}

const std::vector<PlainRow>& plain_rows() {
  static const std::vector<PlainRow> rows = {
      {"neg",
       ScalarOp::kNeg,
       Takes::kNumbers,
       "Neg",
       6,
       {{7, kOnnxFloats | kOnnxSigned}, {13, kOnnxBFloats | kOnnxSigned}}},
      {"abs", ScalarOp::kAbs, Takes::kOrdered, "Abs", 6, numbers_bfloat_since_13()},
      {"sign", ScalarOp::kSign, Takes::kOrdered, "Sign", 9, numbers_bfloat_since_13()},
      {"exp", ScalarOp::kExp, Takes::kFloats, "Exp", 6, floats_bfloat_since(13), {}, true},
      {"log",
       ScalarOp::kLog,
       Takes::kFloats,
       "Log",
       6,
       floats_bfloat_since(13),
       {{0, "logarithm of", 0.05, 1}},
       true},
      {"sqrt",
       ScalarOp::kSqrt,
       Takes::kFloats,
       "Sqrt",
       6,
       floats_bfloat_since(13),
       {{0, "square root of", 0, 2}},
       true},
      {"erf", ScalarOp::kErf, Takes::kFloats, "Erf", 9, {{9, kOnnxFloats}, {13, kOnnxBFloats}}},
      {"tanh", ScalarOp::kTanh, Takes::kFloats, "Tanh", 6, floats_bfloat_since(13)},
      {"floor", ScalarOp::kFloor, Takes::kFloats, "Floor", 6, floats_bfloat_since(13)},
      {"ceil", ScalarOp::kCeil, Takes::kFloats, "Ceil", 6, floats_bfloat_since(13)},
      {"round", ScalarOp::kRound, Takes::kFloats, "Round", 11, floats_bfloat_since(22)},
      {"sin", ScalarOp::kSin, Takes::kFloats, "Sin", 7, floats_bfloat_since(22)},
      {"cos", ScalarOp::kCos, Takes::kFloats, "Cos", 7, floats_bfloat_since(22)},
      {"tan", ScalarOp::kTan, Takes::kFloats, "Tan", 7, floats_bfloat_since(22)},
      {"asin",
       ScalarOp::kAsin,
       Takes::kFloats,
       "Asin",
       7,
       floats_bfloat_since(22),
       {{0, "argument of", -0.9, 0.9}}},
      {"acos",
       ScalarOp::kAcos,
       Takes::kFloats,
       "Acos",
       7,
       floats_bfloat_since(22),
       {{0, "argument of", -0.9, 0.9}}},
      {"atan", ScalarOp::kAtan, Takes::kFloats, "Atan", 7, floats_bfloat_since(22)},
      {"sinh", ScalarOp::kSinh, Takes::kFloats, "Sinh", 9, floats_bfloat_since(22)},
      {"cosh", ScalarOp::kCosh, Takes::kFloats, "Cosh", 9, floats_bfloat_since(22)},
      {"asinh", ScalarOp::kAsinh, Takes::kFloats, "Asinh", 9, floats_bfloat_since(22)},
      {"acosh",
       ScalarOp::kAcosh,
       Takes::kFloats,
       "Acosh",
       9,
       floats_bfloat_since(22),
       {{0, "argument of", 1, 3}}},
      {"atanh",
       ScalarOp::kAtanh,
       Takes::kFloats,
       "Atanh",
       9,
       floats_bfloat_since(22),
       {{0, "argument of", -0.9, 0.9}}},
      {"not", ScalarOp::kNot, Takes::kBools, "Not", 1},
      {"bit_not", ScalarOp::kBitNot, Takes::kIntegers, "BitwiseNot", 18},
  };
  return rows;
}

std::vector<UnaryRow> unary_rows() {
  using Op = const OpInstance&;
  using X = const ScalarExpr&;
  return {
      {"reciprocal",
       "1 / x.",
       Takes::kFloats,
       [](Op, X x) { return number(1) / x; },
       typed(onnx("Reciprocal", 6), floats_bfloat_since(13)),
       RangeKind::kReciprocal,
       {},
       {{0, "reciprocal of", 0.5, 2}}},
      {"sigmoid",
       "1 / (1 + exp(-x)).",
       Takes::kFloats,
       [](Op, X x) { return sigmoid(x); },
       typed(onnx("Sigmoid", 6), floats_bfloat_since(13)),
       RangeKind::kUnit,
       {},
       {},
       nullptr,
       true},
      {"relu",
       "max(x, 0).",
       Takes::kOrdered,
       [](Op op, X x) { return larger(x, literal(op.in_dtype(0), 0)); },
       typed(onnx("Relu", 6), {{7, kOnnxFloats}, {13, kOnnxBFloats}, {14, kOnnxBFloats | kOnnxSigned}}),
       RangeKind::kRelu,
       {},
       {},
       nullptr,
       true},
      {"softplus", "log(1 + exp(x)).", Takes::kFloats, [](Op, X x) { return softplus(x); },
       typed(onnx("Softplus", 1), floats_bfloat_since(22)), RangeKind::kNotNegative},
      {"softsign", "x / (1 + |x|).", Takes::kFloats,
       [](Op, X x) { return x / (number(1) + unary(ScalarOp::kAbs, x)); },
       typed(onnx("Softsign", 1), floats_bfloat_since(22)), RangeKind::kSine},
      {"mish",
       "x tanh(softplus(x)).",
       Takes::kFloats,
       [](Op, X x) { return x * tanh(softplus(x)); },
       typed(onnx("Mish", 18), floats_bfloat_since(22)),
       RangeKind::kNarrow,
       {},
       {},
       older_mish},
      {"hard_swish",
       "x max(0, min(1, x/6 + 1/2)).",
       Takes::kFloats,
       [](Op, X x) { return x * larger(number(0), smaller(number(1), x / number(6) + number(0.5))); },
       typed(onnx("HardSwish", 14), floats_bfloat_since(22)),
       RangeKind::kNarrow,
       {},
       {},
       older_hard_swish},
      {"leaky_relu",
       "x where x >= 0, else alpha x.",
       Takes::kFloats,
       [](Op op, X x) { return scalar::select(less(x, number(0)), number(op.f("alpha")) * x, x); },
       typed(onnx("LeakyRelu", 6), floats_bfloat_since(16)),
       RangeKind::kUnknown,
       {float_attr("alpha", 0.01f)}},
      {"elu",
       "x where x >= 0, else alpha (exp(x) - 1).",
       Takes::kFloats,
       [](Op op, X x) {
         return scalar::select(less(x, number(0)), number(op.f("alpha")) * (exp(x) - number(1)), x);
       },
       typed(onnx("Elu", 6), floats_bfloat_since(22)),
       RangeKind::kUnknown,
       {float_attr("alpha", 1.0f)}},
      {"celu",
       "max(0, x) + min(0, alpha (exp(x / alpha) - 1)).",
       Takes::kFloats,
       [](Op op, X x) {
         const ScalarExpr alpha = number(op.f("alpha"));
         return larger(number(0), x) + smaller(number(0), alpha * (exp(x / alpha) - number(1)));
       },
       typed(onnx("Celu", 12), {{12, dtype_set(DType::kF32)}, {28, kOnnxBFloats}}),
       RangeKind::kUnknown,
       {float_attr("alpha", 1.0f)}},
      {"selu",
       "gamma x where x > 0, else gamma (alpha exp(x) - alpha).",
       Takes::kFloats,
       [](Op op, X x) {
         const ScalarExpr alpha = number(op.f("alpha"));
         return number(op.f("gamma")) * scalar::select(less(number(0), x), x, alpha * exp(x) - alpha);
       },
       typed(onnx("Selu", 6), floats_bfloat_since(22)),
       RangeKind::kUnknown,
       {float_attr("alpha", 1.67326319217681884765625f), float_attr("gamma", 1.05070102214813232421875f)}},
      {"thresholded_relu",
       "x where x > alpha, else 0.",
       Takes::kFloats,
       [](Op op, X x) { return scalar::select(less(number(op.f("alpha")), x), x, number(0)); },
       typed(onnx("ThresholdedRelu", 10), floats_bfloat_since(22)),
       RangeKind::kUnknown,
       {float_attr("alpha", 1.0f)}},
      {"hard_sigmoid",
       "max(0, min(1, alpha x + beta)).",
       Takes::kFloats,
       [](Op op, X x) {
         return larger(number(0), smaller(number(1), number(op.f("alpha")) * x + number(op.f("beta"))));
       },
       typed(onnx("HardSigmoid", 6), floats_bfloat_since(22)),
       RangeKind::kUnit,
       {float_attr("alpha", 0.2f), float_attr("beta", 0.5f)}},
  };
}

OpDef pointwise(std::string name, std::string doc, Takes set, std::vector<AttrSpec> attrs) {
  OpDef def = operation(std::move(name), MeaningKind::kPointwise, 1, {}, std::move(doc), std::move(attrs));
  def.infer = [set](const OpInstance& op) {
    const std::string bad = check_operand(op, 0, set);
    return bad.empty() ? Inferred::ok(op.inputs[0]) : Inferred::fail(bad);
  };
  return def;
}

/// Bounds that the element type of an integer tensor, or one of 16 bits, does not hold would be other bounds
/// when written out.
bool holds(DType dtype, double bound) {
  if (is_float(dtype)) return bit_width(dtype) > 16 || std::isnan(bound) || round_to(dtype, bound) == bound;
  constexpr double kExact = 0x1.0p53;
  if (std::floor(bound) != bound || std::abs(bound) > kExact) return false;
  const auto integer = static_cast<int64_t>(bound);
  return wrap_to(dtype, integer) == integer;
}

OpDef clip_def() {
  OpDef def =
      pointwise("clip",
                "min(max(x, min), max), either bound absent; bounds of integers and of 16-bit floats are "
                "values of the element type.",
                Takes::kOrdered, {optional_float_attr("min"), optional_float_attr("max")});
  def.infer = [plain = def.infer](const OpInstance& op) {
    for (const char* bound : {"min", "max"})
      if (op.has(bound) && op.type(0).is_tensor() && !holds(op.in_dtype(0), op.f(bound)))
        return Inferred::fail(fmt::format("expected {} among the values of {}, got {}", bound,
                                          name(op.in_dtype(0)), op.f(bound)));
    return plain(op);
  };
  def.nests = [](const OpInstance& op) { return pointwise_nest(op, clip(op, scalar::read(0))); };
  def.spellings = {said(typed(onnx("Clip", 6), numbers_integers_since_12()),
                        {{.ours = "min", .input = 1, .input_since = 11, .scalar = true},
                         {.ours = "max", .input = 2, .input_since = 11, .scalar = true}})};
  def.range = RangeKind::kClip;
  return def;
}

OpDef is_special(const char* name, const char* doc, ScalarOp test, Spelling spelling) {
  OpDef def = operation(name, MeaningKind::kPointwise, 1, {}, doc);
  def.infer = [](const OpInstance& op) {
    const std::string bad = check_operand(op, 0, Takes::kFloats);
    return bad.empty() ? Inferred::ok(op.ctx.tensor_type(DType::kBool, op.in_shape(0))) : Inferred::fail(bad);
  };
  def.nests = [test](const OpInstance& op) { return pointwise_nest(op, unary(test, scalar::read(0))); };
  def.spellings = {std::move(spelling)};
  return def;
}

}  // namespace

void register_elementwise_unary(OpTable& table) {
  for (const PlainRow& row : plain_rows()) {
    OpDef def = pointwise(row.name, fmt::format("{} of each element.", row.onnx), row.takes, {});
    def.nests = [op = row.op](const OpInstance& at) {
      return pointwise_nest(at, unary(op, scalar::read(0)));
    };
    def.spellings = {typed(onnx(row.onnx, row.since), row.types)};
    def.element = row.op;
    def.wishes = row.wishes;
    if (row.takes == Takes::kBools) def.elements = {Elements::kBools};
    if (row.takes == Takes::kIntegers) def.elements = {Elements::kIntegers};
    if (row.of_tiles) for_tiles(def);
    table.add(std::move(def));
  }
  for (UnaryRow& row : unary_rows()) {
    OpDef def = pointwise(row.name, row.doc, row.takes, row.attrs);
    def.nests = [element = row.element](const OpInstance& op) {
      return pointwise_nest(op, element(op, scalar::read(0)));
    };
    def.spellings = {row.spelling};
    def.older_words = row.older_words;
    def.wishes = row.wishes;
    def.range = row.range;
    if (row.of_tiles) for_tiles(def);
    table.add(std::move(def));
  }
  OpDef gelu_def = pointwise(
      "gelu", "x/2 (1 + erf(x / sqrt 2)); approximate \"tanh\": the tanh form (Hendrycks, Gimpel 2016).",
      Takes::kFloats, {gelu_form()});
  gelu_def.nests = [](const OpInstance& op) { return pointwise_nest(op, gelu(op, scalar::read(0))); };
  const auto no_scalar = [](const OpInstance& op) {
    return op.type(0).is_ranked_tensor() && !op.in_shape(0).empty() ? "" : "its operand has no dimension";
  };
  // Where both may be said, the runtime's own.
  gelu_def.spellings = {
      refusing(said(contrib("Gelu"), {{.ours = "approximate", .implied = "none"}}), no_scalar),
      refusing(said(contrib("FastGelu"), {{.ours = "approximate", .implied = "tanh"}}), no_scalar),
      onnx("Gelu", 20)};
  gelu_def.older_words = older_gelu;
  gelu_def.range = RangeKind::kNarrow;
  for_tiles(gelu_def);
  table.add(std::move(gelu_def));
  // A composite, since ONNX before opset 24 has no name for it.
  OpDef silu = pointwise("silu", "x sigmoid(x).", Takes::kFloats, {});
  silu.kind = MeaningKind::kComposite;
  silu.range = RangeKind::kNarrow;
  silu.expand = [](Builder& b, const OpInstance&, std::span<const ValueId> in) {
    return b.add("mul", {in[0], b.add("sigmoid", {in[0]})});
  };
  silu.spellings = {said(onnx("Swish", 24), {{.name = "alpha", .unsaid = 1.0, .why = "alpha is not 1"}})};
  for_tiles(silu);
  table.add(std::move(silu));
  table.add(is_special("is_nan", "Whether x is NaN.", ScalarOp::kIsNan,
                       typed(onnx("IsNaN", 9), floats_bfloat_since(13))));
  table.add(is_special("is_inf", "Whether x is an infinity of either sign.", ScalarOp::kIsInf,
                       said(typed(onnx("IsInf", 10), {{10, dtype_set(DType::kF32) | dtype_set(DType::kF64)},
                                                      {20, kOnnxBFloats}}),
                            {{.name = "detect_negative", .unsaid = 1, .why = "it tells signs apart"},
                             {.name = "detect_positive", .unsaid = 1, .why = "it tells signs apart"}})));
  table.add(clip_def());
}

}  // namespace isomer::ir::ops
