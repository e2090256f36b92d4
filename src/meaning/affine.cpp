#include "meaning/affine.h"

#include <algorithm>

#include "support/floor_div.h"

namespace isomer::meaning {
namespace {

/// Splits into divisor * quotient + rest with 0 <= rest < divisor everywhere, if the terms allow it.
std::optional<std::pair<Affine, Affine>> split(const Affine& value, int64_t divisor,
                                               std::span<const int64_t> extents) {
  Affine quotient, rest;
  quotient.constant = floor_div(value.constant, divisor);
  rest.constant = value.constant - quotient.constant * divisor;
  for (const auto& [var, factor] : value.terms) {
    if (factor % divisor == 0)
      quotient.terms.emplace_back(var, factor / divisor);
    else
      rest.terms.emplace_back(var, factor);
  }
  const auto [low, high] = rest.range(extents);
  if (low < 0 || high >= divisor) {
    // All of the rest may lie in another period: shift it there.
    const int64_t periods = floor_div(low, divisor);
    if (high >= (periods + 1) * divisor) return std::nullopt;
    rest.constant -= periods * divisor;
    quotient.constant += periods;
  }
  return std::pair{std::move(quotient), std::move(rest)};
}

}  // namespace

int64_t Affine::coefficient(int var) const {
  for (const auto& [v, factor] : terms)
    if (v == var) return factor;
  return 0;
}

void Affine::add(const Affine& other, int64_t factor) {
  constant += other.constant * factor;
  for (const auto& [var, f] : other.terms) {
    const auto it =
        std::lower_bound(terms.begin(), terms.end(), var, [](const auto& t, int v) { return t.first < v; });
    if (it != terms.end() && it->first == var)
      it->second += f * factor;
    else
      terms.insert(it, {var, f * factor});
  }
  std::erase_if(terms, [](const auto& t) { return t.second == 0; });
}

std::pair<int64_t, int64_t> Affine::range(std::span<const int64_t> extents) const {
  int64_t low = constant, high = constant;
  for (const auto& [var, factor] : terms) {
    const int64_t far = factor * std::max<int64_t>(extents[static_cast<size_t>(var)] - 1, 0);
    (far < 0 ? low : high) += far;
  }
  return {low, high};
}

std::optional<Affine> to_affine(const ir::IndexExpr& expr, std::span<const int64_t> extents) {
  using Kind = ir::IndexExpr::Kind;
  Affine out;
  switch (expr.kind()) {
    case Kind::kConst: out.constant = expr.value(); return out;
    case Kind::kVar:
      if (extents[static_cast<size_t>(expr.value())] != 1)
        out.terms.emplace_back(static_cast<int>(expr.value()), 1);
      return out;
    case Kind::kLoad: return std::nullopt;
    default: break;
  }
  const auto lhs = to_affine(expr.lhs(), extents);
  if (!lhs) return std::nullopt;
  switch (expr.kind()) {
    case Kind::kMulConst: out.add(*lhs, expr.value()); return out;
    case Kind::kFloorDiv:
    case Kind::kMod: {
      auto parts = split(*lhs, expr.value(), extents);
      if (!parts) return std::nullopt;
      return expr.kind() == Kind::kMod ? parts->second : parts->first;
    }
    default: break;
  }
  const auto rhs = to_affine(expr.rhs(), extents);
  if (!rhs) return std::nullopt;
  if (expr.kind() == Kind::kAdd) {
    out = *lhs;
    out.add(*rhs, 1);
    return out;
  }
  const auto [left_low, left_high] = lhs->range(extents);
  const auto [right_low, right_high] = rhs->range(extents);
  const bool left_is_less = left_high <= right_low;
  const bool right_is_less = right_high <= left_low;
  if (!left_is_less && !right_is_less) return std::nullopt;
  return left_is_less == (expr.kind() == Kind::kMin) ? lhs : rhs;
}

}  // namespace isomer::meaning
