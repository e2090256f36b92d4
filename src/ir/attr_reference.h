// Integer attributes that stand for something else: a type, a constant, a region, an element type, an
// identity. Printing, parsing and hashing must look through the number.
#pragma once

#include <cstdint>

#include "ir/op.h"

namespace isomer::ir {

enum class AttrReference : uint8_t {
  kPlain,     ///< the value itself
  kType,      ///< number of a type: `type` of leaves and opaque operators, always the result's type
  kConstant,  ///< number of a constant: `id` of constant
  kRegion,    ///< number of a region: `region`
  kDType,     ///< element type: `to`, `dtype`
  kIdentity,  ///< a number nobody else has: `identity`
};

AttrReference reference_of(const OpDef& op, const AttrSpec& attr);

}  // namespace isomer::ir
