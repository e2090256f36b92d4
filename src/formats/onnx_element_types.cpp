#include "formats/onnx_element_types.h"

namespace isomer::formats {

bool has_element_types(const ir::OpInstance& op) {
  const auto unknown = [&](const ir::Type& type) {
    return type.is_tensor() && type.dtype != ir::DType::kUndefined && ir::row(type.dtype).onnx == 0;
  };
  if (op.output.valid() && unknown(op.ctx.get(op.output))) return false;
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (unknown(op.type(i))) return false;
  return true;
}

bool takes_element_type(const ir::Spelling& spelling, const ir::OpInstance& op, int64_t opset) {
  const size_t data = spelling.typed_operand;
  if (spelling.types.empty() || op.inputs.size() <= data || !op.type(data).is_tensor()) return true;
  ir::DTypeSet types = 0;
  for (const ir::TypesSince& row : spelling.types)
    if (row.since <= opset) types = row.types;
  return (types & ir::dtype_set(op.in_dtype(data))) != 0;
}

}  // namespace isomer::formats
