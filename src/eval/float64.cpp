#include "eval/float64.h"

#include <bit>
#include <limits>

#include "ir/constant_data.h"
#include "ir/scalar_table.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::eval {

using ir::ScalarOp;

int64_t Float64::to_integer(double a) const {
  if (!(a >= -0x1p63 && a < 0x1p63)) ++undefined;
  if (std::isnan(a)) return 0;
  if (a >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return a < -0x1p63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(a);
}

double Float64::nudge(double value) const {
  const uint64_t way = hash_combine(nudged, std::bit_cast<uint64_t>(value));
  return (way & 1) != 0 ? value * (1 + 0x1p-52) : value * (1 - 0x1p-52);
}

double Float64::unary(ScalarOp op, double a) const {
  const ir::ScalarRow& row = ir::row(op);
  REQUIRE(row.of_one != nullptr, "a scalar operator without a meaning for one number: " + row.name);
  const double y = row.of_one(a);
  if (op == ScalarOp::kExp) vanished += y < 1e-290;
  return y;
}

double Float64::binary(ScalarOp op, double a, double b) const {
  const ir::ScalarRow& row = ir::row(op);
  REQUIRE(row.of_two != nullptr, "a scalar operator without a meaning for two numbers: " + row.name);
  return row.of_two(a, b);
}

double Float64::cast(ir::DType to, double a) const { return ir::is_float(to) ? ir::round_to(to, a) : a; }

}  // namespace isomer::eval
