// Random instances of a rule. Variables and attributes are drawn at the operator that first needs them, in
// the order of the left sides' nodes, and drawn again there until the operator takes them, so that what fits
// is found quickly although nothing is known of the operators but their type rules. Draws lean on what is
// there: the shapes and dimensions of the types drawn so far, permutations, factorings of element counts.
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "ir/constant_data.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_draws.h"
#include "rewrite/rule_hints.h"
#include "rewrite/rule_mutation.h"
#include "rewrite/rule_values.h"
#include "rewrite/term_parser.h"
#include "support/errors.h"

namespace isomer::rewrite {
namespace {

class Instantiator {
 public:
  Instantiator(ir::Context& ctx, const CompiledRule& compiled, const RuleHints& hints, Rng& rng,
               ir::DType wanted)
      : ctx_(ctx),
        compiled_(compiled),
        rule_(*compiled.rule),
        rng_(rng),
        analysis_(ctx),
        wanted_(wanted),
        hints_(hints),
        draws_(hints, rng) {}

  /// Whether no operands of the first operator were found: what the others need was never asked.
  bool failed_at_first() const { return at_first_; }
  /// Whether all was drawn, and only the right side has another type, or none.
  bool other_type() const { return other_type_; }

  bool run(Instance& out) {
    at_first_ = true;
    tensors_.assign(rule_.tensors.size(), {});
    attributes_.assign(rule_.attributes.size(), {});
    attribute_set_.assign(rule_.attributes.size(), false);
    for (size_t i = compiled_.matched_attributes; i < rule_.attributes.size(); ++i) attribute_set_[i] = true;
    draws_.dtype = wanted_ != ir::DType::kUndefined ? wanted_
                   : rule_.dtypes.empty()           ? draws_.some_float()
                                                    : rule_.dtypes[rng_.below(rule_.dtypes.size())];
    if (wanted_ == ir::DType::kUndefined && !ir::is_float(draws_.dtype) && rng_.chance(0.2))
      draws_.dtype = draws_.some_float();  // what a left side may make integers of
    choose_style();
    for (const Term& term : rule_.left)
      if (!draw_term(term)) return false;
    out = {attributes_, tensors_, {}};
    return refit(ctx_, compiled_, out, &other_type_);
  }

 private:
  static constexpr uint32_t kNone = kNoNode;
  static constexpr int kTries = 300, kTriesOfAStyle = 60;

  void choose_style() {
    all_weights_ = rng_.chance(0.5);
    draws_.style = rng_.chance(0.5)   ? Style::kSmall
                   : rng_.chance(0.2) ? Style::kEmpty
                                      : Style(1 + rng_.below(kStyles - 2));
    primes_ = {2, 3, 5, 7, 11, 13};
    draws_.shuffle(primes_);
    long_ = true;
    equal_ = hints_.stepped && rng_.chance(0.7) ? rng_.between(4, 9) : rng_.between(2, 3);
  }

  /// What each node's elements are wanted to be by what is above it: an index that is spread, or added to, is
  /// one before that.
  std::vector<ir::Elements> wanted_elements(const Term& term) const {
    std::vector<ir::Elements> out(term.nodes.size(), ir::Elements::kAny);
    for (size_t i = term.nodes.size(); i-- > 0;) {
      const TermNode& n = term.nodes[i];
      if (n.is_variable) continue;
      const ir::OpDef& def = ctx_.ops().get(n.op);
      for (size_t c = 0; c < n.children.size(); ++c) {
        const ir::Elements own = def.elements_of(c);
        // bools are made by comparisons, of anything, or moved
        const bool passed = out[i] != ir::Elements::kBools || def.moves == ir::Moves::kSelects ||
                            def.moves == ir::Moves::kReshapes;
        out[n.children[c]] = own == ir::Elements::kAny && passed ? out[i] : own;
      }
    }
    return out;
  }

  bool draw_term(const Term& term) {
    wanted_elements_ = wanted_elements(term);
    made_.assign(term.nodes.size(), {});
    const std::vector<uint32_t> beside = nodes_beside(term);
    for (size_t i = 0; i < term.nodes.size(); ++i) {
      const TermNode& n = term.nodes[i];
      if (n.is_variable) continue;  // drawn where it is used
      beside_ = beside[i] != kNone ? &made_[beside[i]] : nullptr;
      top_ = i + 1 == term.nodes.size() ? roots_.size() : kNone;
      if (!draw_node(term, n, made_, made_[i])) return false;
    }
    roots_.push_back(made_.back());
    made_.clear();
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
    const std::optional<ir::TypeId> right = right_type(fresh_attributes, fresh_tensors);
    if (right && !right->valid()) return false;  // whatever is drawn now
    becomes_ = right.value_or(ir::TypeId());
    const int tries = fresh_tensors.empty() && fresh_attributes.empty() ? 1 : kTries;
    const bool long_before = long_;
    for (int t = 0; t < tries; ++t) {
      for (uint32_t v : fresh_tensors) tensors_[v] = {};
      long_ = long_before;
      if (at_first_ && t % kTriesOfAStyle == kTriesOfAStyle - 1) choose_style();  // nothing is of another yet
      const bool rare = t > 40, lost = rare && rng_.chance(0.5);
      for (size_t c = 0; c < n.children.size(); ++c) {
        const TermNode& child = term.nodes[n.children[c]];
        if (!child.is_variable || tensors_[child.variable].type.valid()) continue;
        const auto sizes_of_operand = [&](size_t before) {
          const uint32_t other = n.children[before];
          return sizes_of(term.nodes[other].is_variable ? tensors_[term.nodes[other].variable]
                                                        : facts[other]);
        };
        const ir::DType made = other_type_made(n, facts);
        const bool other = made != ir::DType::kUndefined && rng_.chance(0.5);
        draw_tensor(child.variable, def,
                    other ? made : draws_.element_type(child.variable, wanted_elements_[n.children[c]], lost),
                    c != 1 ? std::vector<int64_t>{} : sizes_of_operand(0),
                    c == 0 && n.children.size() > 1 ? sizes_of_operand(1) : std::vector<int64_t>{});
        if (def.kind == ir::MeaningKind::kMovement && def.elements_of(c) == ir::Elements::kIntegers &&
            c > 0 && rng_.chance(0.5))
          set_vector(child.variable, sizes_of_operand(0).size());  // a number for each dimension
        if (rare && c > 0 && rng_.chance(0.3)) relate(child.variable, sizes_of_operand(rng_.below(c)));
      }
      std::vector<TensorFacts> operands;
      for (uint32_t c : n.children)
        operands.push_back(term.nodes[c].is_variable ? tensors_[term.nodes[c].variable] : facts[c]);
      if (!std::ranges::all_of(operands, [&](const TensorFacts& f) { return small(f.type); })) continue;
      const size_t rank = some_sizes(operands).size();
      for (uint32_t a : fresh_attributes) attribute_set_[a] = false;
      if (!conditions_hold_so_far(fresh_tensors, {})) continue;  // before more is made
      draws_.sliced = rank > 1 && rng_.chance(0.4) ? 1 + rng_.below(std::min<size_t>(rank, 3)) : 1;
      for (const Expr& e : n.attrs)  // as many as the rule writes out
        if (const auto* list =
                e.kind == Expr::Kind::kLiteral ? std::get_if<std::vector<int64_t>>(&e.value) : nullptr)
          draws_.sliced = list->size();
      draws_.taken = rng_.chance(0.4) ? Taken::kAll : rng_.chance(0.4) ? Taken::kWithin : Taken::kAnywhere;
      draws_.ways.assign(draws_.sliced, 1);
      for (int64_t& way : draws_.ways)
        if (rng_.chance(0.25)) way = -1;
      const std::vector<ir::AttrId> ids = draw_attributes(n, def, operands, fresh_attributes);
      result = analysis_.make(n.op.v, ctx_.intern(ids).v, operands);
      if (!result.type.valid() && take_trailing(def, ids, fresh_tensors, term, n, operands))
        result = analysis_.make(n.op.v, ctx_.intern(ids).v, operands);
      if (result.type.valid() && (!becomes_.valid() || result.type == becomes_) && small(result.type) &&
          conditions_hold_so_far(fresh_tensors, fresh_attributes)) {
        at_first_ = false;
        return true;
      }
    }
    return false;
  }

  std::vector<ir::AttrId> draw_attributes(const TermNode& n, const ir::OpDef& def,
                                          const std::vector<TensorFacts>& operands,
                                          const std::vector<uint32_t>& fresh_attributes) {
    std::vector<ir::AttrId> ids;
    for (size_t i = 0; i < n.attrs.size(); ++i) {
      const Expr& e = n.attrs[i];
      if (e.kind == Expr::Kind::kAttr && !attribute_set_[e.index]) {
        const std::vector<size_t>& lengths = hints_.lengths[e.index];
        draws_.length = lengths.empty() ? 0 : lengths[rng_.below(lengths.size())];
        const ir::AttrId drawn = draw_attribute(def, def.attrs[i], operands);
        const bool steer = def.attrs[i].role != ir::AttrRole::kDType || rng_.chance(0.3);
        attributes_[e.index] =
            steer && drawn.valid() ? ctx_.intern(draws_.steered(ctx_.get(drawn), def, e.index)) : drawn;
        take_definition(e.index, def.attrs[i], some_sizes(operands));
        attribute_set_[e.index] = true;
      }
    }
    for (size_t i = 0; i < n.attrs.size(); ++i) {
      const Expr& e = n.attrs[i];
      if (e.kind == Expr::Kind::kAttr && def.attrs[i].kind == ir::AttrKind::kFloat &&
          std::ranges::find(fresh_attributes, e.index) != fresh_attributes.end())
        take_definition(e.index, def.attrs[i], {});  // by what was drawn after it
      ids.push_back(e.kind == Expr::Kind::kLiteral ? ctx_.intern(e.value)
                    : e.kind == Expr::Kind::kAttr  ? attributes_[e.index]
                                                   : ir::AttrId());
    }
    return ids;
  }

  /// Of what an operand made, where that is not the type of most tensors: its other operands may be of it.
  ir::DType other_type_made(const TermNode& n, const std::vector<TensorFacts>& facts) const {
    for (const uint32_t c : n.children)
      if (const ir::TypeId type = facts[c].type; type.valid() && ctx_.get(type).is_tensor())
        if (const ir::DType made = ctx_.get(type).dtype; made != draws_.dtype && ir::is_float(made))
          return made;
    return ir::DType::kUndefined;
  }

  /// What several operands hardly ever fit by luck (trailing_shape). False where that is nothing new.
  bool take_trailing(const ir::OpDef& def, std::span<const ir::AttrId> attrs, std::span<const uint32_t> fresh,
                     const Term& term, const TermNode& n, std::vector<TensorFacts>& operands) {
    const auto shape = trailing_shape(ctx_, def, attrs, some_sizes(operands));
    bool changed = false;
    for (size_t c = 1; shape && c < operands.size(); ++c) {
      const TermNode& child = term.nodes[n.children[c]];
      if (!child.is_variable || std::ranges::find(fresh, child.variable) == fresh.end()) continue;
      operands[c].type = ctx_.tensor_type(ctx_.get(operands[c].type).dtype, *shape);
      changed |= std::exchange(tensors_[child.variable].type, operands[c].type) != operands[c].type;
    }
    return changed;
  }

  bool drawn(const Mentions& m) const {
    return std::ranges::all_of(m.tensors, [&](uint32_t v) { return tensors_[v].type.valid(); }) &&
           std::ranges::all_of(m.attributes, [&](uint32_t a) { return attribute_set_[a]; });
  }

  /// Mostly what conditions say that the attribute is, where that is known by now.
  void take_definition(uint32_t a, const ir::AttrSpec& spec, const std::vector<int64_t>& sizes) {
    if (spec.kind != ir::AttrKind::kInts && spec.kind != ir::AttrKind::kFloat) return;
    for (const Definition& d : hints_.defined[a]) {
      if (!drawn(d.mentions) || !attributes_[a].valid() || rng_.chance(0.1)) continue;
      auto value = evaluate(*d.by, {ctx_, attributes_, tensors_, roots_});
      const auto* now = std::get_if<std::vector<int64_t>>(&ctx_.get(attributes_[a]));
      if (const auto* each = value ? std::get_if<int64_t>(&*value) : nullptr; each && now)
        value = ir::AttrValue(std::vector<int64_t>(now->size(), *each));
      if (value && std::holds_alternative<double>(*value) && spec.kind == ir::AttrKind::kFloat)
        attributes_[a] = ctx_.intern(*value);
      const auto* list = value ? std::get_if<std::vector<int64_t>>(&*value) : nullptr;
      if (list == nullptr || spec.kind != ir::AttrKind::kInts) continue;
      attributes_[a] = ctx_.intern(*value);
      if (spec.role == ir::AttrRole::kSliced) draws_.slice_axes(*list, sizes);
    }
  }

  /// Conditions that the last draw has made decidable: eight operands that each must be a constant matrix are
  /// found one by one, never all at once.
  bool conditions_hold_so_far(std::span<const uint32_t> fresh_tensors,
                              std::span<const uint32_t> fresh_attributes) const {
    for (size_t i = 0; i < hints_.conditions.size(); ++i) {
      const Mentions& m = hints_.conditions[i];
      if (m.whole) continue;
      const auto has = [](std::span<const uint32_t> all, uint32_t v) {
        return std::ranges::find(all, v) != all.end();
      };
      const bool now =
          std::ranges::any_of(m.tensors, [&](uint32_t v) { return has(fresh_tensors, v); }) ||
          std::ranges::any_of(m.attributes, [&](uint32_t a) { return has(fresh_attributes, a); });
      if (now && drawn(m) && !holds(rule_.conditions[i], {ctx_, attributes_, tensors_, roots_})) return false;
    }
    return true;
  }

  bool small(ir::TypeId id) const {
    const ir::Type& type = ctx_.get(id);
    if (!type.is_static_tensor()) return true;
    const bool empty = std::ranges::any_of(type.shape, [](ir::Dim d) { return d.size() == 0; });
    return empty ? draws_.style == Style::kEmpty : has_at_most(type.shape, 8192);
  }

  /// What the right side makes of what is drawn, where that does not hang on what is to be drawn now: the
  /// left side must become that too. Nothing where it is not known; invalid where the right side has no type.
  std::optional<ir::TypeId> right_type(std::span<const uint32_t> fresh_attributes,
                                       std::span<const uint32_t> fresh_tensors) {
    if (top_ == kNone || fresh_attributes.empty() || !fresh_tensors.empty() || rule_.right.size() != 1 ||
        rule_.left.size() != 1 || !rule_.lets.empty() || right_hangs_on(fresh_attributes))
      return std::nullopt;
    const bool all = std::ranges::all_of(tensors_, [](const TensorFacts& f) { return f.type.valid(); });
    if (!all) return std::nullopt;
    const auto made = right_roots(analysis_, compiled_, {ctx_, attributes_, tensors_, roots_});
    if (!made) return ir::TypeId();
    const ir::TypeId type = made->front().type;
    return small(type) ? type : ir::TypeId();
  }

  bool right_hangs_on(std::span<const uint32_t> fresh_attributes) const {
    return hints_.right.whole || std::ranges::any_of(hints_.right.attributes, [&](uint32_t a) {
             return std::ranges::find(fresh_attributes, a) != fresh_attributes.end();
           });
  }

  const ir::Shape* some_shape() {
    const auto shape_of = [&](ir::TypeId id) {
      return id.valid() && ctx_.get(id).is_static_tensor() ? &ctx_.get(id).shape : nullptr;
    };
    if (const ir::Shape* wanted = shape_of(becomes_); wanted && rng_.chance(0.6)) return wanted;
    if (beside_ && rng_.chance(0.4))
      if (const ir::Shape* wanted = shape_of(beside_->type)) return wanted;
    std::vector<const ir::Shape*> shapes;
    for (const TensorFacts& f : tensors_)
      if (f.type.valid() && ctx_.get(f.type).is_tensor()) shapes.push_back(&ctx_.get(f.type).shape);
    for (const TensorFacts& f : roots_)
      if (ctx_.get(f.type).is_tensor()) shapes.push_back(&ctx_.get(f.type).shape);
    for (const TensorFacts& f : made_)
      if (const ir::Shape* shape = shape_of(f.type)) shapes.push_back(shape);
    return shapes.empty() ? nullptr : shapes[rng_.below(shapes.size())];
  }

  ir::Dim small_dim() {
    const std::vector<int64_t>& factors = hints_.factors;
    static constexpr int64_t kWithParts[] = {4, 6, 8, 12};
    if (hints_.regroups && draws_.style != Style::kEmpty && rng_.chance(0.5))
      return ir::Dim(kWithParts[rng_.below(std::size(kWithParts))]);
    if (draws_.style != Style::kEqual && !factors.empty() && rng_.chance(0.25))
      return ir::Dim(factors[rng_.below(factors.size())]);
    switch (draws_.style) {
      case Style::kPrimes: return ir::Dim(primes_[next_prime_++ % primes_.size()]);
      case Style::kNumbers:
        if (!hints_.sizes.empty() && rng_.chance(0.6)) return ir::Dim(draws_.near_a_size());
        return ir::Dim(rng_.between(1, 5));
      case Style::kLong: {
        static constexpr int64_t kBeyond[] = {131, 256, 257, 2053};  // what 8 bits, and f16, count to
        if (!long_ || rng_.chance(0.5)) return ir::Dim(rng_.between(1, 2));
        long_ = false;
        return ir::Dim(!hints_.sizes.empty() && rng_.chance(0.5) ? draws_.near_a_size() + rng_.between(0, 4)
                                                                 : kBeyond[rng_.below(std::size(kBeyond))]);
      }
      case Style::kEqual: return ir::Dim(equal_);
      case Style::kEmpty:
        if (long_ && rng_.chance(0.4)) {
          long_ = false;
          return ir::Dim(0);
        }
        return ir::Dim(rng_.between(1, 3));
      case Style::kAxes: return ir::Dim(rng_.between(1, 3));
      default: return ir::Dim(hints_.stepped && rng_.chance(0.4) ? rng_.between(4, 9) : rng_.between(1, 4));
    }
  }

  /// `image`: sizes of what a convolution's weights, if this is one, are for; `weights`: of what its image
  /// is.
  void draw_tensor(uint32_t v, const ir::OpDef& op, ir::DType dtype, const std::vector<int64_t>& image,
                   const std::vector<int64_t>& weights) {
    const bool convolves = op.kind == ir::MeaningKind::kContraction &&
                           (op.has_role(ir::AttrRole::kGroups) || op.has_role(ir::AttrRole::kWindowPads));
    const ir::Shape* near = some_shape();
    ir::Shape shape;
    const uint64_t how = near ? rng_.below(8) : 7;
    const auto some_dim = [&] {
      return near && !near->empty() && rng_.chance(0.6) ? (*near)[rng_.below(near->size())] : small_dim();
    };
    if (convolves && image.size() > 2 && image[1] > 0 && rng_.chance(0.8)) {
      shape = draws_.kernel_shape(!op.windowed, op.has_role(ir::AttrRole::kGroups), image);
    } else if (convolves && weights.size() > 2 && rng_.chance(0.6)) {
      shape = draws_.image_shape(!op.windowed, op.has_role(ir::AttrRole::kGroups), weights);
    } else if (const ir::Shape* counted = as_many_as(v); counted && rng_.chance(0.5)) {
      shape = draws_.along_other_axes(*counted, beside_ ? sizes_of(*beside_) : std::vector<int64_t>{});
    } else if (!image.empty() && rng_.chance(0.25)) {  // as the first operand
      shape = ir::static_shape(image);
    } else if (op.attr_index("blocksize") >= 0 && rng_.chance(0.7)) {  // channels that make whole blocks
      static constexpr int64_t kChannels[] = {4, 8, 9, 12, 16, 18, 36};
      for (const int64_t size : {rng_.between(1, 2), kChannels[rng_.below(std::size(kChannels))],
                                 rng_.between(1, 6), rng_.between(1, 6)})
        shape.emplace_back(size);
    } else if (how < 3) {
      shape = *near;
      if (how == 2 && !shape.empty()) shape[rng_.below(shape.size())] = small_dim();
    } else if (how == 3) {
      shape = {some_dim()};
    } else if (how == 4 && near->size() >= 2) {  // a suffix, with ones put in: what broadcasts to `near`
      shape.assign(near->begin() + static_cast<std::ptrdiff_t>(rng_.below(near->size())), near->end());
      for (ir::Dim& d : shape)
        if (rng_.chance(0.5)) d = ir::Dim(1);
    } else {
      const size_t rank = near && rng_.chance(0.7) ? near->size()
                          : op.images              ? (rng_.chance(0.6)   ? 4
                                                      : rng_.chance(0.6) ? 3
                                                                         : 5)
                          : draws_.style == Style::kAxes
                              ? static_cast<size_t>(rng_.between(5, hints_.most_axes))
                          : draws_.style == Style::kEqual ? static_cast<size_t>(rng_.between(2, 5))
                                                          : static_cast<size_t>(rng_.below(5));
      for (size_t i = 0; i < rank; ++i) shape.push_back(some_dim());
      if (op.windowed && draws_.style != Style::kEmpty && rng_.chance(0.3))  // room for several windows
        for (size_t i = 2; i < rank; ++i) shape[i] = ir::Dim(rng_.between(4, rank > 4 ? 6 : 9));
    }
    TensorFacts facts;
    facts.type = ctx_.tensor_type(dtype, std::move(shape));
    facts.is_weight = all_weights_ || rng_.chance(0.5);
    const std::vector<double>& wanted = hints_.splats[v];
    const auto extreme =
        hints_.highest[v] && rng_.chance(0.9) ? extreme_of(dtype, *hints_.highest[v]) : std::nullopt;
    if (extreme || (!wanted.empty() && rng_.chance(0.8)) || (facts.is_weight && rng_.chance(0.3))) {
      facts.is_weight = true;
      facts.splat = ctx_.intern(ir::AttrValue(extreme ? *extreme : draw_splat(dtype, wanted)));
    }
    tensors_[v] = facts;
  }

  /// The shape of a tensor that was drawn and that, as conditions say, has as many elements.
  const ir::Shape* as_many_as(uint32_t v) const {
    for (const uint32_t other : hints_.as_many[v])
      if (const ir::TypeId id = tensors_[other].type; id.valid() && ctx_.get(id).is_static_tensor())
        return &ctx_.get(id).shape;
    return nullptr;
  }

  void set_vector(uint32_t v, size_t length) {
    tensors_[v].type =
        ctx_.tensor_type(ctx_.get(tensors_[v].type).dtype, {ir::Dim(static_cast<int64_t>(length))});
  }

  /// As an operand before it without one of its axes, a dimension halved: numbers that heads or pairs share;
  /// or with one axis more, and ones: what is added to all heads.
  void relate(uint32_t v, std::vector<int64_t> sizes) {
    if (sizes.size() < 2) return;
    const auto at = [&](size_t i) { return sizes.begin() + static_cast<std::ptrdiff_t>(i); };
    if (rng_.chance(0.5)) {
      sizes.erase(at(rng_.below(sizes.size())));
      if (rng_.chance(0.7)) sizes[rng_.chance(0.5) ? sizes.size() - 1 : rng_.below(sizes.size())] /= 2;
    } else {
      for (int64_t& size : sizes)
        if (rng_.chance(0.5)) size = 1;
      sizes.insert(at(rng_.below(sizes.size() + 1)), 1);
    }
    tensors_[v].type = ctx_.tensor_type(ctx_.get(tensors_[v].type).dtype, ir::static_shape(sizes));
  }

  /// What all elements of a constant are: at or around what conditions compare it with, the size of a
  /// dimension, or a number like any other.
  double draw_splat(ir::DType dtype, const std::vector<double>& wanted) {
    static constexpr double kAny[] = {0, 1, 2, -1, -2, 0.5, 3};
    double x = kAny[rng_.below(std::size(kAny))];
    const ir::Shape* near = some_shape();
    if (!wanted.empty() && rng_.chance(0.8))
      x = wanted[rng_.below(wanted.size())];
    else if (near && !near->empty() && ir::is_static(*near) && rng_.chance(0.4))
      x = static_cast<double>((*near)[rng_.below(near->size())].size() + rng_.between(-1, 1));
    return held_by(dtype, x);
  }

  std::vector<int64_t> sizes_of(const TensorFacts& facts) const {
    if (!facts.type.valid()) return {};
    const ir::Type& type = ctx_.get(facts.type);
    return type.is_static_tensor() ? ir::sizes(type.shape) : std::vector<int64_t>{};
  }

  std::vector<int64_t> some_sizes(const std::vector<TensorFacts>& operands, size_t i = 0) const {
    return i < operands.size() ? sizes_of(operands[i]) : std::vector<int64_t>{};
  }

  ir::AttrId draw_attribute(const ir::OpDef& def, const ir::AttrSpec& spec,
                            const std::vector<TensorFacts>& operands) {
    const auto value = draws_.attribute(def, spec, some_sizes(operands), [&] { return some_shape(); });
    return value ? ctx_.intern(*value) : ir::AttrId();
  }

  ir::Context& ctx_;
  const CompiledRule& compiled_;
  const Rule& rule_;
  Rng& rng_;
  TensorAnalysis analysis_;
  ir::DType wanted_;
  bool all_weights_ = false;
  std::vector<TensorFacts> tensors_, roots_;
  std::vector<TensorFacts> made_;              ///< by the nodes of the term that is being drawn
  const TensorFacts* beside_ = nullptr;        ///< of these, what stands beside the node that is being drawn
  ir::TypeId becomes_;                         ///< what the right side makes, where the root is being drawn
  size_t top_ = kNone;                         ///< which root is being drawn, if one is
  std::vector<ir::Elements> wanted_elements_;  ///< of the term's nodes
  std::vector<ir::AttrId> attributes_;
  std::vector<bool> attribute_set_;
  std::vector<int64_t> primes_;
  size_t next_prime_ = 0;
  bool other_type_ = false;
  bool at_first_ = true;  ///< the first operator, or none, is being drawn
  int64_t equal_ = 2;
  bool long_ = true;  ///< the long dimension, or the empty one, is still to come
  const RuleHints& hints_;
  AttributeDraws draws_;
};

}  // namespace

bool instantiate(ir::Context& ctx, const CompiledRule& rule, const RuleHints& hints, Rng& rng, Instance& out,
                 ir::DType dtype, bool* failed_at_first, bool* other_type) {
  Instantiator instantiator(ctx, rule, hints, rng, dtype);
  const bool found = instantiator.run(out);
  if (other_type) *other_type = instantiator.other_type();
  if (failed_at_first) *failed_at_first = instantiator.failed_at_first();
  return found;
}

}  // namespace isomer::rewrite
