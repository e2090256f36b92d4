#include "ir/ops/older_words.h"

#include <cmath>
#include <numbers>
#include <numeric>
#include <string_view>
#include <vector>

namespace isomer::ir::ops {
namespace {

class Words {
 public:
  explicit Words(Builder& builder) : b_(builder) {}

  ValueId call(std::string_view op, std::vector<ValueId> in) { return b_.add(op, std::move(in)); }
  /// op(x, number), of x's type.
  ValueId with(std::string_view op, ValueId x, double number) {
    return call(op, {x, like(x, b_.constant(b_.type(x).dtype, {}, std::vector<double>{number}))});
  }
  ValueId like(ValueId x, ValueId v) {
    return b_.type(v).shape == b_.type(x).shape ? v : b_.add("broadcast", {v}, {{"shape", b_.type(x).shape}});
  }
  ValueId mean(ValueId x, const std::vector<int64_t>& axes) {
    return b_.add("reduce_mean", {x}, {{"axes", axes}, {"keepdims", int64_t{1}}});
  }

 private:
  Builder& b_;
};

}  // namespace

ValueId older_gelu(Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
  Words w(builder);
  const ValueId x = in[0];
  if (op.s("approximate") == "tanh") {
    const ValueId cubic = w.call("add", {x, w.with("mul", w.with("pow", x, 3), 0.044715)});
    const ValueId inner = w.with("mul", cubic, std::sqrt(2 * std::numbers::inv_pi));
    return w.call("mul", {w.with("mul", x, 0.5), w.with("add", w.call("tanh", {inner}), 1)});
  }
  const ValueId erf = w.call("erf", {w.with("div", x, std::numbers::sqrt2)});
  return w.with("mul", w.call("mul", {x, w.with("add", erf, 1)}), 0.5);
}

ValueId older_hard_swish(Builder& builder, const OpInstance&, std::span<const ValueId> in) {
  const ValueId gate =
      builder.add("hard_sigmoid", {in[0]}, {{"alpha", static_cast<double>(1 / 6.0F)}, {"beta", 0.5}});
  return builder.add("mul", {in[0], gate});
}

ValueId older_mish(Builder& builder, const OpInstance&, std::span<const ValueId> in) {
  Words w(builder);
  return w.call("mul", {in[0], w.call("tanh", {w.call("softplus", {in[0]})})});
}

ValueId older_layer_norm(Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
  if (bit_width(op.in_dtype(0)) < 32) return op.op.expand(builder, op, in);
  Words w(builder);
  std::vector<int64_t> axes(op.in_shape(0).size() - static_cast<size_t>(op.i("axis")));
  std::iota(axes.begin(), axes.end(), op.i("axis"));
  const ValueId centred = w.call("sub", {in[0], w.like(in[0], w.mean(in[0], axes))});
  const ValueId variance = w.mean(w.with("pow", centred, 2), axes);
  const ValueId deviation = w.call("sqrt", {w.with("add", variance, op.f("epsilon"))});
  const ValueId normal = w.call("div", {centred, w.like(centred, deviation)});
  const ValueId scaled = w.call("mul", {normal, w.like(normal, in[1])});
  return in.size() == 2 ? scaled : w.call("add", {scaled, w.like(scaled, in[2])});
}

ValueId older_rms_norm(Builder& builder, const OpInstance& op, std::span<const ValueId> in) {
  if (bit_width(op.in_dtype(0)) < 32) return op.op.expand(builder, op, in);
  Words w(builder);
  std::vector<int64_t> axes(op.in_shape(0).size() - static_cast<size_t>(op.i("axis")));
  std::iota(axes.begin(), axes.end(), op.i("axis"));
  const ValueId mean = w.mean(w.with("pow", in[0], 2), axes);
  const ValueId root = w.call("sqrt", {w.with("add", mean, op.f("epsilon"))});
  return w.call("mul", {w.call("div", {in[0], w.like(in[0], root)}), w.like(in[0], in[1])});
}

}  // namespace isomer::ir::ops
