#include "rewrite/stability_sides.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/whole_functions.h"
#include "ir/constant_data.h"

namespace isomer::rewrite {
namespace {

using Values = std::vector<eval::Value<double>>;

/// One unit in the last place of the largest element.
double unit(ir::DType dtype) { return std::max(ir::spacing_at_one(dtype), 0x1p-23); }

std::vector<const eval::Tensor<double>*> tensors(const Values& values) {
  std::vector<const eval::Tensor<double>*> out;
  const auto collect = [&](const auto& self, const eval::Value<double>& v) -> void {
    if (v.tensor) out.push_back(v.tensor.get());
    for (const auto& e : v.elements) self(self, e);
  };
  for (const auto& v : values) collect(collect, v);
  return out;
}

/// Whether finite numbers of the two are apart by more than rounding to 16 bits can explain.
bool differ(const Values& left, const Values& right) {
  constexpr double kApart = 0.02;
  const auto a = tensors(left), b = tensors(right);
  for (size_t t = 0; t < a.size(); ++t) {
    double scale = 0, apart = 0;
    for (size_t i = 0; i < a[t]->numbers.size(); ++i) {
      const double x = a[t]->numbers[i], y = b[t]->numbers[i];
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      scale = std::max({scale, std::abs(x), std::abs(y)});
      apart = std::max(apart, std::abs(x - y));
    }
    if (apart > kApart * scale && apart > 1e-12) return true;
  }
  return false;
}

/// By at least half of either, where the left side is off by a few units in the last place.
bool is_lost(double exact, double left, double right, ir::DType dtype) {
  constexpr double kUnits = 4, kHalf = 0.5, kNormal = 0x1p-120;
  return std::abs(exact) > std::max(kNormal, 4 * ir::smallest_number(dtype)) &&
         std::abs(left - exact) <= kUnits * unit(dtype) * std::abs(exact) &&
         std::abs(right - exact) > kHalf * std::max(std::abs(exact), std::abs(right));
}

SidesSeen judge(const Values& reference, const Values& left, const Values& right) {
  const auto r = tensors(reference), a = tensors(left), b = tensors(right);
  SidesSeen out;
  for (size_t t = 0; t < r.size(); ++t) {
    if (a[t]->integers != b[t]->integers) {
      out.identical = false;
      out.apart = true;
    }
    if (!a[t]->integers.empty()) out.compared = true;
    double scale = 0, left_error = 0, right_error = 0;
    for (size_t i = 0; i < r[t]->numbers.size(); ++i) {
      const double exact = r[t]->numbers[i], x = a[t]->numbers[i], y = b[t]->numbers[i];
      out.apart |= std::isnan(x) != std::isnan(y) || ((std::isinf(x) || std::isinf(y)) && x != y);
      if (!std::isfinite(exact) || !std::isfinite(x)) continue;
      out.compared = true;
      out.identical &= x == y;
      out.signs |= x == 0 && y == 0 && std::signbit(x) != std::signbit(y);
      out.vanishes |= x != 0 && y == 0;
      if (!std::isfinite(y)) {
        out.overflows = true;
        continue;
      }
      constexpr double kJump = 1e-3;
      out.lost |= is_lost(exact, x, y, r[t]->dtype);
      out.jumps |= exact == 0 && x == 0 && std::abs(y) > kJump;
      scale = std::max(scale, std::abs(exact));
      left_error = std::max(left_error, std::abs(x - exact));
      right_error = std::max(right_error, std::abs(y - exact));
    }
    if (right_error > 0)
      out.ratio = std::max(out.ratio, right_error / std::max(left_error, unit(r[t]->dtype) * scale));
  }
  return out;
}

template <class Wide, class Narrow>
SidesSeen seen_in(const Sides& sides, std::span<const eval::Value<double>> inputs, bool plain) {
  Wide wide;
  Narrow narrow;  // kernels for 16 bits compute in 32, and keep 16
  eval::EvalOptions<Narrow> stored;
  stored.round_results = true;
  const Values reference = eval::evaluate(wide, sides.left, inputs);
  SidesSeen out = judge(reference, eval::evaluate(narrow, sides.left, inputs, stored),
                        eval::evaluate(narrow, sides.right, inputs, stored));
  out.differs = plain && out.ratio > 1000 && differ(reference, eval::evaluate(wide, sides.right, inputs));
  return out;
}

}  // namespace

SidesSeen seen_on(const Sides& sides, std::span<const eval::Value<double>> inputs, bool plain) {
  SidesSeen out = seen_in<eval::Float64, eval::Float32>(sides, inputs, plain);
  if (sides.of_functions) out.join(seen_in<eval::WholeFloat64, eval::WholeFloat32>(sides, inputs, plain));
  return out;
}

}  // namespace isomer::rewrite
