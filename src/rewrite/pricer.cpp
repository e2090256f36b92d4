#include "rewrite/pricer.h"

#include <algorithm>

#include "cost/runtime_fusion.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

namespace {

void with_question(ir::Context& ctx, uint32_t op, uint32_t payload, const TensorFacts& own,
                   std::span<const TensorFacts> operands, bool of_sum,
                   const std::function<void(const cost::NodeCostQuery&)>& ask) {
  std::vector<ir::TypeId> types;
  std::vector<cost::OperandFacts> facts;
  bool weights = !operands.empty() && own.is_weight;
  for (const TensorFacts& operand : operands) {
    types.push_back(operand.type);
    facts.push_back(operand.as_operand());
    weights = weights && operand.is_weight;
  }
  if (of_sum && !facts[0].weight && facts[0].stage == cost::Stage::kOther) facts[0].stage = cost::Stage::kSum;
  const ir::OpInstance instance(ctx, ctx.ops().get(ir::OpId(op)), ctx.get(ir::PayloadId(payload)), types,
                                own.type);
  ask({instance, weights, facts});
}

void facts_of_children(const EGraph& g, NodeId n, std::vector<TensorFacts>& out) {
  out.clear();
  for (ClassId c : g.children(n)) out.push_back(g.data(c));
}

}  // namespace

OpenSums::OpenSums(const ir::OpTable& ops) : ops_(ops) {
  for (uint32_t i = 0; i < ops.size(); ++i) {
    takes_.push_back(cost::may_take_sum(ops.get(ir::OpId(i))));
    adds_.push_back(cost::stage_of(ops.get(ir::OpId(i)), {}) == cost::Stage::kSum);
  }
}

std::span<const OpenSums::Taker> OpenSums::find(const EGraph& g) {
  takers_.clear();
  for (uint32_t i = 0; i < g.slots(); ++i)
    if (const NodeId n(i); takes_[g.op(n)] && !g.dead(n)) takers_.push_back({n, false});
  if (takers_.empty()) return {};
  sum_.assign(g.slots(), false);
  goes_on_.assign(g.slots(), false);
  std::vector<cost::OperandFacts> operands;
  for (uint32_t i = 0; i < g.slots(); ++i) {
    const NodeId n(i);
    if (!adds_[g.op(n)] || !g.usable(n)) continue;
    operands.clear();
    for (ClassId child : g.children(n)) {
      operands.push_back(g.data(child).as_operand());
      goes_on_[g.find(child).index()] = true;
    }
    if (cost::stage_of(ops_.get(ir::OpId(g.op(n))), operands) == cost::Stage::kSum)
      sum_[g.class_of(n).index()] = true;
  }
  for (Taker& taker : takers_) {
    const size_t of = g.find(g.children(taker.node)[0]).index();
    taker.of_sum = sum_[of] && !goes_on_[of];
  }
  return takers_;
}

bool OpenSums::feeds(NodeId n) const {
  const auto at = std::ranges::lower_bound(takers_, n, {}, &Taker::node);
  return at != takers_.end() && at->node == n && at->of_sum;
}

uint32_t Pricer::number(const EGraph& g, NodeId n, bool of_sum) {
  facts_of_children(g, n, operands_);
  return number(g.op(n), g.payload(n), g.data(g.class_of(n)), operands_, of_sum);
}

uint32_t Pricer::number(uint32_t op, uint32_t payload, const TensorFacts& own,
                        std::span<const TensorFacts> operands, bool of_sum) {
  words_.assign({op, payload, own.type.v, uint32_t{own.is_weight} | uint32_t{of_sum} << 1});
  for (const TensorFacts& operand : operands) {
    const cost::OperandFacts f = operand.as_operand();
    words_.push_back(operand.type.v);
    words_.push_back(uint32_t{f.weight} | uint32_t{f.blocked} << 1 | static_cast<uint32_t>(f.stage) << 2);
    words_.push_back(f.narrow.v);
  }
  const auto [number, fresh] = questions_.number(words_);
  if (fresh) prices_.push_back(ask(op, payload, own, operands, of_sum));
  return number;
}

double Pricer::ask(uint32_t op, uint32_t payload, const TensorFacts& own,
                   std::span<const TensorFacts> operands, bool of_sum) {
  const ir::OpDef& def = ctx_.ops().get(ir::OpId(op));
  if (options_.weights_free && own.is_weight) {
    const bool weights = !operands.empty() && std::ranges::all_of(operands, &TensorFacts::is_weight);
    const bool known = weights || operands.empty();
    if (!known || def.is(ir::Core::kInput)) return kNever;
    const ir::Type& type = ctx_.get(own.type);
    if (options_.weight_byte_cost == 0 || !weights || def.is(ir::Core::kBroadcast) ||
        !type.is_static_tensor())
      return 0;
    return options_.weight_byte_cost *
           static_cast<double>(ir::byte_size(type.dtype, ir::element_count(type.shape)));
  }
  if (def.kind == ir::MeaningKind::kLeaf || def.kind == ir::MeaningKind::kTuple) return 0;
  double cost = 0;
  with_question(ctx_, op, payload, own, operands, of_sum,
                [&](const cost::NodeCostQuery& query) { cost = model_.cost(query); });
  return cost;
}

void Pricer::with_query(const EGraph& g, ir::Context& ctx, NodeId n, bool of_sum,
                        const std::function<void(const cost::NodeCostQuery&)>& ask) {
  std::vector<TensorFacts> operands;
  facts_of_children(g, n, operands);
  with_question(ctx, g.op(n), g.payload(n), g.data(g.class_of(n)), operands, of_sum, ask);
}

}  // namespace isomer::rewrite
