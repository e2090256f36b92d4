// What an index expression is at given variables, worked out from what it says.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "ir/index_map.h"

namespace isomer::meaning {

inline int64_t value_at(const ir::IndexExpr& e, std::span<const int64_t> vars) {
  using Kind = ir::IndexExpr::Kind;
  switch (e.kind()) {
    case Kind::kConst: return e.value();
    case Kind::kVar: return vars[static_cast<size_t>(e.value())];
    case Kind::kAdd: return value_at(e.lhs(), vars) + value_at(e.rhs(), vars);
    case Kind::kMulConst: return value_at(e.lhs(), vars) * e.value();
    case Kind::kMin: return std::min(value_at(e.lhs(), vars), value_at(e.rhs(), vars));
    case Kind::kMax: return std::max(value_at(e.lhs(), vars), value_at(e.rhs(), vars));
    default: break;
  }
  const int64_t v = value_at(e.lhs(), vars), d = e.value();
  const int64_t mod = ((v % d) + d) % d;
  return e.kind() == Kind::kMod ? mod : (v - mod) / d;
}

}  // namespace isomer::meaning
