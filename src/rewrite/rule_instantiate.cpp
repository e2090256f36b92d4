// Random instances of a rule. Variables and attributes are drawn at the operator that first needs them, in
// the order of the left sides' nodes, and drawn again there until the operator takes them, so that what fits
// is found quickly although nothing is known of the operators but their type rules. Draws lean on what is
// there: the shapes and dimensions of the types drawn so far, permutations, factorings of element counts.
#include <algorithm>
#include <numeric>

#include "rewrite/rule_check.h"
#include "rewrite/term_parser.h"
#include "support/errors.h"

namespace isomer::rewrite {
namespace {

class Instantiator {
 public:
  Instantiator(ir::Context& ctx, const CompiledRule& compiled, Rng& rng, ir::DType wanted)
      : ctx_(ctx), compiled_(compiled), rule_(*compiled.rule), rng_(rng), analysis_(ctx), wanted_(wanted) {}

  bool run(RuleInstance& out) {
    tensors_.assign(rule_.tensors.size(), {});
    attributes_.assign(rule_.attributes.size(), {});
    attribute_set_.assign(rule_.attributes.size(), false);
    for (size_t i = compiled_.matched_attributes; i < rule_.attributes.size(); ++i) attribute_set_[i] = true;
    dtype_ = wanted_ != ir::DType::kUndefined ? wanted_
             : rule_.dtypes.empty()           ? ir::DType::kF32
                                              : rule_.dtypes[rng_.below(rule_.dtypes.size())];
    all_weights_ = rng_.chance(0.5);
    splats_.assign(rule_.tensors.size(), {});
    numbers_.assign(rule_.attributes.size(), {});
    mentions_.assign(rule_.conditions.size(), {});
    for (size_t i = 0; i < rule_.conditions.size(); ++i) {
      collect_numbers(rule_.conditions[i]);
      find_mentions(rule_.conditions[i], mentions_[i]);
    }
    factors_.clear();
    for (const Term& term : rule_.right)
      for (const TermNode& n : term.nodes) find_factors(n);
    for (const Term& term : rule_.left)
      if (!draw_term(term)) return false;
    out = {compiled_.number, attributes_, tensors_, {}};
    return refit(ctx_, compiled_, out);
  }

 private:
  bool draw_term(const Term& term) {
    std::vector<TensorFacts> facts(term.nodes.size());
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const TermNode& n = term.nodes[i];
      if (n.is_variable) continue;  // drawn where it is used
      if (!draw_node(term, n, facts, facts[i])) return false;
    }
    roots_.push_back(facts.back());
    return true;
  }

  bool draw_node(const Term& term, const TermNode& n, std::vector<TensorFacts>& facts, TensorFacts& result) {
    std::vector<uint32_t> fresh_tensors, fresh_attributes;
    for (uint32_t c : n.children) {
      const TermNode& child = term.nodes[c];
      if (child.is_variable && !tensors_[child.variable].type.valid())
        fresh_tensors.push_back(child.variable);
    }
    const ir::OpDef& def = ctx_.ops().get(n.op);
    for (const Expr& e : n.attrs)
      if (e.kind == Expr::Kind::kAttr && !attribute_set_[e.index]) fresh_attributes.push_back(e.index);
    const int tries = fresh_tensors.empty() && fresh_attributes.empty() ? 1 : 300;
    for (int t = 0; t < tries; ++t) {
      for (uint32_t v : fresh_tensors) tensors_[v] = {};
      for (uint32_t v : fresh_tensors) {
        const bool index = def.name == "gather" && term.nodes[n.children[1]].is_variable &&
                           term.nodes[n.children[1]].variable == v;
        const bool mask = (def.name == "where" && term.nodes[n.children[0]].is_variable &&
                           term.nodes[n.children[0]].variable == v) ||
                          def.name == "not";
        draw_tensor(v, def.name, index ? ir::DType::kI64 : mask ? ir::DType::kBool : dtype_);
      }
      std::vector<TensorFacts> operands;
      for (uint32_t c : n.children)
        operands.push_back(term.nodes[c].is_variable ? tensors_[term.nodes[c].variable] : facts[c]);
      for (uint32_t a : fresh_attributes) attribute_set_[a] = false;
      std::vector<ir::AttrId> ids;
      for (size_t i = 0; i < n.attrs.size(); ++i) {
        const Expr& e = n.attrs[i];
        if (e.kind == Expr::Kind::kAttr && !attribute_set_[e.index]) {
          const std::vector<double>& wanted = numbers_[e.index];
          attributes_[e.index] =
              def.attrs[i].kind == ir::AttrKind::kFloat && !wanted.empty() && rng_.chance(0.8)
                  ? ctx_.intern(ir::AttrValue(wanted[rng_.below(wanted.size())]))
                  : draw_attribute(def, def.attrs[i], operands);
          attribute_set_[e.index] = true;
        }
        ids.push_back(e.kind == Expr::Kind::kLiteral ? ctx_.intern(e.value)
                      : e.kind == Expr::Kind::kAttr  ? attributes_[e.index]
                                                     : ir::AttrId());
      }
      result = analysis_.make(n.op.v, ctx_.intern(ids).v, operands);
      if (result.type.valid() && small(result.type) &&
          conditions_hold_so_far(fresh_tensors, fresh_attributes))
        return true;
    }
    return false;
  }

  /// What a condition speaks of; `whole`: also of what is known only at the end.
  struct Mentions {
    std::vector<uint32_t> tensors, attributes;
    bool whole = false;
  };
  void find_mentions(const Expr& e, Mentions& out) const {
    if (e.kind == Expr::Kind::kTensor) out.tensors.push_back(e.index);
    if (e.kind == Expr::Kind::kAttr) out.attributes.push_back(e.index);
    out.whole = out.whole || e.kind == Expr::Kind::kRoot ||
                (e.kind == Expr::Kind::kAttr && e.index >= compiled_.matched_attributes);
    for (const Expr& arg : e.args) find_mentions(arg, out);
  }

  /// Conditions that the last draw has made decidable: eight operands that each must be a constant matrix are
  /// found one by one, never all at once.
  bool conditions_hold_so_far(std::span<const uint32_t> fresh_tensors,
                              std::span<const uint32_t> fresh_attributes) const {
    for (size_t i = 0; i < mentions_.size(); ++i) {
      const Mentions& m = mentions_[i];
      if (m.whole) continue;
      const auto has = [](std::span<const uint32_t> all, uint32_t v) {
        return std::ranges::find(all, v) != all.end();
      };
      const bool drawn =
          std::ranges::all_of(m.tensors, [&](uint32_t v) { return tensors_[v].type.valid(); }) &&
          std::ranges::all_of(m.attributes, [&](uint32_t a) { return attribute_set_[a]; });
      const bool now =
          std::ranges::any_of(m.tensors, [&](uint32_t v) { return has(fresh_tensors, v); }) ||
          std::ranges::any_of(m.attributes, [&](uint32_t a) { return has(fresh_attributes, a); });
      if (drawn && now && !holds(rule_.conditions[i], {ctx_, attributes_, tensors_, roots_})) return false;
    }
    return true;
  }

  /// What a condition compares the elements of a variable, or an attribute, with is worth trying.
  void collect_numbers(const Expr& condition) {
    std::vector<uint32_t> tensors, attributes;
    std::vector<double> numbers;
    const auto walk = [&](auto&& self, const Expr& e) -> void {
      if (e.kind == Expr::Kind::kCall && e.function == "splat" && e.args[0].kind == Expr::Kind::kTensor)
        tensors.push_back(e.args[0].index);
      if (e.kind == Expr::Kind::kAttr) attributes.push_back(e.index);
      if (e.kind == Expr::Kind::kLiteral) {
        if (const auto* d = std::get_if<double>(&e.value)) numbers.push_back(*d);
        if (const auto* i = std::get_if<int64_t>(&e.value)) numbers.push_back(static_cast<double>(*i));
      }
      for (const Expr& arg : e.args) self(self, arg);
    };
    walk(walk, condition);
    for (const uint32_t t : tensors) splats_[t].insert(splats_[t].end(), numbers.begin(), numbers.end());
    for (const uint32_t a : attributes) numbers_[a].insert(numbers_[a].end(), numbers.begin(), numbers.end());
  }

  bool small(ir::TypeId id) const {
    const ir::Type& type = ctx_.get(id);
    if (!type.is_static_tensor()) return true;
    const int64_t count = ir::element_count(type.shape);
    return count > 0 && count <= 4096;
  }

  const ir::Shape* some_shape() {
    std::vector<const ir::Shape*> shapes;
    for (const TensorFacts& f : tensors_)
      if (f.type.valid() && ctx_.get(f.type).is_tensor()) shapes.push_back(&ctx_.get(f.type).shape);
    for (const TensorFacts& f : roots_)
      if (ctx_.get(f.type).is_tensor()) shapes.push_back(&ctx_.get(f.type).shape);
    return shapes.empty() ? nullptr : shapes[rng_.below(shapes.size())];
  }

  /// Numbers that a right side writes out and that small sizes never reach: blocks of channels.
  void find_factors(const TermNode& n) {
    for (const Expr& e : n.attrs)
      if (const auto* i = std::get_if<int64_t>(&e.value);
          e.kind == Expr::Kind::kLiteral && i && *i > 4 && *i <= 64)
        factors_.push_back(*i);
  }

  ir::Dim small_dim() {
    if (!factors_.empty() && rng_.chance(0.25)) return ir::Dim(factors_[rng_.below(factors_.size())]);
    return ir::Dim(rng_.between(1, 4));
  }

  void draw_tensor(uint32_t v, const std::string& op, ir::DType dtype) {
    const ir::Shape* near = some_shape();
    ir::Shape shape;
    const uint64_t how = near ? rng_.below(8) : 7;
    const auto some_dim = [&] {
      return near && !near->empty() && rng_.chance(0.6) ? (*near)[rng_.below(near->size())] : small_dim();
    };
    if (how < 3) {
      shape = *near;
      if (how == 2 && !shape.empty()) shape[rng_.below(shape.size())] = small_dim();
    } else if (how == 3) {
      shape = {some_dim()};
    } else if (how == 4 && near->size() >= 2) {  // a suffix, with ones put in: what broadcasts to `near`
      shape.assign(near->begin() + static_cast<std::ptrdiff_t>(rng_.below(near->size())), near->end());
      for (ir::Dim& d : shape)
        if (rng_.chance(0.5)) d = ir::Dim(1);
    } else {
      const bool images = op.find("conv") != std::string::npos || op.find("pool") != std::string::npos;
      const size_t rank = near && rng_.chance(0.7) ? near->size()
                          : images                 ? (rng_.chance(0.7) ? 4 : 3)
                                                   : static_cast<size_t>(rng_.below(5));
      for (size_t i = 0; i < rank; ++i) shape.push_back(some_dim());
    }
    TensorFacts facts;
    facts.type = ctx_.tensor_type(dtype, std::move(shape));
    facts.is_weight = all_weights_ || rng_.chance(0.5);
    const std::vector<double>& wanted = splats_[v];
    if (!wanted.empty() && rng_.chance(0.8)) {
      facts.is_weight = true;
      facts.splat = ctx_.intern(ir::AttrValue(wanted[rng_.below(wanted.size())]));
    } else if (facts.is_weight && rng_.chance(0.3)) {
      facts.splat = ctx_.intern(ir::AttrValue(static_cast<double>(op == "gather" ? 0 : rng_.below(3))));
    }
    tensors_[v] = facts;
  }

  std::vector<int64_t> some_sizes(const std::vector<TensorFacts>& operands, size_t i = 0) const {
    if (i >= operands.size() || !operands[i].type.valid()) return {};
    const ir::Type& type = ctx_.get(operands[i].type);
    return type.is_static_tensor() ? ir::sizes(type.shape) : std::vector<int64_t>{};
  }

  ir::AttrId draw_attribute(const ir::OpDef& def, const ir::AttrSpec& spec,
                            const std::vector<TensorFacts>& operands) {
    if (spec.optional && rng_.chance(0.5)) return {};
    if (spec.fallback && rng_.chance(0.2)) return ctx_.intern(*spec.fallback);
    const std::vector<int64_t> sizes = some_sizes(operands);
    const auto rank = static_cast<int64_t>(sizes.size());
    switch (spec.kind) {
      case ir::AttrKind::kInt: return ctx_.intern(ir::AttrValue(draw_integer(spec.name, rank)));
      case ir::AttrKind::kFloat: return ctx_.intern(ir::AttrValue(rng_.chance(0.5) ? 1.0 : 0.5));
      case ir::AttrKind::kString:
        return ctx_.intern(spec.fallback ? *spec.fallback : ir::AttrValue(std::string("constant")));
      case ir::AttrKind::kInts: return ctx_.intern(ir::AttrValue(draw_integers(def, spec.name, sizes)));
      case ir::AttrKind::kShape: return ctx_.intern(ir::AttrValue(draw_shape(def.name, sizes)));
      case ir::AttrKind::kFloats: return ctx_.intern(ir::AttrValue(std::vector<double>{}));
      case ir::AttrKind::kStrings: return ctx_.intern(ir::AttrValue(std::vector<std::string>{}));
    }
    return {};
  }

  int64_t draw_integer(const std::string& name, int64_t rank) {
    if (name == "to" || name == "dtype") return static_cast<int64_t>(dtype_);
    if (name == "axis")
      return static_cast<int64_t>(rng_.below(static_cast<uint64_t>(std::max<int64_t>(rank, 1))));
    if (name == "group" || name == "groups") return rng_.chance(0.7) ? 1 : 2;
    return static_cast<int64_t>(rng_.below(4));
  }

  std::vector<int64_t> draw_integers(const ir::OpDef& def, const std::string& name,
                                     const std::vector<int64_t>& sizes) {
    const size_t rank = sizes.size();
    std::vector<int64_t> out;
    if (def.name == "slice") {  // of one axis mostly, which is what most rules speak of
      const bool two = rank > 1 && rng_.chance(0.3);
      if (name == "axes") out.push_back(static_cast<int64_t>(rng_.below(std::max<size_t>(rank, 1))));
      if (name == "axes" && two) out.push_back(out[0] == 0 ? 1 : 0);
      while (out.size() < (two ? 2U : 1U))
        out.push_back(name == "starts"   ? rng_.between(-1, 1)
                      : name == "steps"  ? (rng_.chance(0.7) ? 1 : rng_.between(0, 1) * 3 - 1)
                      : rng_.chance(0.1) ? -100
                                         : rng_.between(0, 3));
      return out;
    }
    if (name == "perm") {
      out.resize(rank);
      std::iota(out.begin(), out.end(), 0);
      if (rng_.chance(0.7))
        for (size_t i = rank; i > 1; --i) std::swap(out[i - 1], out[rng_.below(i)]);
    } else if (name == "strides" || name == "dilations") {
      out.assign(rank > 2 ? rank - 2 : 1, rng_.chance(0.7) ? 1 : 2);
    } else if (name == "pads" && def.name != "pad") {
      out.assign(rank > 2 ? 2 * (rank - 2) : 2, rng_.chance(0.5) ? 0 : 1);
    } else if (name == "kernel") {
      out.assign(rank > 2 ? rank - 2 : 1, rng_.between(1, 2));
    } else if (name == "axes") {
      const size_t limit = def.name == "unsqueeze" ? rank + 1 : rank;
      for (size_t i = 0; i < limit; ++i)
        if (rng_.chance(0.4)) out.push_back(static_cast<int64_t>(i));
    } else {
      const size_t count = rng_.chance(0.5) ? rank : 2;
      for (size_t i = 0; i < count; ++i) out.push_back(rng_.between(0, 3));
    }
    return out;
  }

  ir::Shape draw_shape(const std::string& op, const std::vector<int64_t>& sizes) {
    if (op == "reshape") {
      int64_t left = std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
      ir::Shape out;
      if (rng_.chance(0.3)) return ir::static_shape(std::vector<int64_t>(sizes));
      if (const ir::Shape* near = some_shape(); near && rng_.chance(0.3))
        if (ir::is_static(*near) && ir::element_count(*near) == left) return *near;
      if (!sizes.empty() && rng_.chance(0.3)) {  // one dimension as two
        const size_t axis = rng_.below(sizes.size());
        for (size_t i = 0; i < sizes.size(); ++i) {
          const int64_t part = i == axis && sizes[i] % 2 == 0 && rng_.chance(0.7) ? 2 : 1;
          if (i == axis) out.emplace_back(part);
          out.emplace_back(sizes[i] / part);
        }
        return out;
      }
      for (uint64_t parts = rng_.below(3); parts > 0; --parts) {
        std::vector<int64_t> divisors;
        for (int64_t d = 1; d <= left; ++d)
          if (left % d == 0) divisors.push_back(d);
        const int64_t d = divisors[rng_.below(divisors.size())];
        out.emplace_back(d);
        left /= d;
      }
      out.emplace_back(left);
      return out;
    }
    if (const ir::Shape* near = some_shape(); near && rng_.chance(0.7)) return *near;
    ir::Shape out;  // what `sizes` broadcasts to
    for (uint64_t i = rng_.below(3); i > 0; --i) out.emplace_back(rng_.between(1, 3));
    for (int64_t s : sizes) out.emplace_back(s == 1 ? rng_.between(1, 4) : s);
    return out;
  }

  ir::Context& ctx_;
  const CompiledRule& compiled_;
  const Rule& rule_;
  Rng& rng_;
  TensorAnalysis analysis_;
  ir::DType wanted_;
  ir::DType dtype_ = ir::DType::kF32;
  bool all_weights_ = false;
  std::vector<TensorFacts> tensors_, roots_;
  std::vector<ir::AttrId> attributes_;
  std::vector<bool> attribute_set_;
  std::vector<Mentions> mentions_;  ///< of each condition
  std::vector<int64_t> factors_;
  std::vector<std::vector<double>> splats_;   ///< by class variable: what conditions compare it with
  std::vector<std::vector<double>> numbers_;  ///< the same by attribute variable
};

}  // namespace

bool instantiate(ir::Context& ctx, const CompiledRule& rule, Rng& rng, RuleInstance& out, ir::DType dtype) {
  return Instantiator(ctx, rule, rng, dtype).run(out);
}

}  // namespace isomer::rewrite
