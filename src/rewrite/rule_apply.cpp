#include "rewrite/rule_apply.h"

#include <algorithm>

#include "rewrite/term_parser.h"
#include "support/errors.h"

namespace isomer::rewrite {

using egraph::ClassId;
using egraph::NodeId;

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

bool same_node(const RightNode& a, const RightNode& b) {
  if (a.is_variable != b.is_variable) return false;
  if (a.is_variable) return a.variable == b.variable;
  if (a.op != b.op || a.children != b.children || a.fixed != b.fixed) return false;
  if (a.fixed) return a.payload == b.payload;
  return std::equal(a.attrs.begin(), a.attrs.end(), b.attrs.begin(), b.attrs.end(),
                    [](const RightAttr& x, const RightAttr& y) {
                      return x.kind == y.kind && x.literal == y.literal && x.variable == y.variable &&
                             x.expr == y.expr;
                    });
}

RightNode right_node(ir::Context& ctx, const TermNode& n, const std::vector<uint32_t>& place) {
  RightNode out;
  out.is_variable = n.is_variable;
  out.variable = n.variable;
  if (n.is_variable) return out;
  out.op = n.op;
  for (uint32_t c : n.children) out.children.push_back(place[c]);
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
      RightNode node = right_node(ctx, n, place);
      // Right sides share what is equal (the split of both parts); computed attributes are compared by
      // identity.
      const auto it = std::find_if(out.right.begin(), out.right.end(),
                                   [&](const RightNode& r) { return same_node(r, node); });
      place.push_back(static_cast<uint32_t>(it - out.right.begin()));
      if (it == out.right.end()) out.right.push_back(std::move(node));
    }
    out.right_roots.push_back(place.back());
  }
  return out;
}

ir::PayloadId right_payload(const ir::OpDef& def, const RightNode& node, const ExprScope& scope) {
  if (node.fixed) return node.payload;
  std::vector<ir::AttrId> ids;
  for (size_t i = 0; i < node.attrs.size(); ++i) {
    const RightAttr& a = node.attrs[i];
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

Applied RuleApplier::apply(const CompiledRule& rule, std::span<const ClassId> roots,
                           const egraph::Subst& subst, const std::function<bool()>* accept) {
  EGraph& g = program_.graph();
  match_.attributes.assign(rule.attributes, ir::AttrId());
  for (uint32_t i = 0; i < rule.matched_attributes; ++i) match_.attributes[i] = ir::AttrId(subst.attr_at(i));
  match_.tensors.clear();
  for (uint32_t i = 0; i < rule.tensors; ++i) match_.tensors.push_back(g.data(subst.class_at(i)));
  match_.roots.clear();
  for (ClassId r : roots) match_.roots.push_back(g.data(r));

  if (const Applied can = match_.prepare(rule); can != Applied::kChanged) return can;
  if (accept && !(*accept)()) return Applied::kRefused;

  const size_t before = g.slots();
  made_.assign(rule.right.size(), ClassId());
  for (size_t i = 0; i < rule.right.size(); ++i) {
    const RightNode& n = rule.right[i];
    if (n.is_variable) {
      made_[i] = g.find(subst.class_at(n.variable));
      continue;
    }
    children_.clear();
    for (uint32_t c : n.children) children_.push_back(made_[c]);
    made_[i] =
        egraph::as_class(g.add_node(n.op.v, match_.payload(i), children_));  // by the node, for RuleInstance
    if (const ir::AttrId range = match_.range(i); range.valid()) {
      TensorFacts between;
      between.range = range;
      g.refine(made_[i], between);
    }
  }
  const auto instance = static_cast<uint32_t>(instances_.size());
  bool changed = g.slots() > before;
  for (size_t i = 0; i < roots.size(); ++i)
    changed = g.unite(roots[i], made_[rule.right_roots[i]], {rule.number, instance}) || changed;
  if (!changed) return Applied::kNothingNew;
  maker_.resize(before, kNone);
  maker_.resize(g.slots(), instance);
  std::vector<uint32_t> nodes;
  nodes.reserve(rule.tensors + made_.size());
  for (uint32_t i = 0; i < rule.tensors; ++i) nodes.push_back(subst.class_at(i).v);
  for (ClassId c : made_) nodes.push_back(c.v);
  instances_.push_back({rule.number, match_.attributes, match_.tensors, match_.roots, std::move(nodes)});
  return Applied::kChanged;
}

}  // namespace isomer::rewrite
