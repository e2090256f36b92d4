#include "api/element_types.h"

#include "ir/dtype.h"

namespace isomer::api {
namespace {

const char* name_of(ir::DTypeKind kind) {
  switch (kind) {
    case ir::DTypeKind::kFloat: return "float";
    case ir::DTypeKind::kInteger: return "integer";
    case ir::DTypeKind::kBool: return "bool";
    case ir::DTypeKind::kOther: break;
  }
  return "other";
}

}  // namespace

std::vector<ElementType> element_types() {
  std::vector<ElementType> out;
  for (int i = 1; i < ir::dtype_count(); ++i) {  // 0 is none
    const ir::DTypeRow& row = ir::row(static_cast<ir::DType>(i));
    out.push_back({row.name, name_of(row.kind), row.bits, row.sign,
                   row.computed || row.kind == ir::DTypeKind::kBool, row.onnx});
  }
  return out;
}

}  // namespace isomer::api
