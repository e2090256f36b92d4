#include "api/element_types.h"

#include <utility>

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

/// Of the types of whole bytes that IEEE and the machine have.
std::string numpy_of(const ir::DTypeRow& row) {
  const auto [letter, word] = [&]() -> std::pair<const char*, const char*> {
    switch (row.kind) {
      case ir::DTypeKind::kBool: return {"", "bool_"};
      case ir::DTypeKind::kFloat: return {"f", "float"};
      case ir::DTypeKind::kInteger: return row.sign ? std::pair("i", "int") : std::pair("u", "uint");
      case ir::DTypeKind::kOther: break;
    }
    return {"c", "complex"};
  }();
  if (row.kind == ir::DTypeKind::kBool) return word;
  const std::string bits = std::to_string(row.bits);
  return row.bits >= 8 && row.name == letter + bits ? word + bits : "";
}

}  // namespace

std::vector<ElementType> element_types() {
  std::vector<ElementType> out;
  for (int i = 1; i < ir::dtype_count(); ++i) {  // 0 is none
    const ir::DTypeRow& row = ir::row(static_cast<ir::DType>(i));
    out.push_back({row.name, name_of(row.kind), row.bits, row.sign,
                   row.computed || row.kind == ir::DTypeKind::kBool, row.onnx, numpy_of(row)});
  }
  return out;
}

}  // namespace isomer::api
