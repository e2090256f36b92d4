#include "ir/needed.h"

namespace isomer::ir {

std::vector<bool> needed_for(const Graph& graph, std::vector<bool> marked) {
  for (size_t i = graph.size(); i-- > 0;)
    if (marked[i])
      for (ValueId o : graph.operands(ValueId(i))) marked[o.index()] = true;
  return marked;
}

std::vector<bool> needed_values(const Graph& graph) {
  std::vector<bool> roots(graph.size());
  for (ValueId o : graph.outputs()) roots[o.index()] = true;
  return needed_for(graph, std::move(roots));
}

}  // namespace isomer::ir
