#include "ir/op_table.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {

void register_movement(OpTable&) {}

}  // namespace isomer::ir::ops
