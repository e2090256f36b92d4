#include "recipes/run_memory.h"

#include <vector>

#include "cost/flops.h"
#include "cost/known.h"
#include "cost/live_bytes.h"
#include "cost/nominal.h"

namespace isomer::recipes {

RunMemory memory_of_run(const ir::Graph& graph, const cost::SymbolSizes& sizes) {
  const std::vector<bool> known = cost::known_values(graph, [](size_t) { return false; });
  const auto bytes = [&](ir::ValueId v) {
    return cost::bytes_of(graph.context(), cost::sized_type(graph.context(), graph.type_id(v), {&sizes, 0}));
  };
  // What an elementwise operator spreads is not there as a whole.
  const auto read_by = [&](const ir::OpDef& user, ir::ValueId operand) {
    const bool spreads =
        user.kind == ir::MeaningKind::kPointwise && graph.def(operand).is(ir::Core::kBroadcast);
    return spreads ? graph.operands(operand)[0] : operand;
  };
  std::vector<bool> stays(graph.size());
  for (size_t i = 0; i < graph.size(); ++i)
    for (const ir::ValueId operand : graph.operands(ir::ValueId(i)))
      if (!known[i] && known[operand.index()])
        stays[read_by(graph.def(ir::ValueId(i)), operand).index()] = true;
  RunMemory out;
  for (size_t i = 0; i < graph.size(); ++i)
    if (stays[i]) out.weight_bytes += static_cast<uint64_t>(bytes(ir::ValueId(i)));
  out.computed_bytes = static_cast<uint64_t>(cost::most_live(graph, known, bytes));
  return out;
}

}  // namespace isomer::recipes
