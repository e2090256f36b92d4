// Normalisations: composites of reductions and pointwise operators with explicit broadcasts, so that what
// they are is visible to rules; `lrn`, a sum over a window of channels, is a nest of its own. 16-bit operands
// are normalised in f32, as ONNX's stash_type demands.
#include <fmt/format.h>

#include <array>
#include <numeric>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/ops/axes.h"
#include "ir/ops/declare.h"
#include "ir/ops/families.h"
#include "ir/ops/older_words.h"

namespace isomer::ir::ops {
namespace {

/// Names for the steps that the composites are written in.
class Steps {
 public:
  explicit Steps(Builder& builder) : b_(builder) {}

  ValueId call(std::string_view op, std::vector<ValueId> in) { return b_.add(op, std::move(in)); }
  const Shape& shape(ValueId v) const { return b_.type(v).shape; }
  DType dtype(ValueId v) const { return b_.type(v).dtype; }

  ValueId reduce(std::string_view op, ValueId x, const std::vector<int64_t>& axes) {
    return b_.add(op, {x}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  }
  /// By numpy's rule; nothing where the shape is that already.
  ValueId broadcast(ValueId v, const Shape& shape) {
    return b_.type(v).shape == shape ? v : b_.add("broadcast", {v}, {{"shape", shape}});
  }
  /// A vector along dimension 1 of a tensor like x.
  ValueId per_channel(ValueId vector, ValueId x) {
    std::vector<int64_t> axes(shape(x).size() - 2);
    std::iota(axes.begin(), axes.end(), 1);
    const ValueId column = axes.empty() ? vector : b_.add("unsqueeze", {vector}, {{"axes", axes}});
    return broadcast(column, shape(x));
  }
  ValueId minus(ValueId x, ValueId y) { return call("sub", {x, broadcast(y, shape(x))}); }
  ValueId plus(ValueId x, ValueId y) { return call("add", {x, broadcast(y, shape(x))}); }
  ValueId times(ValueId x, ValueId y) { return call("mul", {x, broadcast(y, shape(x))}); }
  ValueId over(ValueId x, ValueId y) { return call("div", {x, broadcast(y, shape(x))}); }
  /// sqrt(v + epsilon)
  ValueId deviation(ValueId variance, double epsilon) {
    return call("sqrt", {call("add", {variance, filled(b_, dtype(variance), epsilon, shape(variance))})});
  }
  ValueId cast(ValueId v, DType to) {
    return dtype(v) == to ? v : b_.add("cast", {v}, {{"to", static_cast<int64_t>(to)}});
  }
  /// f32 for 16-bit floats.
  ValueId widened(ValueId v) { return bit_width(dtype(v)) < 32 ? cast(v, DType::kF32) : v; }
  /// (x - mean) / sqrt(variance + epsilon) over axes.
  ValueId standardised(ValueId x, const std::vector<int64_t>& axes, double epsilon) {
    const ValueId centred = minus(x, reduce("reduce_mean", x, axes));
    const ValueId variance = reduce("reduce_mean", call("mul", {centred, centred}), axes);
    return over(centred, deviation(variance, epsilon));
  }

 private:
  Builder& b_;
};

std::vector<int64_t> axes_from(int64_t first, size_t rank) {
  std::vector<int64_t> axes(rank - static_cast<size_t>(first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

Inferred softmax_type(const OpInstance& op) {
  if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  if (auto bad = check_axis(op.i("axis"), op.in_shape(0).size()); !bad.empty()) return Inferred::fail(bad);
  return Inferred::ok(op.inputs[0]);
}

/// Up to operator set 12 softmax went over all dimensions from the axis on: the same thing only where those
/// behind are 1.
std::vector<Spelling> softmax_spellings(const char* name) {
  const auto several = [](const OpInstance& op) {
    const Shape& x = op.in_shape(0);
    const bool rest_is_one =
        op.type(0).is_ranked_tensor() && op.i("axis") < static_cast<int64_t>(x.size()) &&
        std::all_of(x.begin() + op.i("axis") + 1, x.end(), [](Dim d) { return d == Dim(1); });
    return rest_is_one ? "" : "it goes over several dimensions";
  };
  const Spelling first = typed(onnx(name, 1, 12), floats_bfloat_since(13)),
                 second = typed(onnx(name, 13), floats_bfloat_since(13));
  return {refusing(said(first, {{.ours = "axis", .unsaid = 1}}), several),
          said(second, {{.ours = "axis", .unsaid = -1}})};
}

OpDef softmax() {
  OpDef def = operation("softmax", MeaningKind::kComposite, 1, {},
                        "exp(x - max) / sum(exp(x - max)) along `axis`.", {axis_attr()});
  def.infer = softmax_type;
  def.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
    Steps s(builder);
    const std::vector<int64_t> axes = {op.i("axis")};
    const ValueId e = s.call("exp", {s.minus(in[0], s.reduce("reduce_max", in[0], axes))});
    return s.over(e, s.reduce("reduce_sum", e, axes));
  };
  def.spellings = softmax_spellings("Softmax");
  def.range = RangeKind::kUnit;
  def.any_maximum = true;
  return def;
}

OpDef log_softmax() {
  OpDef def = operation("log_softmax", MeaningKind::kComposite, 1, {},
                        "x - max - log(sum(exp(x - max))) along `axis`.", {axis_attr()});
  def.infer = softmax_type;
  def.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
    Steps s(builder);
    const std::vector<int64_t> axes = {op.i("axis")};
    const ValueId shifted = s.minus(in[0], s.reduce("reduce_max", in[0], axes));
    return s.minus(shifted, s.call("log", {s.reduce("reduce_sum", s.call("exp", {shifted}), axes)}));
  };
  def.spellings = softmax_spellings("LogSoftmax");
  def.range = RangeKind::kNotPositive;
  def.any_maximum = true;
  return def;
}

/// x and, of the shape of its dimensions from `axis` on, the other operands.
Inferred trailing_norm_type(const OpInstance& op) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  const Shape& x = op.in_shape(0);
  if (auto bad = check_axis(op.i("axis"), x.size()); !bad.empty()) return Inferred::fail(bad);
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (auto bad = check_shape(op, i, Shape(x.begin() + op.i("axis"), x.end())); !bad.empty())
      return Inferred::fail(bad);
  return Inferred::ok(op.inputs[0]);
}

std::vector<AttrSpelling> trailing_norm_rows() {
  return {{.ours = "axis", .unsaid = -1},
          {.name = "stash_type", .unsaid = 1, .why = "it computes in another type"}};
}

OpDef layer_norm() {
  OpDef def = operation(
      "layer_norm", MeaningKind::kComposite, 2, 3,
      "(x - mean) / sqrt(variance + epsilon) over the dimensions from `axis` on, times scale, plus the "
      "optional bias, both of the shape of those dimensions.",
      {axis_attr(), float_attr("epsilon", kEpsilon)});
  def.infer = trailing_norm_type;
  def.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
    Steps s(builder);
    const ValueId x = s.widened(in[0]);
    const ValueId normal = s.standardised(x, axes_from(op.i("axis"), s.shape(x).size()), op.f("epsilon"));
    const ValueId scaled = s.times(s.cast(normal, op.in_dtype(0)), in[1]);
    return in.size() == 2 ? scaled : s.plus(scaled, in[2]);
  };
  def.spellings = {said(onnx("LayerNormalization", 17), trailing_norm_rows())};
  def.spellings[0].results = {0};
  def.older_words = older_layer_norm;
  return def;
}

OpDef rms_norm() {
  OpDef def = operation(
      "rms_norm", MeaningKind::kComposite, 2, {},
      "x / sqrt(mean(x x) + epsilon) over the dimensions from `axis` on, times scale, which has the "
      "shape of those dimensions (Zhang, Sennrich 2019).",
      {axis_attr(), float_attr("epsilon", kEpsilon)});
  def.infer = trailing_norm_type;
  def.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
    Steps s(builder);
    const ValueId x = s.widened(in[0]);
    const ValueId mean =
        s.reduce("reduce_mean", s.call("mul", {x, x}), axes_from(op.i("axis"), s.shape(x).size()));
    return s.times(s.cast(s.over(x, s.deviation(mean, op.f("epsilon"))), op.in_dtype(0)), in[1]);
  };
  def.spellings = {said(onnx("RMSNormalization", 23), trailing_norm_rows())};
  def.older_words = older_rms_norm;
  return def;
}

/// x [N, C, ..] and vectors [C].
Inferred channel_norm_type(const OpInstance& op, size_t least_rank) {
  if (auto bad = check_operands(op, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
  const Shape& x = op.in_shape(0);
  if (x.size() < least_rank)
    return Inferred::fail(
        fmt::format("operand 0: expected rank {} or more, got {}", least_rank, print_shape(op.ctx, x)));
  for (size_t i = 1; i < op.inputs.size(); ++i)
    if (auto bad = check_shape(op, i, {x[1]}); !bad.empty()) return Inferred::fail(bad);
  return Inferred::ok(op.inputs[0]);
}

OpDef batch_norm() {
  OpDef def = operation(
      "batch_norm", MeaningKind::kComposite, 5, {},
      "(x - mean) / sqrt(var + epsilon) scale + bias along channels (dimension 1): x [N, C, ..], then "
      "scale, bias, mean, var [C]; inference.",
      {float_attr("epsilon", kEpsilon)});
  def.infer = [](const OpInstance& op) { return channel_norm_type(op, 2); };
  def.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
    Steps s(builder);
    const ValueId factor = s.call("div", {in[1], s.deviation(in[4], op.f("epsilon"))});  // of weights alone
    const ValueId centred = s.call("sub", {in[0], s.per_channel(in[3], in[0])});
    const ValueId scaled = s.call("mul", {centred, s.per_channel(factor, in[0])});
    return s.call("add", {scaled, s.per_channel(in[2], in[0])});
  };
  def.spellings = {said(typed(onnx("BatchNormalization", 7), floats_bfloat_since(14)),
                        {{.name = "momentum"},  // of training
                         {.name = "training_mode", .unsaid = 0, .why = "it trains"},
                         {.name = "spatial", .unsaid = 1, .why = "it has statistics for each element"}})};
  def.wishes = {{4, "variance of", 0.1, 2}};
  return def;
}

OpDef instance_norm() {
  OpDef def = operation(
      "instance_norm", MeaningKind::kComposite, 3, {},
      "(x - mean) / sqrt(variance + epsilon) over the spatial dimensions, times scale, plus bias along "
      "channels: x [N, C, d..], scale and bias [C].",
      {float_attr("epsilon", kEpsilon)});
  def.infer = [](const OpInstance& op) { return channel_norm_type(op, 3); };
  def.expand = [](Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
    Steps s(builder);
    const ValueId normal = s.standardised(in[0], axes_from(2, s.shape(in[0]).size()), op.f("epsilon"));
    return s.call("add", {s.call("mul", {normal, s.per_channel(in[1], in[0])}), s.per_channel(in[2], in[0])});
  };
  def.spellings = {typed(onnx("InstanceNormalization", 6), floats_bfloat_since(22))};
  return def;
}

OpDef lrn() {
  OpDef def = operation(
      "lrn", MeaningKind::kContraction, 1, {},
      "x / (bias + alpha / size sum of squares over `size` neighbouring channels)^beta; x [N, C, d..] "
      "(Krizhevsky, Sutskever, Hinton 2012).",
      {int_attr("size"), float_attr("alpha", 0.0001f), float_attr("beta", 0.75f), float_attr("bias", 1.0f)});
  def.infer = [](const OpInstance& op) {
    if (auto bad = check_operand(op, 0, Takes::kFloats); !bad.empty()) return Inferred::fail(bad);
    if (op.in_shape(0).size() < 3)
      return Inferred::fail("operand 0: expected rank 3 or more, got " + print_shape(op.ctx, op.in_shape(0)));
    if (op.i("size") < 1)
      return Inferred::fail(fmt::format("expected size of at least 1, got {}", op.i("size")));
    return Inferred::ok(op.inputs[0]);
  };
  def.nests = [](const OpInstance& op) {
    const int64_t size = op.i("size");
    const AxisRole near = {1, true, {size}, [size](const Axis& axis, std::vector<Read>& reads) {
                             reads[0].index.push_back(axis.at + axis.step - (size - 1) / 2);
                           }};
    const size_t rank = op.in_shape(0).size();
    LoopNest nest = nest_of(op, std::array{kept(1, {0}), near, kept(rank - 2, {0})});
    guard(nest.reads[0]);
    nest.reads.push_back(read_all(0, rank));
    nest.accumulators = {{scalar::read(0) * scalar::read(0), Combiner::kSum}};
    const ScalarExpr mean = scalar::number(op.f("alpha") / static_cast<double>(size)) * scalar::acc(0);
    nest.result = scalar::read(1) / scalar::apply(ScalarOp::kPow, scalar::number(op.f("bias")) + mean,
                                                  scalar::number(op.f("beta")));
    return std::vector<LoopNest>{std::move(nest)};
  };
  def.spellings = {typed(onnx("LRN", 1), floats_bfloat_since(13))};
  return def;
}

}  // namespace

void register_normalisation(OpTable& table) {
  table.add(softmax());
  table.add(log_softmax());
  table.add(layer_norm());
  table.add(rms_norm());
  table.add(batch_norm());
  table.add(instance_norm());
  table.add(lrn());
}

}  // namespace isomer::ir::ops
