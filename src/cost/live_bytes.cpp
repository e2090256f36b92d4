#include "cost/live_bytes.h"

#include <algorithm>

#include "cost/flops.h"

namespace isomer::cost {

double most_live(const ir::Graph& graph, const std::vector<bool>& known,
                 const std::function<double(ir::ValueId)>& bytes) {
  const size_t n = graph.size();
  std::vector<size_t> of(n), last(n);
  for (size_t i = 0; i < n; ++i) {
    const ir::ValueId v(i);
    of[i] = is_view(graph.def(v)) ? of[graph.operands(v)[0].index()] : i;
    last[of[i]] = i;
    for (const ir::ValueId operand : graph.operands(v)) last[of[operand.index()]] = i;
  }
  for (const ir::ValueId output : graph.outputs()) last[of[output.index()]] = n;
  std::vector<double> freed(n + 1);
  double live = 0, most = 0;
  for (size_t i = 0; i < n; ++i) {
    if (of[i] == i && !known[i]) {
      const double size = bytes(ir::ValueId(i));
      live += size;
      freed[last[i]] += size;
      most = std::max(most, live);
    }
    live -= freed[i];
  }
  return most;
}

}  // namespace isomer::cost
