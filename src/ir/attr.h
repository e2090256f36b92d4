// Attributes: typed values, interned one by one (AttrId), and a node's attributes as an interned tuple in the
// order of its operator's schema (PayloadId). Matching therefore compares integers only, and a pattern can
// bind a single attribute to a variable.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "ir/type.h"
#include "support/ids.h"

namespace isomer::ir {

using AttrId = Id<struct AttrTag>;
using PayloadId = Id<struct PayloadTag>;

enum class AttrKind : uint8_t { kInt, kFloat, kString, kInts, kFloats, kStrings, kShape };

/// Alternatives in the order of AttrKind. Dtypes, constants, types and regions are stored as kInt (their
/// number).
using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>,
                               std::vector<std::string>, Shape>;

inline AttrKind kind_of(const AttrValue& value) { return static_cast<AttrKind>(value.index()); }
uint64_t hash_of(const AttrValue& value);
/// Bitwise equality of floats (NaN equals itself, 0.0 differs from -0.0), plain equality of the rest.
bool identical(const AttrValue& a, const AttrValue& b);

}  // namespace isomer::ir
