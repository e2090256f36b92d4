// Normalisations beside those that networks mostly have: with their statistics as results, over groups of
// channels, by a norm; and gates.
#include <fmt/format.h>

#include "ir/op_table.h"
#include "ir/ops/composed.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

ValueId widened(Compose& c, ValueId v) { return bit_width(c.dtype(v)) < 32 ? c.cast(v, DType::kF32) : v; }

struct Standard {
  ValueId value, mean, inverse;  ///< 1 / sqrt(variance + epsilon)
};

Standard standardised(Compose& c, ValueId x, const std::vector<int64_t>& axes, double epsilon) {
  const ValueId mean = c.reduce("reduce_mean", x, axes);
  const ValueId centred = c.both("sub", x, mean);
  const ValueId variance = c.reduce("reduce_mean", c.call("mul", {centred, centred}), axes);
  const ValueId inverse = c.call("reciprocal", {c.call("sqrt", {c.with("add", variance, epsilon)})});
  return {c.both("mul", centred, inverse), mean, inverse};
}

OpDef layer_norm_statistics() {
  OpDef def = composed(
      "layer_norm_statistics", 2, 3,
      "A triple: `layer_norm` (operands x, scale, optional bias), the mean and 1 / sqrt(variance + epsilon), "
      "the "
      "last two in f32 where x has 16 bits.",
      {axis_attr(), float_attr("epsilon", kEpsilon)},
      [](const OpInstance& op) {
        if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
        return check_axis(op.i("axis"), op.in_shape(0).size());
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const ValueId x = widened(c, in[0]);
        const int64_t axis = op.i("axis");
        const Standard standard = standardised(c, x, counted(c.rank(x) - axis, axis), op.f("epsilon"));
        std::vector<ValueId> operands(in.begin(), in.end());
        const ValueId normal = c.call("layer_norm", operands, {{"axis", axis}, {"epsilon", op.f("epsilon")}});
        return c.call("tuple", {normal, standard.mean, standard.inverse});
      });
  Spelling spelling = said(onnx("LayerNormalization", 17),
                           {{.ours = "axis", .unsaid = -1},
                            {.name = "stash_type", .unsaid = 1, .why = "it computes in another type"}});
  spelling.results = {0, 1, 2};
  def.spellings = {std::move(spelling)};
  return def;
}

OpDef group_norm() {
  OpDef def = composed(
      "group_norm", 3, {},
      "(x - mean) / sqrt(variance + epsilon) over each of `groups` of channels, times scale, plus bias along "
      "channels: x [N, C, ..], scale and bias [C].",
      {int_attr("groups"), float_attr("epsilon", kEpsilon)},
      [](const OpInstance& op) {
        if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
        const Shape& x = op.in_shape(0);
        if (x.size() < 3) return "operand 0: expected [N, C, ..], got " + print_shape(op.ctx, x);
        for (Dim d : x)
          if (!d.is_static()) return std::string("operand 0: expected known sizes");
        const int64_t groups = op.i("groups");
        if (groups < 1 || x[1].size() % groups != 0)
          return fmt::format("expected groups that divide {} channels, got {}", x[1].size(), groups);
        for (size_t i : {1, 2})
          if (auto bad = check_shape(op, i, {x[1]}); !bad.empty()) return bad;
        return std::string();
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const Shape whole = c.shape(in[0]);
        const int64_t groups = op.i("groups");
        int64_t rest = 1;
        for (size_t i = 1; i < whole.size(); ++i) rest *= whole[i].size();
        const ValueId x = c.reshape(widened(c, in[0]), {whole[0], Dim(groups), Dim(rest / groups)});
        const Standard standard = standardised(c, x, {2}, op.f("epsilon"));
        const ValueId normal = c.reshape(c.cast(standard.value, c.dtype(in[0])), whole);
        const auto along = [&](ValueId v) {
          return c.unsqueeze(v, counted(static_cast<int64_t>(whole.size()) - 2, 1));
        };
        return c.both("add", c.both("mul", normal, along(in[1])), along(in[2]));
      });
  def.spellings = {said(typed(onnx("GroupNormalization", 21), {{21, kOnnxBFloats}}),
                        {{.ours = "groups", .name = "num_groups"},
                         {.name = "stash_type", .unsaid = 1, .why = "it computes in another type"}})};
  return def;
}

OpDef lp_norm() {
  OpDef def = composed(
      "lp_norm", 1, {}, "x by its p-norm along `axis` (p 1 or 2); 0 where that is 0.",
      {axis_attr(), int_attr("p", 2)},
      [](const OpInstance& op) {
        if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
        if (op.i("p") != 1 && op.i("p") != 2) return fmt::format("expected p of 1 or 2, got {}", op.i("p"));
        return check_axis(op.i("axis"), op.in_shape(0).size());
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const ValueId norm = c.reduce(op.i("p") == 1 ? "reduce_l1" : "reduce_l2", in[0], {op.i("axis")});
        const ValueId quotient = c.both("div", in[0], norm);
        return c.where(c.with("equal", norm, 0), filled(b, c.dtype(in[0]), 0, {}), quotient);
      });
  def.spellings = {said(typed(onnx("LpNormalization", 1), floats_bfloat_since(22)),
                        {{.ours = "axis", .unsaid = -1}, {.ours = "p"}})};
  return def;
}

OpDef mean_variance_norm() {
  OpDef def = composed(
      "mean_variance_norm", 1, {}, "(x - mean) / (sqrt(mean(x x) - mean mean) + 1e-9) over `axes`.",
      {ints_attr("axes", AttrRole::kAxes)},
      [](const OpInstance& op) {
        if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return bad;
        return check_axes(op.ints("axes"), op.in_shape(0).size());
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const auto mean = [&](ValueId v) { return c.reduce("reduce_mean", v, op.ints("axes")); };
        const ValueId middle = mean(in[0]);
        const ValueId variance =
            c.call("sub", {mean(c.call("mul", {in[0], in[0]})), c.call("mul", {middle, middle})});
        const ValueId deviation = c.with("add", c.call("sqrt", {variance}), 1e-9);
        return c.both("div", c.both("sub", in[0], middle), deviation);
      });
  def.spellings = {said(typed(onnx("MeanVarianceNormalization", 9), floats_bfloat_since(13)),
                        {{.ours = "axes", .unsaid = std::vector<int64_t>{0, 2, 3}}})};
  return def;
}

OpDef shrink() {
  OpDef def = composed(
      "shrink", 1, {}, "x + bias below -lambda, x - bias above lambda, 0 between.",
      {float_attr("lambda", 0.5f), float_attr("bias", 0.0f)},
      [](const OpInstance& op) { return check_operand(op, 0, Takes::kFloats); },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const double lambda = op.f("lambda"), bias = op.f("bias");
        const ValueId zero = filled(b, c.dtype(in[0]), 0, {});
        const ValueId upper = c.where(c.with("greater", in[0], lambda), c.with("sub", in[0], bias), zero);
        return c.where(c.with("less", in[0], -lambda), c.with("add", in[0], bias), upper);
      });
  def.spellings = {said(typed(onnx("Shrink", 9), {{9, kOnnxFloats}}), {{.ours = "lambda", .name = "lambd"}})};
  return def;
}

OpDef swiglu() {
  OpDef def = composed(
      "swiglu", 2, {}, "x sigmoid(alpha x) y (Shazeer 2020).", {float_attr("alpha", 1.0f)},
      [](const OpInstance& op) {
        if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return bad;
        return check_shape(op, 1, op.in_shape(0));
      },
      [](Builder& b, const OpInstance& op, Values in) {
        Compose c(b);
        const ValueId gate = c.call("sigmoid", {c.with("mul", in[0], op.f("alpha"))});
        return c.call("mul", {c.call("mul", {in[0], gate}), in[1]});
      });
  def.spellings = {typed(onnx("SwiGLU", 28), {{28, kOnnxBFloats}})};
  return def;
}

}  // namespace

void register_normalisation_further(OpTable& table) {
  table.add(layer_norm_statistics());
  table.add(group_norm());
  table.add(lp_norm());
  table.add(mean_variance_norm());
  table.add(shrink());
  table.add(swiglu());
}

}  // namespace isomer::ir::ops
