// Nodes by declaration: an operator's spelling (ir::Spelling) says how its attributes stand in a node, and
// its traits how its operands meet; what follows from these alone is read and written here.
#pragma once

#include "formats/onnx_spell.h"

namespace isomer::formats {

/// The operator that a node is by the spellings that are not irregular; fails where there is none.
ir::ValueId read_by_rows(NodeReader& reader);
void write_by_rows(NodeWriter& writer, const ir::Spelling& spelling);
/// Whether the rows say the attributes of this operator, in this operator set.
bool rows_say(const ir::Spelling& spelling, const ir::OpInstance& op, int64_t opset);

}  // namespace isomer::formats
