#include "api/element_types.h"

#include <string>

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

/// Empty of types that numpy lacks: bfloat16, floats of 8 bits, less than a byte.
std::string numpy_of(const ir::DTypeRow& row) {
  const std::string bits = std::to_string(row.bits);
  const auto word = [&](const char* letter, const char* name) {
    return row.bits >= 8 && row.name == letter + bits ? name + bits : std::string();
  };
  switch (row.kind) {
    case ir::DTypeKind::kBool: return "bool_";
    case ir::DTypeKind::kFloat: return word("f", "float");
    case ir::DTypeKind::kInteger: return row.sign ? word("i", "int") : word("u", "uint");
    case ir::DTypeKind::kOther: break;
  }
  return word("c", "complex");
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
