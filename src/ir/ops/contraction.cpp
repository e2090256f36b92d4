#include "ir/op_table.h"
#include "ir/ops/families.h"

namespace isomer::ir::ops {

void register_contraction(OpTable&) {}

}  // namespace isomer::ir::ops
