#include "rewrite/rule_apply.h"

#include <algorithm>
#include <filesystem>

#include "rewrite/rule_check.h"
#include "rewrite/term_parser.h"
#include "support/errors.h"

namespace isomer::rewrite {

using egraph::ClassId;

namespace {

egraph::AttrPattern left_attr(ir::Context& ctx, const Expr& e) {
  switch (e.kind) {
    case Expr::Kind::kLiteral: return egraph::AttrPattern::literal(ctx.intern(e.value).v);
    case Expr::Kind::kAttr: return egraph::AttrPattern::variable(e.index);
    default: return egraph::AttrPattern::literal(ir::AttrId().v);  // absent
  }
}

egraph::Pattern left_pattern(ir::Context& ctx, const Term& term) {
  egraph::Pattern pattern;
  std::vector<uint32_t> place;
  for (const TermNode& n : term.nodes) {
    if (n.is_variable) {
      place.push_back(pattern.variable(n.variable));
      continue;
    }
    std::vector<uint32_t> children;
    for (uint32_t c : n.children) children.push_back(place[c]);
    std::vector<egraph::AttrPattern> attrs;
    bool literal = true;
    for (const Expr& e : n.attrs) {
      attrs.push_back(left_attr(ctx, e));
      literal = literal && attrs.back().kind == egraph::AttrPattern::Kind::kLiteral;
    }
    if (literal) {  // the whole payload is known: one comparison instead of one a slot
      std::vector<ir::AttrId> ids;
      for (const auto& a : attrs) ids.emplace_back(a.value);
      place.push_back(pattern.apply(n.op.v, std::move(children), {}, ctx.intern(ids).v));
    } else {
      place.push_back(pattern.apply(n.op.v, std::move(children), std::move(attrs)));
    }
  }
  return pattern;
}

bool same_payload(const RightPayload& a, const RightPayload& b) {
  if (a.fixed != b.fixed) return false;
  if (a.fixed) return a.payload == b.payload;
  return std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(),
                    [](const RightAttr& x, const RightAttr& y) {
                      return x.kind == y.kind && x.literal == y.literal && x.variable == y.variable &&
                             x.expr == y.expr;
                    });
}

RightPayload right_payload_of(ir::Context& ctx, const TermNode& n) {
  RightPayload out;
  if (n.is_variable) return out;
  out.fixed = true;
  std::vector<ir::AttrId> ids;
  for (const Expr& e : n.attrs) {
    RightAttr a;
    if (e.kind == Expr::Kind::kLiteral) {
      a.literal = ctx.intern(e.value);
    } else if (e.kind == Expr::Kind::kAttr) {
      a.kind = RightAttr::Kind::kVariable;
      a.variable = e.index;
    } else if (e.kind != Expr::Kind::kAbsent) {
      a.kind = RightAttr::Kind::kComputed;
      a.expr = &e;
    }
    out.fixed = out.fixed && a.kind == RightAttr::Kind::kLiteral;
    ids.push_back(a.literal);
    out.attrs.push_back(a);
  }
  if (out.fixed) out.payload = ctx.intern(ids);
  return out;
}

/// A left side at an instance, after what stands there of those before it.
void add_left(ir::Context& ctx, const Term& term, const Instance& instance, ExactFragment& side) {
  std::vector<uint32_t> place;
  for (const TermNode& n : term.nodes) {
    FragmentNode node{n.is_variable, n.is_variable ? n.variable : 0, n.is_variable ? ir::OpId() : n.op, {}};
    for (uint32_t c : n.children) node.children.push_back(place[c]);
    std::vector<ir::AttrId> ids;
    for (const Expr& e : n.attrs)
      ids.push_back(e.kind == Expr::Kind::kLiteral ? ctx.intern(e.value)
                    : e.kind == Expr::Kind::kAttr  ? instance.attributes[e.index]
                                                   : ir::AttrId());
    place.push_back(static_cast<uint32_t>(side.fragment.nodes.size()));
    side.payloads.push_back(n.is_variable ? ir::PayloadId() : ctx.intern(ids));
    side.fragment.nodes.push_back(std::move(node));
  }
  side.fragment.roots.push_back(place.back());
}

}  // namespace

CompiledRule compile(ir::Context& ctx, const Rule& rule, uint32_t number) {
  CompiledRule out;
  out.rule = &rule;
  out.number = number;
  out.tensors = static_cast<uint32_t>(rule.tensors.size());
  out.attributes = static_cast<uint32_t>(rule.attributes.size());
  out.matched_attributes = out.attributes - static_cast<uint32_t>(rule.lets.size());
  for (const Term& left : rule.left) out.left.push_back(left_pattern(ctx, left));
  for (const Term& right : rule.right) {
    std::vector<uint32_t> place;
    for (const TermNode& n : right.nodes) {
      FragmentNode node{n.is_variable, n.is_variable ? n.variable : 0, n.is_variable ? ir::OpId() : n.op, {}};
      for (uint32_t c : n.children) node.children.push_back(place[c]);
      RightPayload payload = right_payload_of(ctx, n);
      // Right sides share what is equal (the split of both parts); computed attributes are compared by
      // identity.
      size_t at = 0;
      while (at < out.right.nodes.size() &&
             !(out.right.nodes[at] == node && same_payload(out.payloads[at], payload)))
        ++at;
      place.push_back(static_cast<uint32_t>(at));
      if (at < out.right.nodes.size()) continue;
      out.right.nodes.push_back(std::move(node));
      out.payloads.push_back(std::move(payload));
    }
    out.right.roots.push_back(place.back());
  }
  return out;
}

ir::PayloadId right_payload(const ir::OpDef& def, const RightPayload& of, const ExprScope& scope) {
  if (of.fixed) return of.payload;
  std::vector<ir::AttrId> ids;
  for (size_t i = 0; i < of.attrs.size(); ++i) {
    const RightAttr& a = of.attrs[i];
    switch (a.kind) {
      case RightAttr::Kind::kLiteral: ids.push_back(a.literal); break;
      case RightAttr::Kind::kVariable: ids.push_back(scope.attributes[a.variable]); break;
      case RightAttr::Kind::kComputed: {
        auto value = evaluate(*a.expr, scope);
        if (!value || !convert(*value, def.attrs[i].kind)) return {};
        ids.push_back(scope.ctx.intern(*value));
        break;
      }
    }
  }
  return scope.ctx.intern(ids);
}

std::optional<std::vector<TensorFacts>> right_roots(TensorAnalysis& analysis, const CompiledRule& rule,
                                                    const ExprScope& scope) {
  std::vector<TensorFacts> facts, out;
  bool fits = true;
  rule.right.build<TensorFacts>(
      scope.tensors, facts, [&](size_t i, const FragmentNode& n, std::span<const TensorFacts> operands) {
        if (!fits) return TensorFacts();
        const ir::PayloadId payload = right_payload(scope.ctx.ops().get(n.op), rule.payloads[i], scope);
        const TensorFacts made = payload.valid() ? analysis.make(n.op.v, payload.v, operands) : TensorFacts();
        fits = made.type.valid();
        return made;
      });
  if (!fits) return std::nullopt;
  for (const uint32_t root : rule.right.roots) out.push_back(facts[root]);
  return out;
}

Equation equation(ir::Context& ctx, const CompiledRule& compiled, const Instance& instance) {
  const Rule& rule = *compiled.rule;
  REQUIRE(
      instance.tensors.size() == rule.tensors.size() && instance.attributes.size() == rule.attributes.size(),
      "an instance of another rule");
  Equation out{rule.name, rule.tensors, instance.tensors, {}, {compiled.right, {}}};
  for (const Term& term : rule.left) add_left(ctx, term, instance, out.before);
  const ExprScope scope{ctx, instance.attributes, instance.tensors, instance.roots};
  for (size_t i = 0; i < compiled.payloads.size(); ++i) {
    const FragmentNode& n = compiled.right.nodes[i];
    out.after.payloads.push_back(
        n.is_variable ? ir::PayloadId() : right_payload(ctx.ops().get(n.op), compiled.payloads[i], scope));
    REQUIRE(n.is_variable || out.after.payloads.back().valid(),
            "an attribute of the right side has no value");
  }
  return out;
}

std::string RuleSource::family() const {
  const Rule& rule = *rule_.rule;
  const bool made = rule.file.empty();  // for groups: named after their kind and size, "stack-rows-5"
  if (made) return rule.name.substr(0, rule.name.find_last_of('-'));
  return rule.is_multi() ? "rules on several operators"
                         : std::filesystem::path(rule.file).filename().string();
}

verify::Verdict RuleSource::check(ir::Context& ctx, const Instance& instance,
                                  const verify::EquivalenceOptions& options) const {
  return check_instance(ctx, rule_, instance, options);
}

std::string RuleSource::describe(ir::Context& ctx, const Instance& instance) const {
  return rewrite::describe(ctx, *rule_.rule, instance);
}

void RuleApplier::take(const CompiledRule& rule, std::span<const ClassId> roots, const egraph::Subst& subst) {
  const EGraph& g = alternatives_.program().graph();
  Instance& at = match_.instance;
  at.attributes.assign(rule.attributes, ir::AttrId());
  for (uint32_t i = 0; i < rule.matched_attributes; ++i) at.attributes[i] = ir::AttrId(subst.attr_at(i));
  at.tensors.resize(rule.tensors);
  variables_.resize(rule.tensors);
  for (uint32_t i = 0; i < rule.tensors; ++i) {
    variables_[i] = subst.class_at(i);
    at.tensors[i] = g.data(variables_[i]);
  }
  at.roots.clear();
  for (ClassId r : roots) at.roots.push_back(g.data(r));
}

bool RuleApplier::is_there(const CompiledRule& rule, std::span<const ClassId> roots) {
  const EGraph& g = alternatives_.program().graph();
  bool all = true;
  rule.right.build<ClassId>(variables_, made_,
                            [&](size_t i, const FragmentNode& n, std::span<const ClassId> children) {
                              if (!all) return ClassId();
                              const egraph::NodeId there = g.lookup(n.op.v, match_.payload(i).v, children);
                              all = there.valid();
                              return all ? g.class_of(there) : ClassId();
                            });
  for (size_t i = 0; all && i < roots.size(); ++i) all = g.same(made_[rule.right.roots[i]], roots[i]);
  return all;
}

Applied RuleApplier::outlook(const CompiledRule& rule, std::span<const ClassId> roots,
                             const egraph::Subst& subst) {
  take(rule, roots, subst);
  const Applied can = match_.prepare(rule);
  return can == Applied::kChanged && is_there(rule, roots) ? Applied::kNothingNew : can;
}

Applied RuleApplier::apply(const CompiledRule& rule, std::span<const ClassId> roots,
                           const egraph::Subst& subst, const std::function<bool()>* accept) {
  take(rule, roots, subst);
  if (const Applied can = match_.find(rule); can != Applied::kChanged) return can;
  // Most matches say what is known. What stands in the class of the root has its type; ranges, where they are
  // followed, may be learnt of it all the same.
  if (accept == nullptr && !match_.follows_ranges() && is_there(rule, roots)) return Applied::kNothingNew;
  if (const Applied can = match_.type(rule); can != Applied::kChanged) return can;
  if (accept != nullptr && !(*accept)()) return Applied::kRefused;
  ranges_.clear();
  if (match_.follows_ranges())
    for (size_t i = 0; i < rule.right.nodes.size(); ++i)
      ranges_.push_back(rule.right.nodes[i].is_variable ? ir::AttrId() : match_.range(i));
  return alternatives_.insert({rule.number, &rule.right, match_.payloads(), ranges_, variables_, roots},
                              match_.instance);
}

}  // namespace isomer::rewrite
