// How far roundings may take a result: a domain of values that know the size of what they were summed of
// (running error analysis; Wilkinson, 1963). A size times the rounding of a type bounds what is lost to first
// order, also where the result itself is near 0. What is given is exact. Derivatives are differences, of the
// side where they are less: of a step that is met exactly nothing is lost.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "codegen/generate.h"
#include "codegen/run_loops.h"
#include "eval/float_domain.h"

namespace isomer::eval {

struct Sized {
  double value = 0, size = 0;
  bool exact = false;
};

class RoundingSize {
 public:
  using Number = Sized;
  static constexpr bool kCastsHaveRange = true;

  Sized constant(double value) const { return {value, std::isfinite(value) ? std::abs(value) : 0, true}; }
  Sized from_integer(int64_t value) const { return constant(static_cast<double>(value)); }
  int64_t to_integer(Sized a) const { return wide_.to_integer(a.value); }
  Sized add(Sized a, Sized b) const { return sum(a, b, a.value + b.value); }
  Sized sub(Sized a, Sized b) const { return sum(a, b, a.value - b.value); }
  Sized mul(Sized a, Sized b) const { return {a.value * b.value, a.size * b.size}; }
  Sized max(Sized a, Sized b) const { return chosen(a, b, wide_.max(a.value, b.value)); }
  Sized min(Sized a, Sized b) const { return chosen(a, b, wide_.min(a.value, b.value)); }
  Sized unary(ir::ScalarOp op, Sized a) const {
    const auto f = [&](double x) { return wide_.unary(op, x); };
    return made_of(f(a.value), {steepness(f, a)});
  }
  Sized binary(ir::ScalarOp op, Sized a, Sized b) const {
    const auto of_a = [&](double x) { return wide_.binary(op, x, b.value); };
    const auto of_b = [&](double x) { return wide_.binary(op, a.value, x); };
    return made_of(of_a(a.value), {steepness(of_a, a), steepness(of_b, b)});
  }
  bool less(Sized a, Sized b) const { return a.value < b.value; }
  bool equal(Sized a, Sized b) const { return a.value == b.value; }
  bool is_nan(Sized a) const { return std::isnan(a.value); }
  bool is_inf(Sized a) const { return std::isinf(a.value); }
  Sized cast(ir::DType to, Sized a) const { return {wide_.cast(to, a.value), a.size, a.exact}; }

  mutable uint64_t undefined = 0, vanished = 0;

 private:
  static Sized sum(Sized a, Sized b, double value) {
    return {value, a.exact && b.exact ? std::abs(value) : a.size + b.size};
  }
  /// One of both; of the size of the other, if roundings may let that be chosen.
  static Sized chosen(Sized a, Sized b, double value) {
    constexpr double kLargestShare = 0.1;  // of a size that is lost
    if (value != a.value) std::swap(a, b);
    if (std::abs(a.value - b.value) <= kLargestShare * std::max(a.size, b.size) && !(a.exact && b.exact))
      a.size = std::max(a.size, b.size);
    return a;
  }
  /// How much the result changes, for a change of the size of the argument.
  template <class F>
  static double steepness(F&& f, Sized a) {
    constexpr double kSmall = 1e-7;
    const double step = std::max(a.size, std::abs(a.value)) * kSmall, at = f(a.value);
    return std::fmin(std::abs(f(a.value + step) - at), std::abs(f(a.value - step) - at)) / kSmall;
  }
  static Sized made_of(double value, std::initializer_list<double> sizes) {
    double size = std::abs(value);
    for (const double s : sizes)
      if (std::isfinite(s)) size = std::max(size, s);
    return {value, size};
  }

  Float64 wide_;
};

/// Of RoundingSize, which the interpreter does not know.
template <>
inline Value<Sized> constant_value(RoundingSize& domain, const ir::Context& ctx,
                                   const ir::Constant& constant) {
  Float64 wide;
  const auto value = constant_value(wide, ctx, constant);
  Tensor<Sized> out{value.tensor->dtype, value.tensor->sizes, {}, value.tensor->integers};
  for (const double x : value.tensor->numbers) out.numbers.push_back(domain.constant(x));
  return make_value(std::move(out));
}

/// By result of the graph, the size of each element; none of what holds integers. Where it is not finite, the
/// largest of the others.
using ElementSizes = std::vector<float>;
inline std::vector<ElementSizes> rounding_sizes(const ir::Graph& graph,
                                                const std::vector<Value<Sized>>& inputs) {
  RoundingSize domain;
  const codegen::LoopProgram loops = codegen::generate(graph, {});
  std::vector<ElementSizes> out;
  for (const auto& v : codegen::LoopRunner<RoundingSize>(domain, loops).run(graph.context(), inputs)) {
    const auto known = [](const Sized& x) { return std::isfinite(x.value) && std::isfinite(x.size); };
    double largest = 0;
    for (const Sized& x : v.tensor->numbers)
      if (known(x)) largest = std::max(largest, x.size);
    ElementSizes& sizes = out.emplace_back();
    for (const Sized& x : v.tensor->numbers) sizes.push_back(static_cast<float>(known(x) ? x.size : largest));
  }
  return out;
}
/// Of inputs that are given.
inline std::vector<ElementSizes> rounding_sizes(const ir::Graph& graph,
                                                const std::vector<Value<double>>& inputs) {
  const RoundingSize domain;
  std::vector<Value<Sized>> given;
  for (const auto& v : inputs) {
    Tensor<Sized> t{v.tensor->dtype, v.tensor->sizes, {}, v.tensor->integers};
    for (const double x : v.tensor->numbers) t.numbers.push_back(domain.constant(x));
    given.push_back(make_value(std::move(t)));
  }
  return rounding_sizes(graph, given);
}

}  // namespace isomer::eval
