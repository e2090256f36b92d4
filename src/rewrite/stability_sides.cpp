#include "rewrite/stability_sides.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/whole_functions.h"
#include "ir/constant_data.h"
#include "meaning/flatten.h"
#include "verify/rounded_run.h"

namespace isomer::rewrite {
namespace {

constexpr double kFarOff = 1000;  // times the left side's error

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

/// More than rounding to 16 bits explains.
constexpr double kApart = 0.02;
bool are_apart(double a, double b) {
  return std::isfinite(a) && std::isfinite(b) &&
         std::abs(a - b) > kApart * std::max(std::abs(a), std::abs(b));
}

/// Whether finite numbers of the two are, against the largest.
bool differ(const Values& left, const Values& right) {
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
      out.far |= are_apart(x, y);
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

/// Whether two elements are apart, each against its own size, that rounding at random leaves where they are:
/// what cancels moves then, as does what one side has absorbed.
bool differ_one_by_one(const Sides& sides, std::span<const eval::Value<double>> inputs,
                       const Values& exact_left, const Values& exact_right) {
  constexpr uint64_t kRuns = 3;
  constexpr double kStays = 1e-3;
  const auto a = tensors(exact_left), b = tensors(exact_right);
  std::vector<std::vector<size_t>> places(a.size());
  const auto some_are_left = [&] {
    return std::ranges::any_of(places, [](const auto& of) { return !of.empty(); });
  };
  for (size_t t = 0; t < a.size(); ++t)
    for (size_t i = 0; i < a[t]->numbers.size(); ++i)
      if (are_apart(a[t]->numbers[i], b[t]->numbers[i])) places[t].push_back(i);
  const auto keep_what_stays = [&](const ir::Graph& side,
                                   const std::vector<const eval::Tensor<double>*>& exact) {
    if (!some_are_left()) return;
    const ir::Graph flat = meaning::flatten(side).graph;
    for (uint64_t run = 1; run <= kRuns && some_are_left(); ++run) {
      const Values moved = verify::run_off_by_chance(flat, {inputs.begin(), inputs.end()}, run, nullptr, {});
      const auto now = tensors(moved);
      for (size_t t = 0; t < exact.size(); ++t)
        std::erase_if(places[t], [&](size_t i) {
          const double x = exact[t]->numbers[i];
          const double stays = std::max(kStays, 4 * ir::spacing_at_one(exact[t]->dtype)) * std::abs(x);
          return !(std::abs(now[t]->numbers[i] - x) <= stays);
        });
    }
  };
  keep_what_stays(sides.left, a);
  keep_what_stays(sides.right, b);
  return some_are_left();
}

/// `one_by_one`: this is the arithmetic in which elements are what they are.
template <class Wide, class Narrow>
SidesSeen seen_in(const Sides& sides, std::span<const eval::Value<double>> inputs, Tells tells,
                  bool one_by_one) {
  Wide wide;
  Narrow narrow;  // kernels for 16 bits compute in 32, and keep 16
  eval::EvalOptions<Narrow> stored;
  stored.round_results = true;
  const Values reference = eval::evaluate(wide, sides.left, inputs);
  SidesSeen out = judge(reference, eval::evaluate(narrow, sides.left, inputs, stored),
                        eval::evaluate(narrow, sides.right, inputs, stored));
  const bool valueless = wide.undefined > 0;  // what the left side has no value for may be anything
  if (tells == Tells::kNothing || valueless || !(out.far || out.ratio > kFarOff)) return out;
  const Values right = eval::evaluate(wide, sides.right, inputs);
  out.differs = (tells == Tells::kEachAndAll && out.ratio > kFarOff && differ(reference, right)) ||
                (one_by_one && out.far && wide.vanished == 0 &&  // below what doubles hold nothing is known
                 differ_one_by_one(sides, inputs, reference, right));
  return out;
}

}  // namespace

SidesSeen seen_on(const Sides& sides, std::span<const eval::Value<double>> inputs, Tells tells) {
  SidesSeen out = seen_in<eval::Float64, eval::Float32>(sides, inputs, tells, !sides.of_functions);
  if (sides.of_functions)
    out.join(seen_in<eval::WholeFloat64, eval::WholeFloat32>(sides, inputs, tells, true));
  return out;
}

}  // namespace isomer::rewrite
