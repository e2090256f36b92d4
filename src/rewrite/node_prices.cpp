#include "rewrite/node_prices.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

NodePrices::NodePrices(const TensorEGraph& program) : program_(program) {
  const EGraph& g = program.graph();
  const ir::OpTable& ops = program.context().ops();
  facts_.resize(g.slots());
  const uint32_t broadcast = ops.at("broadcast").v;
  g.for_each_class([&](ClassId c) {
    facts_[c.index()].weight = g.data(c).is_weight;
    for (NodeId n : g.nodes_in(c, broadcast))
      if (g.usable(n)) facts_[c.index()].narrow = g.data(g.children(n)[0]).type;
  });
  // Stages pass through chains of a few nodes (normalisation, bias, sum).
  constexpr int kLongestChain = 6;
  std::vector<cost::OperandFacts> operands;
  bool changed = true;
  for (int round = 0; round < kLongestChain && changed; ++round) {
    changed = false;
    g.for_each_class([&](ClassId c) {
      cost::Stage& stage = facts_[c.index()].stage;
      if (stage != cost::Stage::kOther) return;
      for (NodeId n : g.nodes_in(c)) {
        if (!g.usable(n)) continue;
        operands.clear();
        for (ClassId child : g.children(n)) operands.push_back(facts_[child.index()]);
        stage = cost::stage_of(ops.get(ir::OpId(g.op(n))), operands);
        if (stage == cost::Stage::kOther) continue;
        changed = true;
        break;
      }
    });
  }
}

void NodePrices::with_query(NodeId n, const std::function<void(const cost::NodeCostQuery&)>& ask) const {
  const EGraph& g = program_.graph();
  ir::Context& ctx = program_.context();
  std::vector<ir::TypeId> types;
  std::vector<cost::OperandFacts> operands;
  bool weights = !g.children(n).empty();
  for (ClassId c : g.children(n)) {
    types.push_back(g.data(c).type);
    operands.push_back(facts_[c.index()]);
    weights = weights && g.data(c).is_weight;
  }
  const ir::OpInstance instance(ctx, ctx.ops().get(ir::OpId(g.op(n))), ctx.get(ir::PayloadId(g.payload(n))),
                                types, g.data(g.class_of(n)).type);
  ask({instance, weights, operands});
}

}  // namespace isomer::rewrite
