#include "cost/cost_model.h"

#include <numeric>
#include <string>

#include "cost/anchor.h"
#include "cost/ast_size.h"
#include "cost/roofline.h"
#include "cost/table.h"
#include "support/errors.h"

namespace isomer::cost {

std::unique_ptr<CostModel> make_cost_model(std::string_view name) {
  constexpr std::string_view kRoofline = "roofline:";
  constexpr std::string_view kTable = "table:";
  if (name == "ast-size") return std::make_unique<AstSizeCost>();
  if (name == "anchor") return std::make_unique<AnchorCost>();
  if (name.starts_with(kTable))
    return std::make_unique<TableCost>(TableCost::read(std::string(name.substr(kTable.size()))));
  if (name.starts_with(kRoofline))
    for (const DeviceProfile& profile : known_profiles())
      if (name.substr(kRoofline.size()) == profile.name) return std::make_unique<RooflineCost>(profile);
  std::string known = "ast-size, anchor, table:FILE";
  for (const DeviceProfile& profile : known_profiles()) known += ", roofline:" + profile.name;
  throw UsageError("no cost model \"" + std::string(name) + "\"; there are " + known +
                   " and, with a runtime, roofline:local");
}

std::vector<bool> known_at_compile_time(const ir::Graph& graph) {
  std::vector<bool> known(graph.size(), false);
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const ir::OpDef& def = graph.def(v);
    if (def.kind == ir::MeaningKind::kLeaf) {
      known[i] = def.name != "input";
    } else if (def.kind != ir::MeaningKind::kOpaque && !def.effects && !graph.operands(v).empty()) {
      known[i] = true;
      for (ir::ValueId operand : graph.operands(v)) known[i] = known[i] && known[operand.index()];
    }
  }
  return known;
}

std::vector<double> node_costs(CostModel& model, const ir::Graph& graph) {
  const std::vector<bool> known = known_at_compile_time(graph);
  std::vector<bool> needed(graph.size(), false);
  for (ir::ValueId v : graph.outputs()) needed[v.index()] = true;
  std::vector<double> costs(graph.size(), 0);
  for (size_t i = graph.size(); i-- > 0;) {
    const ir::ValueId v(i);
    needed[i] = needed[i] || graph.def(v).effects;
    if (!needed[i]) continue;
    std::vector<ir::TypeId> inputs;
    bool weights = !graph.operands(v).empty();
    for (ir::ValueId operand : graph.operands(v)) {
      needed[operand.index()] = true;
      inputs.push_back(graph.type_id(operand));
      weights = weights && known[operand.index()];
    }
    const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), inputs, graph.type_id(v));
    costs[i] = model.cost({op, weights && known[i]});
  }
  return costs;
}

double graph_cost(CostModel& model, const ir::Graph& graph) {
  const std::vector<double> costs = node_costs(model, graph);
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

}  // namespace isomer::cost
