#include "cost/cost_model.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "cost/anchor.h"
#include "cost/ast_size.h"
#include "cost/known.h"
#include "cost/layout_cost.h"
#include "cost/roofline.h"
#include "cost/table.h"
#include "ir/needed.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::cost {

std::unique_ptr<CostModel> make_cost_model(std::string_view name) {
  constexpr std::string_view kRoofline = "roofline:";
  constexpr std::string_view kTable = "table:";
  if (name == "ast-size") return std::make_unique<AstSizeCost>();
  if (name == "anchor") return std::make_unique<AnchorCost>();
  if (name.starts_with(kTable))
    return std::make_unique<TableCost>(TableCost::read(std::string(name.substr(kTable.size()))));
  if (const auto native = layout_of(name); native && native->model.starts_with(kRoofline))
    return std::make_unique<LayoutCost>(make_cost_model(native->model), *native);
  if (name.starts_with(kRoofline))
    if (const machine::Device* device = machine::find_device(name.substr(kRoofline.size()));
        device && device->profile)
      return std::make_unique<RooflineCost>(*device->profile);
  std::vector<std::string> known = {"ast-size", "anchor", "table:FILE"};
  for (const machine::Device& device : machine::devices())
    if (device.profile) known.push_back(fmt::format("roofline:{}", device.name));
  const std::string list = fmt::format("{}", fmt::join(known, ", "));
  known.insert(known.end(), {"roofline:local", "onnxruntime", "openvino", "auto"});
  throw UsageError(fmt::format(
      "no cost model \"{}\"{}; there are {} (or one of these followed by +nhwc or +c8, the layout in which "
      "its convolutions compute) and, with a runtime, roofline:local, onnxruntime, openvino and auto",
      name, did_you_mean(name, known), list));
}

std::vector<bool> known_at_compile_time(const ir::Graph& graph) {
  return known_values(graph, [](size_t) { return false; });
}

OperandFacts facts_of(const ir::OpDef& op, bool weight, ir::TypeId first,
                      std::span<const OperandFacts> operands) {
  OperandFacts out;
  out.weight = weight;
  if (op.is(ir::Core::kBroadcast)) out.narrow = first;
  if (weight) return out;  // it is folded: no runtime sees what made it
  out.stage = stage_of(op, operands);
  out.blocked = is_blocked(op, operands);
  return out;
}

std::vector<OperandFacts> operand_facts(const ir::Graph& graph) {
  const std::vector<bool> known = known_at_compile_time(graph);
  std::vector<OperandFacts> facts(graph.size());
  std::vector<OperandFacts> operands;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    operands.clear();
    for (ir::ValueId o : graph.operands(v)) operands.push_back(facts[o.index()]);
    const ir::TypeId first = operands.empty() ? ir::TypeId() : graph.type_id(graph.operands(v)[0]);
    facts[i] = facts_of(graph.def(v), known[i], first, operands);
  }
  const std::vector<uint32_t> uses = graph.use_counts();
  for (size_t i = 0; i < graph.size(); ++i)
    if (facts[i].stage == Stage::kSum && uses[i] > 1) facts[i].stage = Stage::kOther;
  return facts;
}

void for_each_query(const ir::Graph& graph,
                    const std::function<void(ir::ValueId, const NodeCostQuery&)>& ask) {
  const std::vector<OperandFacts> facts = operand_facts(graph);
  const std::vector<bool> needed = ir::needed_values(graph);
  for (size_t i = graph.size(); i-- > 0;) {
    const ir::ValueId v(i);
    if (!needed[i]) continue;
    std::vector<ir::TypeId> inputs;
    std::vector<OperandFacts> operands;
    bool weights = !graph.operands(v).empty();
    for (ir::ValueId operand : graph.operands(v)) {
      inputs.push_back(graph.type_id(operand));
      operands.push_back(facts[operand.index()]);
      weights = weights && facts[operand.index()].weight;
    }
    const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), inputs, graph.type_id(v));
    ask(v, {op, weights && facts[i].weight, operands});
  }
}

std::vector<double> node_costs(CostModel& model, const ir::Graph& graph) {
  std::vector<double> costs(graph.size(), 0);
  for_each_query(graph,
                 [&](ir::ValueId v, const NodeCostQuery& query) { costs[v.index()] = model.cost(query); });
  return costs;
}

double graph_cost(CostModel& model, const ir::Graph& graph) {
  const std::vector<double> costs = node_costs(model, graph);
  return std::accumulate(costs.begin(), costs.end(), 0.0);
}

}  // namespace isomer::cost
