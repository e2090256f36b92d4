// What trains: optimisers of weights (ai.onnx.preview.training) and normalisation by the batch at hand. Their
// formulas are those of ONNX's operator documentation.
#include <onnx-ml.pb.h>

#include "formats/onnx_defined.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

/// x y, and x + y, of scalars and tensors.
ValueId times(Defining& d, ValueId x, ValueId y) { return d.c.both("mul", x, y); }
ValueId plus(Defining& d, ValueId x, ValueId y) { return d.c.both("add", x, y); }
ValueId square(Defining& d, ValueId x) { return times(d, x, x); }

/// Tensors that are trained, with what belongs to each: all first ones, then all second ones, ...
class Tensors {
 public:
  Tensors(Defining& d, size_t each) : d_(d), count_(d.r.inputs() < 2 ? 0 : (d.r.inputs() - 2) / each) {
    if (count_ == 0 || 2 + count_ * each != d.r.inputs()) d.r.fail("expected as many tensors of each kind");
  }
  size_t count() const { return count_; }
  ValueId of(size_t kind, size_t i) const { return d_.r.in(2 + kind * count_ + i); }

 private:
  Defining& d_;
  size_t count_;
};

/// The gradient, with that of a penalty on large weights.
ValueId gradient(Defining& d, ValueId x, ValueId g, double norm) {
  return plus(d, g, d.c.with("mul", x, norm));
}

ValueId tuple_of(Defining& d, std::vector<ValueId> first, const std::vector<ValueId>& second,
                 const std::vector<ValueId>& third = {}) {
  first.insert(first.end(), second.begin(), second.end());
  first.insert(first.end(), third.begin(), third.end());
  return d.r.failed() ? ValueId() : d.c.call("tuple", first);
}

ValueId adagrad(Defining& d) {
  const double decay = d.r.f("decay_factor", 0), epsilon = d.r.f("epsilon", 0),
               norm = d.r.f("norm_coefficient", 0);
  const Tensors t(d, 3);
  if (d.r.failed()) return {};
  const ValueId steps = d.c.cast(d.r.in(1), d.r.dtype(0));
  const ValueId rate = d.c.call("div", {d.r.in(0), d.c.with("add", d.c.with("mul", steps, decay), 1)});
  std::vector<ValueId> weights, squares;
  for (size_t i = 0; i < t.count(); ++i) {
    const ValueId g = gradient(d, t.of(0, i), t.of(1, i), norm);
    squares.push_back(plus(d, t.of(2, i), square(d, g)));
    const ValueId size = d.c.with("add", d.c.call("sqrt", {squares.back()}), epsilon);
    weights.push_back(d.c.both("sub", t.of(0, i), d.c.both("div", times(d, rate, g), size)));
  }
  return tuple_of(d, weights, squares);
}

/// 1 - factor^steps
ValueId rest_of_power(Defining& d, double factor, ValueId steps) {
  const ValueId base = d.c.constant(d.c.dtype(steps), {}, {factor});
  return d.c.call("sub", {d.c.constant(d.c.dtype(steps), {}, {1.0}), d.c.call("pow", {base, steps})});
}

ValueId adam(Defining& d) {
  const double alpha = d.r.f("alpha", 0.9), beta = d.r.f("beta", 0.999), epsilon = d.r.f("epsilon", 0),
               norm = d.r.f("norm_coefficient", 0), after = d.r.f("norm_coefficient_post", 0);
  const Tensors t(d, 4);
  if (d.r.failed()) return {};
  const ValueId steps = d.c.cast(d.r.in(1), d.r.dtype(0)), rate = d.r.in(0);
  const ValueId corrected =
      d.c.call("div", {d.c.call("mul", {rate, d.c.call("sqrt", {rest_of_power(d, beta, steps)})}),
                       rest_of_power(d, alpha, steps)});
  const ValueId adjusted = d.c.where(d.c.with("greater", steps, 0), corrected, rate);
  std::vector<ValueId> weights, means, squares;
  for (size_t i = 0; i < t.count(); ++i) {
    const ValueId g = gradient(d, t.of(0, i), t.of(1, i), norm);
    means.push_back(plus(d, d.c.with("mul", t.of(2, i), alpha), d.c.with("mul", g, 1 - alpha)));
    squares.push_back(plus(d, d.c.with("mul", t.of(3, i), beta), d.c.with("mul", square(d, g), 1 - beta)));
    const ValueId size = d.c.with("add", d.c.call("sqrt", {squares.back()}), epsilon);
    const ValueId step = d.c.both("div", times(d, adjusted, means.back()), size);
    weights.push_back(d.c.with("mul", d.c.both("sub", t.of(0, i), step), 1 - after));
  }
  return tuple_of(d, weights, means, squares);
}

ValueId momentum(Defining& d) {
  const double alpha = d.r.f("alpha", 0), beta = d.r.f("beta", 0), norm = d.r.f("norm_coefficient", 0);
  const std::string mode = d.r.s("mode", "standard");
  if (mode != "standard" && mode != "nesterov") return d.r.fail("a mode that is not known");
  const Tensors t(d, 3);
  if (d.r.failed()) return {};
  const ir::DType dtype = d.r.dtype(0);
  const ValueId later = d.c.with("greater", d.r.in(1), 0);
  const ValueId factor = d.c.where(later, d.c.constant(dtype, {}, {beta}), d.c.constant(dtype, {}, {1.0}));
  std::vector<ValueId> weights, speeds;
  for (size_t i = 0; i < t.count(); ++i) {
    const ValueId g = gradient(d, t.of(0, i), t.of(1, i), norm);
    speeds.push_back(plus(d, d.c.with("mul", t.of(2, i), alpha), times(d, factor, g)));
    const ValueId step =
        mode == "standard" ? speeds.back() : plus(d, g, d.c.with("mul", speeds.back(), alpha));
    weights.push_back(d.c.both("sub", t.of(0, i), times(d, d.r.in(0), step)));
  }
  return tuple_of(d, weights, speeds);
}

/// By the mean and variance of the batch; those so far move towards them.
ValueId batch_normalization(Defining& d) {
  constexpr int64_t kFirst = 14;  // before, what trains has five outputs
  const double epsilon = d.r.f("epsilon", 1e-5F), momentum = d.r.f("momentum", 0.9F);
  if (d.r.opset() < kFirst || d.r.i("training_mode", 0) == 0 || d.r.rank(0) < 2) return d.r.fail("it trains");
  std::vector<int64_t> axes = {0}, sides;
  for (int64_t i = 2; i < d.r.rank(0); ++i) axes.push_back(i);
  for (int64_t i = 1; i + 1 < d.r.rank(0); ++i) sides.push_back(i);
  const ValueId x = d.r.in(0);
  const ValueId mean = d.c.reduce("reduce_mean", x, axes);
  const ValueId away = d.c.both("sub", x, mean);
  const ValueId variance = d.c.reduce("reduce_mean", square(d, away), axes);
  const auto each = [&](size_t input) { return d.c.unsqueeze(d.r.in(input), sides); };
  const ValueId deviation = d.c.call("sqrt", {d.c.with("add", variance, epsilon)});
  const ValueId y = plus(d, times(d, d.c.both("div", away, deviation), each(1)), each(2));
  std::vector<ValueId> out = {y};
  for (const auto& [input, now] : {std::pair{size_t{3}, mean}, std::pair{size_t{4}, variance}})
    out.push_back(plus(d, d.c.with("mul", d.r.in(input), momentum),
                       d.c.with("mul", d.c.cast(d.c.squeeze(now, axes), d.r.dtype(input)), 1 - momentum)));
  return d.r.failed() ? ValueId() : d.c.call("tuple", out);
}

}  // namespace

void define_training(Definitions& t) {
  const std::string domain = "ai.onnx.preview.training";
  t[{domain, "Adagrad"}] = adagrad;
  t[{domain, "Adam"}] = adam;
  t[{domain, "Momentum"}] = momentum;
  t[{"", "BatchNormalization"}] = batch_normalization;
}

}  // namespace isomer::formats
