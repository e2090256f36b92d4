#include "eval/float_domain.h"

#include <bit>
#include <limits>

#include "ir/constant_data.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::eval {

using ir::ScalarOp;

template <class Precision>
int64_t FloatDomain<Precision>::to_integer(double a) const {
  if (!(a >= -0x1p63 && a < 0x1p63)) ++undefined;
  if (std::isnan(a)) return 0;
  if (a >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return a < -0x1p63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(a);
}

template <class Precision>
double FloatDomain<Precision>::nudge(double value) const {
  const uint64_t way = hash_combine(nudged, std::bit_cast<uint64_t>(value));
  return (way & 1) != 0 ? value * (1 + 0x1p-52) : value * (1 - 0x1p-52);
}

template <class Precision>
double FloatDomain<Precision>::unary(ScalarOp op, double a) const {
  const ir::ScalarRow& row = ir::row(op);
  REQUIRE(row.of_one != nullptr, "a scalar operator without a meaning for one number: " + row.name);
  const double y = row.of_one(a);
  if (op == ScalarOp::kExp) vanished += y < 1e-290;
  return Precision::round(y);
}

template <class Precision>
double FloatDomain<Precision>::binary(ScalarOp op, double a, double b) const {
  const ir::ScalarRow& row = ir::row(op);
  REQUIRE(row.of_two != nullptr, "a scalar operator without a meaning for two numbers: " + row.name);
  return Precision::round(row.of_two(a, b));
}

template <class Precision>
double FloatDomain<Precision>::cast(ir::DType to, double a) const {
  return Precision::round(ir::is_float(to) ? ir::round_to(to, a) : a);
}

template class FloatDomain<DoublePrecision>;
template class FloatDomain<SinglePrecision>;

}  // namespace isomer::eval
