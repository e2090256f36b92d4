#include "report/drawing.h"

#include <algorithm>
#include <limits>

#include "ir/needed.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::report {

Drawing draw(const ir::Graph& graph, std::span<const double> costs) {
  const ir::Context& ctx = graph.context();
  const std::vector<bool> needed = ir::needed_values(graph);
  std::vector<bool> known(graph.size());
  std::vector<bool> is_output(graph.size());
  for (ir::ValueId o : graph.outputs()) is_output[o.index()] = true;

  Drawing out;
  out.shown_as.assign(graph.size(), Drawing::kHidden);
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    const ir::OpDef& def = graph.def(v);
    const auto operands = graph.operands(v);
    if (!needed[i]) continue;
    const bool leaf = def.kind == ir::MeaningKind::kLeaf && operands.empty();
    // As costs have it (cost/known.h), but for what decodes a stored form: with its constant it is drawn as
    // one.
    known[i] = leaf ? !def.is(ir::Core::kInput)
                    : !def.is(ir::Core::kOpaque) && !operands.empty() &&
                          std::ranges::all_of(operands, [&](ir::ValueId o) { return known[o.index()]; });
    if (known[i] && !is_output[i]) continue;
    const double cost = costs.empty() ? std::numeric_limits<double>::quiet_NaN() : costs[i];
    // A broadcast without a price is a step of the program as any other.
    const bool is_free = def.is(ir::Core::kGet) || (def.is(ir::Core::kBroadcast) && !costs.empty());
    if (is_free && !(cost > 0) && !is_output[i]) {
      out.shown_as[i] = out.shown_as[operands[0].index()];
      if (out.shown_as[i] != Drawing::kHidden) continue;
    }
    DrawnNode node;
    node.value = v;
    node.op = def.is(ir::Core::kOpaque) ? std::get<std::string>(ctx.get(graph.attrs(v)[1])) : def.name;
    node.name = graph.name(v);
    node.type = ir::print(ctx, graph.type_id(v));
    if (!leaf && !def.is(ir::Core::kOpaque)) node.attributes = ir::print_attributes(graph, v);
    node.cost = cost;
    for (ir::ValueId o : operands) {
      const uint32_t shown = out.shown_as[o.index()];
      if (shown == Drawing::kHidden)
        node.constants.push_back(ir::print(ctx, graph.type_id(o)));
      else if (std::ranges::find(node.operands, shown) == node.operands.end())
        node.operands.push_back(shown);
    }
    out.shown_as[i] = static_cast<uint32_t>(out.nodes.size());
    out.nodes.push_back(std::move(node));
  }
  for (ir::ValueId o : graph.outputs())
    if (out.shown_as[o.index()] != Drawing::kHidden)
      out.outputs.push_back({graph.name(o), out.shown_as[o.index()]});
  return out;
}

}  // namespace isomer::report
