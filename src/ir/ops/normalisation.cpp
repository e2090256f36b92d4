// Normalisations: composites of reductions, broadcasts and pointwise operators. Their definitions are also
// what rewriting sees of them: a composite is a rule for free.
#include <fmt/format.h>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {
namespace {

Inferred same_type(const OpInstance& op) { return Inferred::ok(op.inputs[0]); }

Inferred infer_softmax(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  return same_type(op);
}

/// Operands 1.. have the shape of the trailing dimensions of x from `axis` on.
Inferred infer_trailing(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  const Shape& x = op.in_shape(0);
  if (auto bad = check_axis(op.i("axis"), x.size()); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (auto bad = check_shape(op, i, Shape(x.begin() + op.i("axis"), x.end())); !bad.empty())
      return Inferred::fail(bad);
  return same_type(op);
}

/// Operands 1.. are vectors, one entry a channel (dimension 1 of x).
Inferred infer_channels(const OpInstance& op, size_t min_rank) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  const Shape& x = op.in_shape(0);
  if (x.size() < min_rank)
    return Inferred::fail(
        fmt::format("operand 0: expected rank {} or more, got {}", min_rank, print(op.ctx, op.inputs[0])));
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (auto bad = check_shape(op, i, {x[1]}); !bad.empty()) return Inferred::fail(bad);
  return same_type(op);
}

ValueId broadcast(Builder& b, ValueId v, const Shape& shape) {
  return b.add("broadcast", {v}, {{"shape", shape}});
}

/// A vector of channels as a tensor of x's shape.
ValueId by_channel(Builder& b, ValueId v, const Shape& x) {
  std::vector<int64_t> axes;
  for (size_t i = 2; i < x.size(); ++i) axes.push_back(static_cast<int64_t>(i) - 1);
  return broadcast(b, axes.empty() ? v : b.add("unsqueeze", {v}, {{"axes", axes}}), x);
}

std::vector<int64_t> axes_from(int64_t first, size_t rank) {
  std::vector<int64_t> axes;
  for (int64_t i = first; i < static_cast<int64_t>(rank); ++i) axes.push_back(i);
  return axes;
}

ValueId reduce(Builder& b, std::string_view op, ValueId x, std::vector<int64_t> axes) {
  return b.add(op, {x}, {{"axes", std::move(axes)}, {"keepdims", int64_t{1}}});
}

/// 1 / sqrt(v + epsilon), pointwise.
ValueId inverse_root(Builder& b, ValueId v, double epsilon) {
  const ValueId shifted = b.add("add", {v, filled(b, b.type(v).dtype, epsilon, b.type(v).shape)});
  return b.add("reciprocal", {b.add("sqrt", {shifted})});
}

/// (x - mean) / sqrt(variance + epsilon) over `axes`.
ValueId standardised(Builder& b, ValueId x, const std::vector<int64_t>& axes, double epsilon) {
  const Shape shape = b.type(x).shape;
  const ValueId centred = b.add("sub", {x, broadcast(b, reduce(b, "reduce_mean", x, axes), shape)});
  const ValueId variance = reduce(b, "reduce_mean", b.add("mul", {centred, centred}), axes);
  return b.add("mul", {centred, broadcast(b, inverse_root(b, variance, epsilon), shape)});
}

/// x - max over the axis: the exponentials of what softmax and log_softmax need do not overflow.
ValueId shifted_by_max(Builder& b, const OpInstance& op, ValueId x) {
  return b.add("sub", {x, broadcast(b, reduce(b, "reduce_max", x, {op.i("axis")}), op.in_shape(0))});
}

ValueId expand_softmax(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const ValueId e = b.add("exp", {shifted_by_max(b, op, in[0])});
  return b.add("div", {e, broadcast(b, reduce(b, "reduce_sum", e, {op.i("axis")}), op.in_shape(0))});
}

ValueId expand_log_softmax(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const ValueId x = shifted_by_max(b, op, in[0]);
  const ValueId sum = reduce(b, "reduce_sum", b.add("exp", {x}), {op.i("axis")});
  return b.add("sub", {x, broadcast(b, b.add("log", {sum}), op.in_shape(0))});
}

ValueId expand_layer_norm(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const Shape& shape = op.in_shape(0);
  ValueId out = standardised(b, in[0], axes_from(op.i("axis"), shape.size()), op.f("epsilon"));
  out = b.add("mul", {out, broadcast(b, in[1], shape)});
  return in.size() < 3 ? out : b.add("add", {out, broadcast(b, in[2], shape)});
}

ValueId expand_rms_norm(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const Shape& shape = op.in_shape(0);
  const ValueId squares =
      reduce(b, "reduce_mean", b.add("mul", {in[0], in[0]}), axes_from(op.i("axis"), shape.size()));
  const ValueId x = b.add("mul", {in[0], broadcast(b, inverse_root(b, squares, op.f("epsilon")), shape)});
  return b.add("mul", {x, broadcast(b, in[1], shape)});
}

ValueId expand_batch_norm(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const Shape& shape = op.in_shape(0);
  const ValueId factor = b.add("mul", {in[1], inverse_root(b, in[4], op.f("epsilon"))});
  const ValueId centred = b.add("sub", {in[0], by_channel(b, in[3], shape)});
  return b.add("add", {b.add("mul", {centred, by_channel(b, factor, shape)}), by_channel(b, in[2], shape)});
}

ValueId expand_instance_norm(Builder& b, const OpInstance& op, std::span<const ValueId> in) {
  const Shape& shape = op.in_shape(0);
  const ValueId x = standardised(b, in[0], axes_from(2, shape.size()), op.f("epsilon"));
  return b.add("add", {b.add("mul", {x, by_channel(b, in[1], shape)}), by_channel(b, in[2], shape)});
}

/// x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta.
LoopNest lrn_nest(const OpInstance& op) {
  const int64_t size = op.i("size");
  const std::vector<int64_t> x = op.in_sizes(0);
  std::vector<IndexExpr> near = index_vars(0, static_cast<int>(x.size()));
  near[1] = near[1] + IndexExpr::var(static_cast<int>(x.size())) - (size - 1) / 2;
  LoopNest nest;
  nest.space = x;
  nest.reduce = {size};
  nest.reads = {read_guarded(0, std::move(near)), read_all(0, x.size())};
  nest.accumulators = {{scalar::read(0) * scalar::read(0), Combiner::kSum}};
  const ScalarExpr base = scalar::number(op.f("bias")) +
                          scalar::number(op.f("alpha") / static_cast<double>(size)) * scalar::acc(0);
  nest.result = scalar::read(1) / scalar::apply(ScalarOp::kPow, base, scalar::number(op.f("beta")));
  return nest;
}

OpDef normalisation(std::string name, int inputs, std::optional<int> max_inputs, std::string doc,
                    std::vector<AttrSpec> attrs, decltype(OpDef::infer) infer, decltype(OpDef::expand) expand,
                    Spelling spelling) {
  OpDef def = operation(std::move(name), MeaningKind::kComposite, inputs, max_inputs, std::move(doc),
                        std::move(attrs));
  def.infer = std::move(infer);
  def.expand = std::move(expand);
  def.spellings = {std::move(spelling)};
  return def;
}

}  // namespace

void register_normalisation(OpTable& table) {
  table.add(normalisation("softmax", 1, {}, "exp(x) / sum(exp(x)) along `axis`.", {int_attr("axis")},
                          infer_softmax, expand_softmax, onnx_irregular("Softmax", 1)));
  table.add(normalisation("log_softmax", 1, {}, "x - log(sum(exp(x))) along `axis`.", {int_attr("axis")},
                          infer_softmax, expand_log_softmax, onnx_irregular("LogSoftmax", 1)));
  table.add(normalisation("layer_norm", 2, 3,
                          "(x - mean) / sqrt(variance + epsilon) over the dimensions from `axis` on, times "
                          "scale, plus bias; both "
                          "of the shape of these dimensions.",
                          {int_attr("axis"), float_attr("epsilon", 1e-5F)}, infer_trailing, expand_layer_norm,
                          onnx_irregular("LayerNormalization", 17)));
  table.add(
      normalisation("rms_norm", 2, {},
                    "x / sqrt(mean of squares + epsilon) over the dimensions from `axis` on, times scale.",
                    {int_attr("axis"), float_attr("epsilon", 1e-5F)}, infer_trailing, expand_rms_norm,
                    onnx_irregular("RMSNormalization", 23)));
  table.add(normalisation(
      "batch_norm", 5, {},
      "(x - mean) / sqrt(var + epsilon) * scale + bias by channel (dimension 1); operands x, scale, bias, "
      "mean, "
      "var. Inference only.",
      {float_attr("epsilon", 1e-5F)}, [](const OpInstance& op) { return infer_channels(op, 2); },
      expand_batch_norm, onnx_irregular("BatchNormalization", 7)));
  table.add(normalisation(
      "instance_norm", 3, {},
      "x standardised over its spatial dimensions, times scale, plus bias, by channel.",
      {float_attr("epsilon", 1e-5F)}, [](const OpInstance& op) { return infer_channels(op, 3); },
      expand_instance_norm, onnx_irregular("InstanceNormalization", 6)));

  OpDef lrn = operation(
      "lrn", MeaningKind::kContraction, 1, {},
      "x / (bias + alpha / size * (sum of squares over `size` neighbouring channels)) ^ beta.",
      {int_attr("size"), float_attr("alpha", 1e-4F), float_attr("beta", 0.75F), float_attr("bias", 1.0F)});
  lrn.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    if (op.in_shape(0).size() < 2) return Inferred::fail("operand 0: expected a dimension of channels");
    if (op.i("size") < 1)
      return Inferred::fail(fmt::format("expected a size of at least 1, got {}", op.i("size")));
    return same_type(op);
  };
  lrn.nests = [](const OpInstance& op) { return std::vector<LoopNest>{lrn_nest(op)}; };
  lrn.spellings = {onnx("LRN", 1)};
  table.add(std::move(lrn));
}

}  // namespace isomer::ir::ops
