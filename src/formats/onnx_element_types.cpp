#include "formats/onnx_element_types.h"

namespace isomer::formats {

bool takes_element_type(const ir::OpInstance& op, int64_t opset) {
  for (const ir::Spelling& spelling : op.op.spellings) {
    const size_t data = spelling.typed_operand;
    if (spelling.format != "onnx" || spelling.types.empty()) continue;
    if (op.inputs.size() <= data || !op.type(data).is_tensor()) return true;
    uint32_t types = 0;
    for (const ir::TypesSince& row : spelling.types)
      if (row.since <= opset) types = row.types;
    return (types & ir::dtype_set(op.in_dtype(data))) != 0;
  }
  return true;
}

}  // namespace isomer::formats
