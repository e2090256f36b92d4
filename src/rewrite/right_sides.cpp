#include "rewrite/right_sides.h"

#include <algorithm>

#include "rewrite/rule_apply.h"

namespace isomer::rewrite {

bool RightSides::conditions_hold(const CompiledRule& rule) {
  ir::Context& ctx = analysis_.context();
  const Rule& r = *rule.rule;
  if (!r.dtypes.empty()) {
    if (!instance.roots[0].type.valid()) return false;
    const ir::Type& type = ctx.get(instance.roots[0].type);
    if (!type.is_tensor() || std::find(r.dtypes.begin(), r.dtypes.end(), type.dtype) == r.dtypes.end())
      return false;
  }
  for (const Rule::Let& let : r.lets) {
    const ExprScope scope{ctx, instance.attributes, instance.tensors, instance.roots};
    const auto value = evaluate(let.value, scope);
    if (!value) return false;
    instance.attributes[let.attribute] = ctx.intern(*value);
  }
  const ExprScope scope{ctx, instance.attributes, instance.tensors, instance.roots};
  const auto all = [&](const std::vector<Expr>& conditions) {
    return std::ranges::all_of(conditions, [&](const Expr& c) { return holds(c, scope); });
  };
  return all(r.conditions) && (analysis_.promise() != FloatPromise::kFinite || all(r.finite_conditions));
}

bool RightSides::find_payloads(const CompiledRule& rule) {
  ir::Context& ctx = analysis_.context();
  const ExprScope scope{ctx, instance.attributes, instance.tensors, instance.roots};
  payloads_.assign(rule.right.nodes.size(), ir::PayloadId());
  for (size_t i = 0; i < rule.right.nodes.size(); ++i) {
    const FragmentNode& n = rule.right.nodes[i];
    if (n.is_variable) continue;
    const ir::PayloadId payload = right_payload(ctx.ops().get(n.op), rule.payloads[i], scope);
    if (!payload.valid()) return false;
    payloads_[i] = payload;
  }
  return true;
}

bool RightSides::well_typed(const CompiledRule& rule) {
  bool typed = true;
  rule.right.build<TensorFacts>(instance.tensors, facts_,
                                [&](size_t i, const FragmentNode& n, std::span<const TensorFacts> operands) {
                                  if (!typed) return TensorFacts();
                                  const TensorFacts made = analysis_.make(n.op.v, payloads_[i].v, operands);
                                  typed = made.type.valid();
                                  return made;
                                });
  for (size_t i = 0; typed && i < instance.roots.size(); ++i)
    typed = facts_[rule.right.roots[i]].type == instance.roots[i].type;
  return typed;
}

ir::AttrId RightSides::range(size_t node) const {
  return follows_ranges() ? intern(analysis_.context(), ranges_[node]) : ir::AttrId();
}

std::span<const RangeRules::Operand> RightSides::operands_of(const CompiledRule& rule, size_t node) {
  range_operands_.clear();
  for (uint32_t c : rule.right.nodes[node].children)
    range_operands_.push_back({facts_[c].type, ranges_[c], facts_[c].is_weight});
  return range_operands_;
}

/// The root's value is what it was, but what is added up for it may be too large on the way, and what is not
/// negative may be so by rounding, where terms cancel.
bool RightSides::root_is_safe(const CompiledRule& rule, size_t root) {
  const uint32_t at = rule.right.roots[root];
  const FragmentNode& n = rule.right.nodes[at];
  if (n.is_variable || rule.rule->stability == Stability::kExact) return true;
  const ir::Type& type = analysis_.context().get(instance.roots[root].type);
  if (!type.is_tensor() || !ir::is_float(type.dtype)) return true;
  const RangeRules& rules = analysis_.range_rules();
  const FloatRange known = range_at(analysis_.context(), instance.roots[root].range), &made = ranges_[at];
  if (rules.cancels(n.op.v) && ((known.low >= 0 && made.low < 0) || (known.low > 0 && made.low <= 0) ||
                                (known.high <= 0 && made.high > 0) || (known.high < 0 && made.high >= 0)))
    return false;
  const bool by_weights = n.children.size() >= 2 && facts_[n.children[1]].is_weight;
  return !rules.sums(n.op.v) || !by_weights || made.most() <= sizes_of(sums_in(type.dtype)).largest;
}

/// From the roots to what is computed for them.
void RightSides::look_back(const CompiledRule& rule) {
  const RangeRules& rules = analysis_.range_rules();
  for (size_t i = rule.right.nodes.size(); i-- > 0;) {
    const FragmentNode& n = rule.right.nodes[i];
    if (n.is_variable) continue;
    for (size_t k = 0; k < n.children.size(); ++k) {
      const uint32_t c = n.children[k];
      const FragmentNode& child = rule.right.nodes[c];
      if (child.is_variable) continue;
      ranges_[c] = meet(ranges_[c], rules.operand(n.op.v, operands_of(rule, i), k, ranges_[i]));
      // A square is at most the cube, or 1.
      const bool cube = n.op == child.op && rules.multiplies(n.op.v) && n.children.size() == 2 &&
                        child.children.size() == 2 && child.children[0] == child.children[1] &&
                        child.children[0] == n.children[1 - k];
      if (cube) ranges_[c] = meet(ranges_[c], {0, std::max(1.0, ranges_[i].most())});
    }
  }
}

/// Whether what is between operands and roots is within its type.
bool RightSides::node_is_safe(const CompiledRule& rule, size_t node) {
  const FragmentNode& n = rule.right.nodes[node];
  const RangeRules& rules = analysis_.range_rules();
  const ir::Type& type = analysis_.context().get(facts_[node].type);
  if (!type.is_tensor() || !ir::is_float(type.dtype) || rules.moves(n.op.v)) return true;
  FloatRange& range = ranges_[node];
  const bool weight = facts_[node].is_weight;
  if (rule.rule->stability == Stability::kExact) {  // the very numbers that the left side has
    if (const FloatRange usual = ordinary(type.dtype); !weight && range.most() > usual.most()) range = usual;
    return true;
  }
  const Sizes sizes = sizes_of(type.dtype);
  if (!(range.most() <= sizes.largest)) return false;
  if (!weight) return range.least == 0 || range.least >= sizes.smallest;
  return !rules.multiplies(n.op.v) || range.most() == 0 || range.most() >= sizes.smallest;
}

bool RightSides::stays_finite(const CompiledRule& rule) {
  if (!follows_ranges()) return true;
  ranges_.clear();
  for (size_t i = 0; i < rule.right.nodes.size(); ++i) {
    ranges_.push_back(range_at(analysis_.context(), facts_[i].range));
    const FragmentNode& n = rule.right.nodes[i];
    const bool square = !n.is_variable && n.children.size() == 2 && n.children[0] == n.children[1] &&
                        analysis_.context().ops().get(n.op).element == ir::ScalarOp::kMul;
    if (square) ranges_[i].low = std::max(ranges_[i].low, 0.0);
  }
  for (size_t i = 0; i < instance.roots.size(); ++i) {
    if (!root_is_safe(rule, i)) return false;
    FloatRange& root = ranges_[rule.right.roots[i]];
    root = meet(root, range_at(analysis_.context(), instance.roots[i].range));
  }
  look_back(rule);
  for (size_t i = 0; i < rule.right.nodes.size(); ++i)
    if (!rule.right.nodes[i].is_variable &&
        std::ranges::find(rule.right.roots, i) == rule.right.roots.end() && !node_is_safe(rule, i))
      return false;
  return true;
}

Applied RightSides::find(const CompiledRule& rule) {
  instance.attributes.resize(rule.attributes);
  return conditions_hold(rule) && find_payloads(rule) ? Applied::kChanged : Applied::kCondition;
}

Applied RightSides::type(const CompiledRule& rule) {
  if (!well_typed(rule)) return Applied::kIllTyped;
  return stays_finite(rule) ? Applied::kChanged : Applied::kNotFinite;
}

Applied RightSides::prepare(const CompiledRule& rule) {
  const Applied found = find(rule);
  return found == Applied::kChanged ? type(rule) : found;
}

}  // namespace isomer::rewrite
