// A small operator table of its own for the tests of cost models: types are given, not inferred, so that what
// is tested does not depend on the declarations of ir/ops/.
#pragma once

#include <string>
#include <vector>

#include "ir/op_table.h"

namespace isomer::cost {

struct ToyOps {
  ir::OpTable table;

  ir::OpId add(ir::OpDef def) {
    def.max_inputs = -1;
    if (!def.infer) def.infer = [](const ir::OpInstance&) { return ir::Inferred::fail("toys do not infer"); };
    return table.add(std::move(def));
  }
  /// A name and attributes, nothing more.
  ir::OpId add_bare(const std::string& name, std::vector<ir::AttrSpec> attrs = {}) {
    ir::OpDef def;
    def.name = name;
    def.attrs = std::move(attrs);
    return add(std::move(def));
  }
};

}  // namespace isomer::cost
