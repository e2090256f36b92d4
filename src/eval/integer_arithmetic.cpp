#include "eval/integer_arithmetic.h"

#include <algorithm>
#include <limits>

#include "support/errors.h"

namespace isomer::eval {
namespace {

int64_t wrapped(uint64_t v) { return static_cast<int64_t>(v); }

int64_t divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? wrapped(0 - static_cast<uint64_t>(a)) : a / b;
}

int64_t power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1;
  auto factor = static_cast<uint64_t>(base);
  for (; exponent > 0; exponent >>= 1, factor *= factor)
    if (exponent & 1) result *= factor;
  return wrapped(result);
}

}  // namespace

int64_t apply_integer(ir::ScalarOp op, int64_t a, int64_t b) {
  using ir::ScalarOp;
  const auto ua = static_cast<uint64_t>(a);
  const auto ub = static_cast<uint64_t>(b);
  switch (op) {
    case ScalarOp::kAdd: return wrapped(ua + ub);
    case ScalarOp::kSub: return wrapped(ua - ub);
    case ScalarOp::kMul: return wrapped(ua * ub);
    case ScalarOp::kDiv: return divide(a, b);
    case ScalarOp::kNeg: return wrapped(0 - ua);
    case ScalarOp::kMax: return std::max(a, b);
    case ScalarOp::kMin: return std::min(a, b);
    case ScalarOp::kAbs: return a < 0 ? wrapped(0 - ua) : a;
    case ScalarOp::kSign: return (a > 0) - (a < 0);
    case ScalarOp::kPow: return power(a, b);
    case ScalarOp::kLess: return a < b;
    case ScalarOp::kLessEqual: return a <= b;
    case ScalarOp::kEqual: return a == b;
    case ScalarOp::kAnd: return a & b;
    case ScalarOp::kOr: return a | b;
    case ScalarOp::kXor: return a ^ b;
    case ScalarOp::kNot: return a == 0;
    case ScalarOp::kBitNot: return ~a;
    case ScalarOp::kMod: {
      const int64_t r = b == 0 || b == -1 ? 0 : a % b;
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    case ScalarOp::kFMod: return b == 0 || b == -1 ? 0 : a % b;
    case ScalarOp::kShiftLeft: return ub >= 64 ? 0 : wrapped(ua << ub);
    case ScalarOp::kShiftRight: return ub >= 64 ? 0 : wrapped(ua >> ub);
    default: break;
  }
  REQUIRE(false, "a scalar operator without a meaning for integers");
  return 0;
}

}  // namespace isomer::eval
