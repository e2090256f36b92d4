#include "rewrite/operand_facts.h"

#include <algorithm>

#include "cost/runtime_fusion.h"

namespace isomer::rewrite {

using cost::Stage;
using egraph::ClassId;
using egraph::NodeId;

namespace {

/// Sums are looked for by themselves: that somebody else takes them is not seen from below.
Stage without_sum(Stage stage) { return stage == Stage::kSum ? Stage::kOther : stage; }

bool passes_on(const cost::OperandFacts& f) {
  return !f.weight && (f.blocked || f.stage == Stage::kConvolution);
}

/// True if `all` knows more by it.
bool absorb(cost::OperandFacts& all, const cost::OperandFacts& more) {
  const cost::OperandFacts before = all;
  all.stage = std::max(all.stage, more.stage);
  all.blocked = all.blocked || more.blocked;
  if (more.narrow.valid()) all.narrow = all.narrow.valid() ? std::min(all.narrow, more.narrow) : more.narrow;
  return !(all == before);
}

}  // namespace

OperandAnalysis::OperandAnalysis(ir::Context& ctx) : ctx_(ctx) {
  const ir::OpTable& ops = ctx.ops();
  for (uint32_t i = 0; i < ops.size(); ++i) {
    const ir::OpDef& def = ops.get(ir::OpId(i));
    alone_.push_back(cost::facts_of(def, false, {}, {}));
    takes_.push_back(cost::may_take_sum(def));
    adds_.push_back(alone_.back().stage == Stage::kSum);
    alone_.back().stage = without_sum(alone_.back().stage);
  }
}

/// What the node's operands are, into `operands_`.
void OperandAnalysis::gather(const EGraph& g, NodeId n, std::span<const cost::OperandFacts> facts) {
  operands_.clear();
  for (ClassId child : g.children(n)) {
    const ClassId c = g.find(child);
    operands_.push_back(facts[c.index()]);
    if (!g.data(c).is_weight) continue;
    operands_.back() = {.weight = true, .narrow = operands_.back().narrow};  // what made it is folded
  }
}

/// True if the node's class knows more by it.
bool OperandAnalysis::visit(const EGraph& g, NodeId n, OperandFacts& facts) {
  if (!g.usable(n)) return false;
  const ClassId c = g.class_of(n);
  const ir::OpDef& def = ctx_.ops().get(ir::OpId(g.op(n)));
  if (def.is(ir::Core::kBroadcast))
    return absorb(facts[c.index()], {.narrow = g.data(g.children(n)[0]).type});
  if (g.data(c).is_weight) return false;
  cost::OperandFacts own = alone_[g.op(n)];
  gather(g, n, facts);
  if (std::ranges::any_of(operands_, passes_on)) {
    own = cost::facts_of(def, false, {}, operands_);
    own.stage = without_sum(own.stage);
  }
  return absorb(facts[c.index()], own);
}

OperandFacts OperandAnalysis::all(const EGraph& g) {
  OperandFacts facts;
  extend(g, 0, false, facts);
  return facts;
}

bool OperandAnalysis::extend(const EGraph& g, size_t from, bool merged, OperandFacts& facts) {
  facts.resize(g.slots());
  bool old = false, again = false;
  const auto learnt = [&](size_t of_class, size_t by) {
    old = old || of_class < from;
    again = again || of_class < by;  // who was looked at already may use it
  };
  if (merged)
    for (size_t i = 0; i < g.slots(); ++i) {
      const size_t c = g.find(ClassId(static_cast<uint32_t>(i))).index();
      if (c != i && absorb(facts[c], facts[i])) learnt(c, g.slots());
    }
  for (size_t i = from; i < g.slots(); ++i) {
    const NodeId n(static_cast<uint32_t>(i));
    if (visit(g, n, facts)) learnt(g.class_of(n).index(), i);
  }
  while (again) {
    again = false;
    for (size_t i = 0; i < g.slots(); ++i) {
      const NodeId n(static_cast<uint32_t>(i));
      if (visit(g, n, facts)) learnt(g.class_of(n).index(), i + 1);
    }
  }
  return old;
}

std::span<const SumTaker> OperandAnalysis::sum_takers(const EGraph& g,
                                                      std::span<const cost::OperandFacts> facts) {
  takers_.clear();
  for (uint32_t i = 0; i < g.slots(); ++i)
    if (const NodeId n(i); takes_[g.op(n)] && !g.dead(n)) takers_.push_back({n, false});
  if (takers_.empty()) return {};
  sum_.assign(g.slots(), false);
  goes_on_.assign(g.slots(), false);
  for (uint32_t i = 0; i < g.slots(); ++i) {
    const NodeId n(i);
    if (!adds_[g.op(n)] || !g.usable(n)) continue;
    gather(g, n, facts);
    for (ClassId child : g.children(n)) goes_on_[g.find(child).index()] = true;
    if (cost::stage_of(ctx_.ops().get(ir::OpId(g.op(n))), operands_) == Stage::kSum)
      sum_[g.class_of(n).index()] = true;
  }
  for (SumTaker& taker : takers_) {
    const size_t of = g.find(g.children(taker.node)[0]).index();
    taker.of_sum = sum_[of] && !goes_on_[of] && facts[of].stage == Stage::kOther &&
                   !g.data(ClassId(static_cast<uint32_t>(of))).is_weight;
  }
  return takers_;
}

}  // namespace isomer::rewrite
