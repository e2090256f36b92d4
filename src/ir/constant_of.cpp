#include "ir/constant_of.h"

#include <cassert>
#include <variant>

namespace isomer::ir {

ConstantId constant_id(const Graph& graph, ValueId v) {
  assert(graph.def(v).is(ir::Core::kConstant));
  return ConstantId(static_cast<uint32_t>(std::get<int64_t>(graph.context().get(graph.attrs(v)[0]))));
}

const Constant& constant_of(const Graph& graph, ValueId v) {
  return graph.context().get(constant_id(graph, v));
}

}  // namespace isomer::ir
