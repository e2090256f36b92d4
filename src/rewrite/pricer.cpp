#include "rewrite/pricer.h"

#include <algorithm>

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

namespace {

/// What an e-node's operands are, into the two lists.
void gather(const EGraph& g, NodeId n, std::span<const cost::OperandFacts> facts, bool of_sum,
            std::vector<ir::TypeId>& types, std::vector<cost::OperandFacts>& out) {
  types.clear();
  for (ClassId child : g.children(n)) types.push_back(g.data(child).type);
  operand_facts(g, n, facts, out);
  if (of_sum) out[0].stage = cost::Stage::kSum;
}

bool only_weights(const PricedNode& n) {
  return !n.facts.empty() && std::ranges::all_of(n.facts, &cost::OperandFacts::weight);
}

void with_question(ir::Context& ctx, const PricedNode& n,
                   const std::function<void(const cost::NodeCostQuery&)>& ask) {
  const bool weights = n.is_weight && only_weights(n);
  const ir::OpInstance instance(ctx, ctx.ops().get(ir::OpId(n.op)), ctx.get(ir::PayloadId(n.payload)),
                                n.types, n.type);
  ask({instance, weights, n.facts});
}

std::vector<NodeId> of_sums(std::span<const SumTaker> takers) {
  std::vector<NodeId> out;
  for (const SumTaker& t : takers)
    if (t.of_sum) out.push_back(t.node);
  return out;
}

}  // namespace

uint32_t Pricer::number(const EGraph& g, NodeId n, std::span<const cost::OperandFacts> facts, bool of_sum) {
  gather(g, n, facts, of_sum, types_, facts_);
  const TensorFacts& own = g.data(g.class_of(n));
  return number({g.op(n), g.payload(n), own.type, own.is_weight, types_, facts_});
}

uint32_t Pricer::number(const PricedNode& n) {
  words_.assign({n.op, n.payload, n.type.v, uint32_t{n.is_weight}});
  for (size_t i = 0; i < n.types.size(); ++i) {
    const cost::OperandFacts& f = n.facts[i];
    words_.push_back(n.types[i].v);
    words_.push_back(uint32_t{f.weight} | uint32_t{f.blocked} << 1 | static_cast<uint32_t>(f.stage) << 2);
    words_.push_back(f.narrow.v);
  }
  const auto [number, fresh] = questions_.number(words_);
  if (fresh) prices_.push_back(ask(n));
  return number;
}

double Pricer::ask(const PricedNode& n) {
  const ir::OpDef& def = ctx_.ops().get(ir::OpId(n.op));
  if (options_.weights_free && n.is_weight) {
    const bool weights = only_weights(n);
    const bool known = weights || n.facts.empty();
    if (!known || def.is(ir::Core::kInput)) return kNever;
    const ir::Type& type = ctx_.get(n.type);
    if (options_.weight_byte_cost == 0 || !weights || def.is(ir::Core::kBroadcast) ||
        !type.is_static_tensor())
      return 0;
    return options_.weight_byte_cost *
           static_cast<double>(ir::byte_size(type.dtype, ir::element_count(type.shape)));
  }
  if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple) return 0;
  double cost = 0;
  with_question(ctx_, n, [&](const cost::NodeCostQuery& query) { cost = model_.cost(query); });
  return cost;
}

NodePrices::NodePrices(const EGraph& g, ir::Context& ctx, cost::CostModel& model, PriceOptions options)
    : g_(g), pricer_(ctx, model, options) {
  if (!model.asks_operands()) return;
  OperandAnalysis analysis(ctx);
  facts_ = analysis.all(g);
  of_sum_ = of_sums(analysis.sum_takers(g, facts_));
}

double NodePrices::operator()(NodeId n) {
  return pricer_.price(g_, n, facts_, std::ranges::binary_search(of_sum_, n));
}

void for_each_query(const EGraph& g, ir::Context& ctx, std::span<const NodeId> nodes,
                    const std::function<void(const cost::NodeCostQuery&)>& ask) {
  OperandAnalysis analysis(ctx);
  const ClassFacts facts = analysis.all(g);
  const std::vector<NodeId> of_sum = of_sums(analysis.sum_takers(g, facts));
  std::vector<ir::TypeId> types;
  std::vector<cost::OperandFacts> of_operands;
  for (const NodeId n : nodes) {
    gather(g, n, facts, std::ranges::binary_search(of_sum, n), types, of_operands);
    const TensorFacts& own = g.data(g.class_of(n));
    with_question(ctx, {g.op(n), g.payload(n), own.type, own.is_weight, types, of_operands}, ask);
  }
}

}  // namespace isomer::rewrite
