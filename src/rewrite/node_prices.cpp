#include "rewrite/node_prices.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

NodePrices::NodePrices(const EGraph& graph, ir::Context& ctx) : graph_(graph), ctx_(ctx) {
  const EGraph& g = graph_;
  const ir::OpTable& ops = ctx_.ops();
  facts_.resize(g.slots());
  const uint32_t broadcast = ops.at("broadcast").v;
  g.for_each_class([&](ClassId c) {
    facts_[c.index()].weight = g.data(c).is_weight;
    for (NodeId n : g.nodes_in(c, broadcast))
      if (g.usable(n)) facts_[c.index()].narrow = g.data(g.children(n)[0]).type;
  });
  // Both pass through chains of nodes (normalisation, bias, sum, activation).
  constexpr int kLongestChain = 12;
  std::vector<cost::OperandFacts> operands;
  bool changed = true;
  for (int round = 0; round < kLongestChain && changed; ++round) {
    changed = false;
    g.for_each_class([&](ClassId c) {
      cost::OperandFacts& own = facts_[c.index()];
      if (own.weight || (own.stage != cost::Stage::kOther && own.blocked)) return;
      for (NodeId n : g.nodes_in(c)) {
        if (!g.usable(n)) continue;
        operands.clear();
        for (ClassId child : g.children(n)) operands.push_back(facts_[child.index()]);
        const ir::OpDef& def = ops.get(ir::OpId(g.op(n)));
        const cost::OperandFacts of_node = cost::facts_of(def, own.weight, {}, operands);
        if (own.stage == cost::Stage::kOther && of_node.stage != cost::Stage::kOther &&
            of_node.stage != cost::Stage::kSum) {
          own.stage = of_node.stage;
          changed = true;
        }
        if (!own.blocked && of_node.blocked) own.blocked = changed = true;
      }
    });
  }
  find_sums();
}

/// Last, for what is nothing else: additions that no other addition takes further (a residual connection that
/// goes on has two users, and no runtime fuses it away).
void NodePrices::find_sums() {
  const EGraph& g = graph_;
  const ir::OpTable& ops = ctx_.ops();
  const ir::OpDef& add = ops.get(ops.at("add"));
  std::vector<bool> sum(g.slots()), goes_on(g.slots());
  std::vector<cost::OperandFacts> operands;
  g.for_each_class([&](ClassId c) {
    for (NodeId n : g.nodes_in(c, ops.at("add").v)) {
      if (!g.usable(n)) continue;
      operands.clear();
      for (ClassId child : g.children(n)) {
        operands.push_back(facts_[child.index()]);
        goes_on[g.find(child).index()] = true;
      }
      const bool plain = facts_[c.index()].stage == cost::Stage::kOther && !facts_[c.index()].weight;
      if (plain && cost::stage_of(add, operands) == cost::Stage::kSum) sum[c.index()] = true;
    }
  });
  for (size_t i = 0; i < facts_.size(); ++i)
    if (sum[i] && !goes_on[i]) facts_[i].stage = cost::Stage::kSum;
}

void NodePrices::with_query(NodeId n, const std::function<void(const cost::NodeCostQuery&)>& ask) const {
  const EGraph& g = graph_;
  std::vector<ir::TypeId> types;
  std::vector<cost::OperandFacts> operands;
  bool weights = !g.children(n).empty();
  for (ClassId c : g.children(n)) {
    types.push_back(g.data(c).type);
    operands.push_back(facts_[c.index()]);
    weights = weights && g.data(c).is_weight;
  }
  const ir::OpInstance instance(ctx_, ctx_.ops().get(ir::OpId(g.op(n))),
                                ctx_.get(ir::PayloadId(g.payload(n))), types, g.data(g.class_of(n)).type);
  ask({instance, weights, operands});
}

}  // namespace isomer::rewrite
