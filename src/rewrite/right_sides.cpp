#include "rewrite/right_sides.h"

#include <algorithm>

#include "rewrite/rule_apply.h"

namespace isomer::rewrite {

bool RightSides::conditions_hold(const CompiledRule& rule) {
  ir::Context& ctx = analysis_.context();
  const Rule& r = *rule.rule;
  if (!r.dtypes.empty()) {
    if (!roots[0].type.valid()) return false;
    const ir::Type& type = ctx.get(roots[0].type);
    if (!type.is_tensor() || std::find(r.dtypes.begin(), r.dtypes.end(), type.dtype) == r.dtypes.end())
      return false;
  }
  for (const Rule::Let& let : r.lets) {
    const ExprScope scope{ctx, attributes, tensors, roots};
    const auto value = evaluate(let.value, scope);
    if (!value) return false;
    attributes[let.attribute] = ctx.intern(*value);
  }
  const ExprScope scope{ctx, attributes, tensors, roots};
  return std::all_of(r.conditions.begin(), r.conditions.end(),
                     [&](const Expr& c) { return holds(c, scope); });
}

bool RightSides::find_payloads(const CompiledRule& rule) {
  ir::Context& ctx = analysis_.context();
  const ExprScope scope{ctx, attributes, tensors, roots};
  payloads_.assign(rule.right.size(), 0);
  for (size_t i = 0; i < rule.right.size(); ++i) {
    const RightNode& n = rule.right[i];
    if (n.is_variable) continue;
    const ir::PayloadId payload = right_payload(ctx.ops().get(n.op), n, scope);
    if (!payload.valid()) return false;
    payloads_[i] = payload.v;
  }
  return true;
}

bool RightSides::well_typed(const CompiledRule& rule) {
  facts_.assign(rule.right.size(), {});
  for (size_t i = 0; i < rule.right.size(); ++i) {
    const RightNode& n = rule.right[i];
    if (n.is_variable) {
      facts_[i] = tensors[n.variable];
      continue;
    }
    operands_.clear();
    for (uint32_t c : n.children) operands_.push_back(facts_[c]);
    facts_[i] = analysis_.make(n.op.v, payloads_[i], operands_);
    if (!facts_[i].type.valid()) return false;
  }
  for (size_t i = 0; i < roots.size(); ++i)
    if (facts_[rule.right_roots[i]].type != roots[i].type) return false;
  return true;
}

Applied RightSides::prepare(const CompiledRule& rule) {
  attributes.resize(rule.attributes);
  if (!conditions_hold(rule) || !find_payloads(rule)) return Applied::kCondition;
  return well_typed(rule) ? Applied::kChanged : Applied::kIllTyped;
}

}  // namespace isomer::rewrite
