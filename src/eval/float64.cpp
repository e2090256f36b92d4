#include "eval/float64.h"

#include <limits>

#include "ir/constant_data.h"
#include "support/errors.h"

namespace isomer::eval {

using ir::ScalarOp;

int64_t Float64::to_integer(double a) const {
  if (!(a >= -0x1p63 && a < 0x1p63)) ++undefined;
  if (std::isnan(a)) return 0;
  if (a >= 0x1p63) return std::numeric_limits<int64_t>::max();
  return a < -0x1p63 ? std::numeric_limits<int64_t>::min() : static_cast<int64_t>(a);
}

double Float64::unary(ScalarOp op, double a) const {
  switch (op) {
    case ScalarOp::kNeg: return -a;
    case ScalarOp::kAbs: return std::abs(a);
    case ScalarOp::kSign: return a > 0 ? 1 : a < 0 ? -1 : a;
    case ScalarOp::kExp: {
      const double y = std::exp(a);
      vanished += y < 1e-290;
      return y;
    }
    case ScalarOp::kLog: return std::log(a);
    case ScalarOp::kSqrt: return std::sqrt(a);
    case ScalarOp::kErf: return std::erf(a);
    case ScalarOp::kTanh: return std::tanh(a);
    case ScalarOp::kSin: return std::sin(a);
    case ScalarOp::kCos: return std::cos(a);
    case ScalarOp::kTan: return std::tan(a);
    case ScalarOp::kAsin: return std::asin(a);
    case ScalarOp::kAcos: return std::acos(a);
    case ScalarOp::kAtan: return std::atan(a);
    case ScalarOp::kSinh: return std::sinh(a);
    case ScalarOp::kCosh: return std::cosh(a);
    case ScalarOp::kAsinh: return std::asinh(a);
    case ScalarOp::kAcosh: return std::acosh(a);
    case ScalarOp::kAtanh: return std::atanh(a);
    case ScalarOp::kFloor: return std::floor(a);
    case ScalarOp::kCeil: return std::ceil(a);
    case ScalarOp::kRound: return std::nearbyint(a);  // half to even, as ONNX says
    default: break;
  }
  REQUIRE(false, "a scalar operator without a meaning for one number");
  return 0;
}

double Float64::binary(ScalarOp op, double a, double b) const {
  switch (op) {
    case ScalarOp::kAdd: return a + b;
    case ScalarOp::kSub: return a - b;
    case ScalarOp::kMul: return a * b;
    case ScalarOp::kDiv: return a / b;
    case ScalarOp::kMax: return max(a, b);
    case ScalarOp::kMin: return min(a, b);
    case ScalarOp::kPow: return std::pow(a, b);
    case ScalarOp::kFMod: return std::fmod(a, b);
    case ScalarOp::kMod: {
      const double r = std::fmod(a, b);
      return r != 0 && (r < 0) != (b < 0) ? r + b : r;
    }
    default: break;
  }
  REQUIRE(false, "a scalar operator without a meaning for two numbers");
  return 0;
}

double Float64::cast(ir::DType to, double a) const { return ir::is_float(to) ? ir::round_to(to, a) : a; }

}  // namespace isomer::eval
