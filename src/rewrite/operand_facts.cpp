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

void operand_facts(const EGraph& g, NodeId n, std::span<const cost::OperandFacts> facts,
                   std::vector<cost::OperandFacts>& out) {
  out.clear();
  for (ClassId child : g.children(n)) {
    const ClassId c = g.find(child);
    out.push_back(facts.empty() ? cost::OperandFacts() : facts[c.index()]);
    if (!g.data(c).is_weight) continue;
    out.back() = {.weight = true, .narrow = out.back().narrow};  // what made it is folded
  }
}

/// True if the node's class knows more by it.
bool OperandAnalysis::visit(const EGraph& g, NodeId n, ClassFacts& facts) {
  if (!g.usable(n)) return false;
  const ClassId c = g.class_of(n);
  const ir::OpDef& def = ctx_.ops().get(ir::OpId(g.op(n)));
  if (def.is(ir::Core::kBroadcast))
    return absorb(facts[c.index()], {.narrow = g.data(g.children(n)[0]).type});
  if (g.data(c).is_weight) return false;
  cost::OperandFacts own = alone_[g.op(n)];
  operand_facts(g, n, facts, operands_);
  if (std::ranges::any_of(operands_, passes_on)) {
    own = cost::facts_of(def, false, {}, operands_);
    own.stage = without_sum(own.stage);
  }
  return absorb(facts[c.index()], own);
}

ClassFacts OperandAnalysis::all(const EGraph& g) {
  ClassFacts facts;
  extend(g, 0, false, facts);
  return facts;
}

bool OperandAnalysis::extend(const EGraph& g, size_t from, bool merged, ClassFacts& facts) {
  const size_t slots = g.slots();
  facts.resize(slots);
  const auto class_of = [&](size_t i) { return g.find(ClassId(static_cast<uint32_t>(i))).index(); };
  // Who uses a class comes after its first member.
  first_.assign(slots, static_cast<uint32_t>(slots));
  for (size_t i = 0; i < slots; ++i) {
    uint32_t& first = first_[class_of(i)];
    first = std::min(first, static_cast<uint32_t>(i));
  }
  bool old = false, again = false;
  if (merged)
    for (size_t i = 0; i < from; ++i) {
      const size_t c = class_of(i);
      if (facts[c] == facts[i]) continue;
      absorb(facts[c], facts[i]);
      old = again = true;  // users of both ask again: one of the two knew less
    }
  const auto look = [&](size_t i) {
    const NodeId n(static_cast<uint32_t>(i));
    if (!visit(g, n, facts)) return;
    const size_t first = first_[g.class_of(n).index()];
    old = old || first < from;
    again = again || first < i;
  };
  for (size_t i = from; i < slots; ++i) look(i);
  while (again) {
    again = false;
    for (size_t i = 0; i < slots; ++i) look(i);
  }
  for (size_t i = 0; i < slots; ++i) facts[i] = facts[class_of(i)];  // what a later union is compared with
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
    operand_facts(g, n, facts, operands_);
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
