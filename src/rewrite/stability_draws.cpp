#include "rewrite/stability_draws.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "eval/tensor.h"
#include "ir/constant_data.h"
#include "ir/dtype.h"
#include "rewrite/adjacent.h"

namespace isomer::rewrite {
namespace {

double magnitude(Rng& rng) { return std::pow(10, 8 * rng.uniform() - 4); }

/// A number between the smallest (subnormal, which has no reciprocal) and the largest of the type, by
/// magnitude.
double extreme(ir::DType dtype, Rng& rng) {
  const double least = std::log10(ir::smallest_number(dtype)) + 0.3;
  const double most = std::log10(ir::row(dtype).format.largest) - 0.02;
  const double x = std::pow(10, least + (most - least) * rng.uniform()) * (rng.chance(0.5) ? -1 : 1);
  const double y = ir::round_to(dtype, x);
  return std::isfinite(y) ? y : ir::round_to(dtype, x / 10);
}

/// Around the root of the type's largest number, or a part of that.
double root_or_large(ir::DType dtype, Rng& rng) {
  const double most = ir::row(dtype).format.largest;
  const double size = rng.chance(0.6) ? std::sqrt(most) * (0.9 + 0.4 * rng.uniform()) : most * rng.uniform();
  return ir::round_to(dtype, rng.chance(0.5) ? size : -size);
}

/// A part of that number, of either sign.
double part_of(ir::DType dtype, double most, Rng& rng) {
  const double size = most * (0.5 + 0.5 * rng.uniform());
  return ir::round_to(dtype, rng.chance(0.5) ? size : -size);
}

/// A constant that the graph spreads, if it has one that floats can be near to.
std::optional<double> some_constant(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const ir::Type& type = graph.type(v);
    if (!graph.def(v).is(ir::Core::kConstant) || !ir::is_float(type.dtype) ||
        ir::element_count(type.shape) != 1)
      continue;
    const double x = ir::load_number(type.dtype, eval::constant_of(graph, v).bytes(), 0);
    if (std::isfinite(x) && x != 0) return x;
  }
  return std::nullopt;
}

/// A number, or its opposite, or one in the type's last digit beside it; or another.
double beside(ir::DType dtype, double constant, Rng& rng) {
  const double x = ir::round_to(dtype, constant);
  const double there = rng.chance(0.5) && std::isfinite(x) ? next_to(dtype, x, rng.chance(0.5)) : x;
  return rng.chance(0.2) ? ir::round_to(dtype, 4 * rng.uniform() - 2) : rng.chance(0.5) ? there : -there;
}

/// How the floats of one tensor are drawn.
class TensorDraw {
 public:
  /// `common`: what tensors are alike in. `draw`: the number that tells this draw of an edge from others.
  TensorDraw(const Range& range, ir::DType dtype, double common, double draw, Rng& rng)
      : range_(range), dtype_(dtype), draw_(draw), rng_(rng) {
    scale_ = range.scale > 0 ? range.scale : magnitude(rng);
    base_ = is_alike(range.edge) ? common : range.positive || rng.chance(0.5) ? scale_ : -scale_;
    const double most = ir::row(dtype).format.largest;
    if (range.edge == Edge::kLargest) all_ = rng.chance(0.5) ? most : -most;
    if (range.edge == Edge::kRoots) all_ = rng.chance(0.25) ? most : std::sqrt(most);
    if (range.edge == Edge::kExtremes)
      all_ = std::pow(rng.chance(0.5) ? most : ir::smallest_number(dtype), 0.6);
  }

  double element() {
    static constexpr double kZeros[] = {0, -0.0, 1, -1, 0, 2};
    const double u = range_.positive ? 0.1 + 0.9 * rng_.uniform() : 2 * rng_.uniform() - 1;
    switch (range_.edge) {
      case Edge::kZeros: return kZeros[rng_.below(std::size(kZeros))];
      case Edge::kLargest: return ir::round_to(dtype_, all_ * (0.4 + 0.6 * rng_.uniform()));
      // Products that are within the type, whose sums leave it in one order and not in another; or any.
      case Edge::kRoots: return draw_ < 0.5 ? part_of(dtype_, all_, rng_) : root_or_large(dtype_, rng_);
      case Edge::kMagnitudes: return ir::round_to(dtype_, u * std::exp2(40 * rng_.uniform() - 20));
      case Edge::kBesideConstant: return beside(dtype_, range_.constant, rng_);
      case Edge::kExtremes:
        if (draw_ < 0.4)
          return part_of(dtype_, all_, rng_);  // two vanish, or overflow, which a third takes back
        return draw_ < 0.7 || rng_.chance(0.5) ? extreme(dtype_, rng_) : ir::round_to(dtype_, u);
      default: return ir::round_to(dtype_, range_.spread < 1 ? base_ * (1 + range_.spread * u) : scale_ * u);
    }
  }

 private:
  const Range& range_;
  ir::DType dtype_;
  double draw_;
  Rng& rng_;
  double scale_, base_;
  double all_ = 0;  ///< of an edge: what the elements are parts of
};

}  // namespace

std::vector<eval::Value<double>> draw_inputs(const ir::Graph& graph, const Range& range, int64_t integers,
                                             Rng& rng) {
  std::vector<eval::Value<double>> out;
  const size_t chosen = graph.inputs().empty() ? 0 : rng.below(graph.inputs().size());
  double common = magnitude(rng) * (rng.chance(0.5) ? 1 : -1);
  if (range.edge == Edge::kNearConstant) common = some_constant(graph).value_or(common);
  const double draw = rng.uniform();
  const bool everywhere = rng.chance(0.5);  // infinities meet each other, and zeros
  for (size_t n = 0; n < graph.inputs().size(); ++n) {
    const ir::Type& type = graph.type(graph.inputs()[n]);
    const ir::DType dtype = type.dtype == ir::DType::kF64 ? ir::DType::kF32 : type.dtype;
    eval::Tensor<double> t{type.dtype, ir::sizes(type.shape), {}, {}};
    const int64_t count = t.count();
    if (range.edge == Edge::kOnes) {
      if (ir::is_float(type.dtype))
        t.numbers.assign(static_cast<size_t>(count), 1);
      else
        t.integers.assign(static_cast<size_t>(count), 1);
      out.push_back(eval::make_value(std::move(t)));
      continue;
    }
    if (!ir::is_float(type.dtype)) {
      for (int64_t i = 0; i < count; ++i)
        t.integers.push_back(type.dtype == ir::DType::kBool ? static_cast<int64_t>(rng.below(2))
                                                            : rng.between(0, integers - 1));
      out.push_back(eval::make_value(std::move(t)));
      continue;
    }
    TensorDraw floats(range, dtype, common, draw, rng);
    for (int64_t i = 0; i < count; ++i) t.numbers.push_back(floats.element());
    if (range.edge == Edge::kSpecials && (n == chosen || everywhere) && count > 0) {
      constexpr double kInfinity = std::numeric_limits<double>::infinity();
      static constexpr double kSpecial[] = {kInfinity, -kInfinity, std::numeric_limits<double>::quiet_NaN(),
                                            0};
      if (everywhere)
        for (double& x : t.numbers)
          if (rng.chance(0.5)) x = kSpecial[rng.below(4)];
      for (int64_t k = std::min<int64_t>(count, 3); k > 0; --k)
        t.numbers[rng.below(static_cast<uint64_t>(count))] = kSpecial[rng.below(3)];
    }
    out.push_back(eval::make_value(std::move(t)));
  }
  return out;
}

}  // namespace isomer::rewrite
