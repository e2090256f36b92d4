// What a combiner does to two values, as a scalar operator, and what it begins with.
#pragma once

#include <cstdint>
#include <limits>

#include "ir/op.h"
#include "support/errors.h"

namespace isomer::meaning {

/// REQUIREs another combiner than kStep, which its nest spells out.
inline ir::ScalarOp operator_of(ir::Combiner c) {
  switch (c) {
    case ir::Combiner::kSum: return ir::ScalarOp::kAdd;
    case ir::Combiner::kProduct: return ir::ScalarOp::kMul;
    case ir::Combiner::kMax: return ir::ScalarOp::kMax;
    case ir::Combiner::kMin: return ir::ScalarOp::kMin;
    case ir::Combiner::kStep: break;
  }
  REQUIRE(false, "a combiner by steps is no operator");
  return ir::ScalarOp::kAdd;
}

/// What a combiner begins with (kStep: what the nest says, and 0 here).
constexpr double identity_number(ir::Combiner c) {
  using ir::Combiner;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (c) {
    case Combiner::kSum:
    case Combiner::kStep: return 0;
    case Combiner::kProduct: return 1;
    case Combiner::kMax: return -kInfinity;
    case Combiner::kMin: return kInfinity;
  }
  return 0;
}
constexpr int64_t identity_integer(ir::Combiner c) {
  using ir::Combiner;
  switch (c) {
    case Combiner::kSum:
    case Combiner::kStep: return 0;
    case Combiner::kProduct: return 1;
    case Combiner::kMax: return std::numeric_limits<int64_t>::min();
    case Combiner::kMin: return std::numeric_limits<int64_t>::max();
  }
  return 0;
}

}  // namespace isomer::meaning
