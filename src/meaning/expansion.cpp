#include "meaning/expansion.h"

#include <vector>

#include "support/errors.h"

namespace isomer::meaning {

std::optional<ir::Graph> expand(const ir::OpInstance& op) {
  ir::Builder body(op.ctx);
  std::vector<ir::ValueId> operands;
  for (ir::TypeId type : op.inputs) operands.push_back(body.input("", type));
  try {
    const ir::ValueId result = op.op.expand(body, op, operands);
    return body.finish({result});
  } catch (const MisuseError&) {
    return std::nullopt;
  }
}

}  // namespace isomer::meaning
