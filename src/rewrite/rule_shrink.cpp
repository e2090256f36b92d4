// Translation validation at sizes that can be computed whole. Dimensions are divided by a power of two, all
// of those that it divides and that are large: a linear map, so that concatenations and splits stay
// consistent; where a rule multiplies dimensions (reshape) another divisor, or none, fits.
#include <algorithm>

#include "ir/op_table.h"
#include "rewrite/rule_check.h"

namespace isomer::rewrite {
namespace {

constexpr int64_t kOpen = int64_t{1} << 60;  // size of what has symbols
constexpr int64_t kSmall = 4;                // dimensions up to here stay

int64_t divided(int64_t size, int64_t by) { return size > kSmall && size % by == 0 ? size / by : size; }

/// Symbols become sizes: what is optimised with a symbol holds for every value of it.
ir::Dim divided(ir::Dim d, int64_t by) {
  if (d.is_symbol()) return ir::Dim(2 + static_cast<int64_t>(d.symbol().v % 3));
  return d.is_static() ? ir::Dim(divided(d.size(), by)) : d;
}

ir::TypeId divided(ir::Context& ctx, ir::TypeId id, int64_t by) {
  const ir::Type& type = ctx.get(id);
  if (!type.is_ranked_tensor()) return id;
  ir::Shape shape = type.shape;
  for (ir::Dim& d : shape) d = divided(d, by);
  return ctx.tensor_type(type.dtype, std::move(shape));
}

ir::AttrId divided(ir::Context& ctx, ir::AttrId id, int64_t by) {
  if (!id.valid()) return id;
  ir::AttrValue value = ctx.get(id);
  if (auto* shape = std::get_if<ir::Shape>(&value)) {
    for (ir::Dim& d : *shape) d = divided(d, by);
  } else if (auto* ints = std::get_if<std::vector<int64_t>>(&value)) {
    for (int64_t& i : *ints) i = divided(i, by);
  } else if (auto* i = std::get_if<int64_t>(&value)) {
    *i = divided(*i, by);
  }
  return ctx.intern(value);
}

int64_t elements(const ir::Context& ctx, const RuleInstance& instance) {
  int64_t most = 0;
  for (const auto* list : {&instance.tensors, &instance.roots})
    for (const TensorFacts& f : *list)
      if (const ir::Type& type = ctx.get(f.type); type.is_ranked_tensor())
        most = std::max(most, ir::is_static(type.shape) ? ir::element_count(type.shape) : kOpen);
  return most;
}

}  // namespace

bool refit(ir::Context& ctx, const CompiledRule& compiled, RuleInstance& instance) {
  const Rule& rule = *compiled.rule;
  TensorAnalysis analysis(ctx);
  instance.roots.clear();
  for (const Term& term : rule.left) {
    std::vector<TensorFacts> facts;
    for (const TermNode& n : term.nodes) {
      if (n.is_variable) {
        facts.push_back(instance.tensors[n.variable]);
        continue;
      }
      std::vector<ir::AttrId> ids;
      for (const Expr& e : n.attrs)
        ids.push_back(e.kind == Expr::Kind::kLiteral ? ctx.intern(e.value)
                      : e.kind == Expr::Kind::kAttr  ? instance.attributes[e.index]
                                                     : ir::AttrId());
      std::vector<TensorFacts> operands;
      for (uint32_t c : n.children) operands.push_back(facts[c]);
      facts.push_back(analysis.make(n.op.v, ctx.intern(ids).v, operands));
      if (!facts.back().type.valid()) return false;
    }
    instance.roots.push_back(facts.back());
  }
  if (const ir::Type& type = ctx.get(instance.roots[0].type); !rule.dtypes.empty())
    if (!type.is_tensor() || std::ranges::find(rule.dtypes, type.dtype) == rule.dtypes.end()) return false;
  for (const Rule::Let& let : rule.lets) {
    const auto value = evaluate(let.value, {ctx, instance.attributes, instance.tensors, instance.roots});
    if (!value) return false;
    instance.attributes[let.attribute] = ctx.intern(*value);
  }
  const ExprScope scope{ctx, instance.attributes, instance.tensors, instance.roots};
  if (!std::ranges::all_of(rule.conditions, [&](const Expr& c) { return holds(c, scope); })) return false;
  std::vector<TensorFacts> facts;
  for (const RightNode& n : compiled.right) {
    if (n.is_variable) {
      facts.push_back(instance.tensors[n.variable]);
      continue;
    }
    const ir::PayloadId payload = right_payload(ctx.ops().get(n.op), n, scope);
    if (!payload.valid()) return false;
    std::vector<TensorFacts> operands;
    for (uint32_t c : n.children) operands.push_back(facts[c]);
    facts.push_back(analysis.make(n.op.v, payload.v, operands));
    if (!facts.back().type.valid()) return false;
  }
  for (size_t i = 0; i < instance.roots.size(); ++i)
    if (facts[compiled.right_roots[i]].type != instance.roots[i].type) return false;
  return true;
}

RuleInstance shrink(ir::Context& ctx, const CompiledRule& rule, const RuleInstance& instance) {
  constexpr int64_t kLarge = 512;
  RuleInstance best = instance;
  int64_t size = elements(ctx, instance);
  if (size <= kLarge) return best;
  for (const bool attributes : {true, false})
    for (int64_t by = 1024; by >= 1; by /= 2) {
      RuleInstance trial = instance;
      for (TensorFacts& f : trial.tensors) f.type = divided(ctx, f.type, by);
      if (attributes)
        for (uint32_t a = 0; a < rule.matched_attributes; ++a)
          trial.attributes[a] = divided(ctx, trial.attributes[a], by);
      if (!refit(ctx, rule, trial)) continue;
      const int64_t now = elements(ctx, trial);
      if (now >= size) continue;
      best = std::move(trial);
      size = now;
    }
  return best;
}

}  // namespace isomer::rewrite
