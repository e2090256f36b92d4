#include "eval/whole_functions.h"

#include <algorithm>
#include <cmath>

#include "eval/interpreter.h"
#include "ir/constant_data.h"
#include "meaning/flatten.h"
#include "support/errors.h"

namespace isomer::eval {

using ir::ScalarOp;

namespace {

/// Of any two; where their sum is not finite it stands alone.
DoublePair sum_of(double a, double b) {
  const double high = a + b;
  if (!std::isfinite(high)) return {high, 0};
  const double part = high - a;
  return {high, (a - (high - part)) + (b - part)};
}

DoublePair product_of(double a, double b) {
  const double high = a * b;
  return std::isfinite(high) ? DoublePair{high, std::fma(a, b, -high)} : DoublePair{high, 0};
}

/// Where the first part is not finite, the second says nothing; -0 stays what it is.
DoublePair together(DoublePair first, double further) {
  const double low = first.low + further;
  return std::isfinite(first.high) && low != 0 ? sum_of(first.high, low) : DoublePair{first.high, 0};
}

DoublePair exponential(DoublePair a) {
  constexpr double kSmall = 0.5;
  if (std::abs(a.high) >= kSmall) {
    const double high = std::exp(a.high);
    return together({high, 0}, high * a.low);
  }
  const double off = std::expm1(a.high);
  return together(sum_of(1, off), a.low * (1 + off));
}

DoublePair logarithm(DoublePair a) {
  if (a.high > 0.5 && a.high < 2) return {std::log1p((a.high - 1) + a.low), 0};  // the difference is exact
  const double high = std::log(a.high);
  return together({high, 0}, a.low / a.high);
}

DoublePair error_function(double a) {
  if (std::abs(a) < 1) return {std::erf(a), 0};
  return sum_of(std::copysign(1, a), -std::copysign(std::erfc(std::abs(a)), a));
}

DoublePair hyperbolic_tangent(double a) {
  if (std::abs(a) < 1) return {std::tanh(a), 0};
  return sum_of(std::copysign(1, a), -std::copysign(2 / (std::exp(2 * std::abs(a)) + 1), a));
}

}  // namespace

DoublePair PairDomain::add(Number a, Number b) const {
  return together(sum_of(a.high, b.high), a.low + b.low);
}

DoublePair PairDomain::sub(Number a, Number b) const { return add(a, {-b.high, -b.low}); }

DoublePair PairDomain::mul(Number a, Number b) const {
  return together(product_of(a.high, b.high), a.high * b.low + a.low * b.high);
}

DoublePair PairDomain::unary(ScalarOp op, Number a) const {
  switch (op) {
    case ScalarOp::kNeg: return {-a.high, -a.low};
    case ScalarOp::kAbs: return std::signbit(a.high) ? Number{-a.high, -a.low} : a;
    case ScalarOp::kExp: return std::isfinite(a.high) ? exponential(a) : Number{std::exp(a.high), 0};
    case ScalarOp::kLog: return std::isfinite(a.high) ? logarithm(a) : Number{std::log(a.high), 0};
    case ScalarOp::kErf: return error_function(a.high);
    case ScalarOp::kTanh: return hyperbolic_tangent(a.high);
    default: break;
  }
  const ir::ScalarRow& row = ir::row(op);
  REQUIRE(row.of_one != nullptr, "a scalar operator without a meaning for one number: " + row.name);
  return {row.of_one(a.high), 0};
}

DoublePair PairDomain::binary(ScalarOp op, Number a, Number b) const {
  const ir::ScalarRow& row = ir::row(op);
  REQUIRE(row.of_two != nullptr, "a scalar operator without a meaning for two numbers: " + row.name);
  const double high = row.of_two(a.high, b.high);
  if (op != ScalarOp::kDiv || !std::isfinite(high) || !std::isfinite(b.high)) return {high, 0};
  const Number rest = sub(a, mul(b, {high, 0}));
  return std::isfinite(rest.high) ? together({high, 0}, rest.high / b.high) : Number{high, 0};
}

DoublePair PairDomain::cast(ir::DType to, Number a) const {
  return ir::is_float(to) ? Number{ir::round_to(to, a.high), 0} : a;
}

bool is_whole_function(const meaning::CompiledNest& nest) {
  if (!nest.bodies.empty() || nest.result.sort != meaning::Sort::kNumber) return false;
  int steps = 0;
  bool approximates = false;
  for (const meaning::ScalarProgram::Instr& in : nest.result.code) {
    const ir::ScalarRow& row = ir::row(in.op);
    if (row.sorts == ir::Sorts::kLeaf) continue;
    const bool chooses =
        row.sorts == ir::Sorts::kSelect || row.sorts == ir::Sorts::kCompare || row.sorts == ir::Sorts::kTest;
    if (!row.continuous && !chooses) return false;
    steps += row.rounding != ir::Rounding::kExact;
    approximates |= row.of_one != nullptr && row.rounding == ir::Rounding::kApproximates;
  }
  return approximates && steps > 1;
}

bool has_whole_functions(const ir::Graph& graph) {
  const ir::Graph flat = meaning::flatten(graph).graph;
  for (size_t i = 0; i < flat.size(); ++i) {
    const ir::ValueId v(i);
    if (flat.def(v).kind != ir::MeaningKind::kPointwise || flat.def(v).nests == nullptr ||
        flat.type(v).kind == ir::TypeKind::kTuple || !can_evaluate(flat, v))
      continue;
    std::vector<ir::TypeId> types;
    for (const ir::ValueId o : flat.operands(v)) types.push_back(flat.type_id(o));
    const ir::OpInstance op(flat.context(), flat.def(v), flat.attrs(v), types, flat.type_id(v));
    if (std::ranges::any_of(meaning::compile_nests(op, flat.def(v).name), is_whole_function)) return true;
  }
  return false;
}

}  // namespace isomer::eval
