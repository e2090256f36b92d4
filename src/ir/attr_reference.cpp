#include "ir/attr_reference.h"

namespace isomer::ir {

AttrReference reference_of(const OpDef& op, const AttrSpec& attr) {
  if (attr.kind != AttrKind::kInt) return AttrReference::kPlain;
  const bool declares_type = op.kind == MeaningKind::kLeaf || op.kind == MeaningKind::kOpaque;
  if (attr.name == "type" && declares_type) return AttrReference::kType;
  if (attr.name == "id" && op.kind == MeaningKind::kLeaf) return AttrReference::kConstant;
  if (attr.name == "region") return AttrReference::kRegion;
  if (attr.name == "to" || attr.name == "dtype") return AttrReference::kDType;
  if (attr.name == "identity") return AttrReference::kIdentity;
  return AttrReference::kPlain;
}

}  // namespace isomer::ir
