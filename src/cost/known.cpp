#include "cost/known.h"

#include <algorithm>

namespace isomer::cost {

bool is_known(const ir::OpDef& op, bool has_operands, bool operands_known) {
  if (op.kind == ir::MeaningKind::kLeaf) return !op.is(ir::Core::kInput);
  return has_operands && operands_known && op.kind != ir::MeaningKind::kOpaque && !op.decodes;
}

std::vector<bool> known_values(const ir::Graph& graph, const std::function<bool(size_t input)>& input) {
  std::vector<bool> known(graph.size(), false);
  for (size_t i = 0; i < graph.inputs().size(); ++i) known[graph.inputs()[i].index()] = input(i);
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const auto operands = graph.operands(v);
    known[i] =
        known[i] || is_known(graph.def(v), !operands.empty(),
                             std::ranges::all_of(operands, [&](ir::ValueId o) { return known[o.index()]; }));
  }
  return known;
}

}  // namespace isomer::cost
