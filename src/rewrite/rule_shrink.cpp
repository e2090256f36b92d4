// Translation validation at sizes that can be computed whole, with the structure kept: what is apart stays
// apart, what is equal stays equal, nothing that is more than 1 becomes 1, and no dimension gets so small
// that the pads, kernels and steps of the application no longer act on it as they did.
//
// First all large dimensions are divided by one number: a linear map, so that concatenations, splits and
// reshapes stay consistent. Then each size that is left is taken for a small prime of its own wherever it
// stands. What does not fit the rule is not taken. Symbols become sizes first, and formulas over them what
// they are there, several times over: primes that no other dimension has, other primes, and 1 for all.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "ir/op_table.h"
#include "ir/size_at.h"
#include "rewrite/rule_check.h"

namespace isomer::rewrite {
namespace {

constexpr int64_t kOpen = int64_t{1} << 60;  // size of what has symbols
constexpr int64_t kLarge = 512;              // elements that are computed as they are
constexpr int64_t kSmall = 4;                // dimensions up to here stay
constexpr std::array<int64_t, 12> kPrimes = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};

/// Every dimension of types and shapes, and where `integers` every entry of the matched integer attributes.
template <class OfDim, class OfInteger>
void rewrite_sizes(ir::Context& ctx, const CompiledRule& rule, Instance& instance, OfDim&& of_dim,
                   OfInteger&& of_integer) {
  for (TensorFacts& f : instance.tensors) {
    const ir::Type& type = ctx.get(f.type);
    if (!type.is_ranked_tensor()) continue;
    ir::Shape shape = type.shape;
    for (ir::Dim& d : shape) d = of_dim(d);
    f.type = ctx.tensor_type(type.dtype, std::move(shape));
  }
  for (uint32_t a = 0; a < rule.matched_attributes; ++a) {
    ir::AttrId& id = instance.attributes[a];
    if (!id.valid()) continue;
    ir::AttrValue value = ctx.get(id);
    if (auto* shape = std::get_if<ir::Shape>(&value))
      for (ir::Dim& d : *shape) d = of_dim(d);
    else if (auto* ints = std::get_if<std::vector<int64_t>>(&value))
      for (int64_t& i : *ints) i = of_integer(i);
    else if (auto* i = std::get_if<int64_t>(&value))
      *i = of_integer(*i);
    id = ctx.intern(value);
  }
}

int64_t elements(const ir::Context& ctx, const Instance& instance) {
  int64_t most = 0;
  for (const auto* list : {&instance.tensors, &instance.roots})
    for (const TensorFacts& f : *list)
      if (const ir::Type& type = ctx.get(f.type); type.is_ranked_tensor())
        most = std::max(most, ir::is_static(type.shape) ? ir::element_count(type.shape) : kOpen);
  return most;
}

/// Of one instance without symbols.
class Shrinking {
 public:
  Shrinking(ir::Context& ctx, const CompiledRule& rule, const Instance& original)
      : ctx_(ctx), rule_(rule), original_(original), best_(original), size_(elements(ctx, original)) {
    for (uint32_t a = 0; a < rule.matched_attributes; ++a) {
      if (!original.attributes[a].valid()) continue;
      if (const auto* list = std::get_if<std::vector<int64_t>>(&ctx.get(original.attributes[a])))
        for (const int64_t i : *list) {
          if (i != 0 && std::abs(i) <= kActing) floor_ = std::max(floor_, std::abs(i));
          far_ |= std::abs(i) > kActing && std::abs(i) < kEnd;
        }
    }
  }

  Instance run() {
    if (size_ <= kLarge) return best_;
    divide();
    if (!far_) rename();
    return best_;
  }

 private:
  static constexpr int64_t kActing = 16;             // integers up to here are pads, kernels, steps
  static constexpr int64_t kEnd = int64_t{1} << 31;  // the ends of slices that take all

  void divide() {
    for (const bool attributes : {true, false})
      for (int64_t power = 1024; power >= 1; power /= 2)
        for (const int64_t odd : {1, 3, 5, 7}) {
          const int64_t by = power * odd;
          const auto divided = [by](int64_t size) {
            return size > kSmall && size % by == 0 ? size / by : size;
          };
          Instance trial = original_;
          rewrite_sizes(
              ctx_, rule_, trial, [&](ir::Dim d) { return d.is_static() ? ir::Dim(divided(d.size())) : d; },
              [&](int64_t i) { return attributes ? divided(i) : i; });
          take(std::move(trial));
        }
  }

  void rename() {
    std::set<int64_t, std::greater<>> left;
    for (const TensorFacts& f : best_.tensors)
      if (const ir::Type& type = ctx_.get(f.type); type.is_static_tensor())
        for (const ir::Dim d : type.shape)
          if (d.size() > kSmall) left.insert(d.size());
    for (const int64_t from : left) {
      bool taken = false;
      for (const int64_t to : kPrimes)
        for (const bool attributes : {true, false}) {
          if (taken || to <= floor_ || to >= from) continue;
          Instance trial = best_;
          rewrite_sizes(
              ctx_, rule_, trial,
              [&](ir::Dim d) { return d.is_static() && d.size() == from ? ir::Dim(to) : d; },
              [&](int64_t i) { return attributes && i == from ? to : i; });
          taken = take(std::move(trial));
        }
    }
  }

  bool take(Instance trial) {
    if (trial.tensors == best_.tensors || !refit(ctx_, rule_, trial)) return false;
    const int64_t now = elements(ctx_, trial);
    if (now >= size_ || !same_structure(trial)) return false;
    best_ = std::move(trial);
    size_ = now;
    return true;
  }

  /// Whether sizes that are apart in the original are apart in `trial`, and all that act still do.
  bool same_structure(const Instance& trial) const {
    std::map<int64_t, int64_t> original_of;
    for (const auto& [before, after] :
         {std::pair{&original_.tensors, &trial.tensors}, {&original_.roots, &trial.roots}})
      for (size_t i = 0; i < before->size(); ++i) {
        const ir::Type &was = ctx_.get((*before)[i].type), &is = ctx_.get((*after)[i].type);
        if (!was.is_static_tensor() || !is.is_static_tensor()) continue;
        if (was.shape.size() != is.shape.size()) return false;
        for (size_t d = 0; d < was.shape.size(); ++d) {
          const int64_t from = was.shape[d].size(), to = is.shape[d].size();
          if (from != to && (to < 2 || (before == &original_.tensors && to <= floor_))) return false;
          if (original_of.emplace(to, from).first->second != from) return false;
        }
      }
    return true;
  }

  ir::Context& ctx_;
  const CompiledRule& rule_;
  const Instance& original_;
  Instance best_;
  int64_t size_;
  int64_t floor_ = 1;  ///< the largest of what acts
  bool far_ = false;   ///< integers that are neither small nor the end of everything
};

/// The names in an instance's dimensions and their formulas, in the order in which they stand.
std::vector<ir::SymbolId> symbols_of(ir::Context& ctx, const CompiledRule& rule, const Instance& instance) {
  std::vector<ir::SymbolId> out;
  Instance copy = instance;
  rewrite_sizes(
      ctx, rule, copy,
      [&](ir::Dim d) {
        for (const ir::SymbolId name : names_in(ctx, d))
          if (std::ranges::find(out, name) == out.end()) out.push_back(name);
        return d;
      },
      [](int64_t i) { return i; });
  return out;
}

}  // namespace

bool refit(ir::Context& ctx, const CompiledRule& compiled, Instance& instance, bool* other_type) {
  if (other_type != nullptr) *other_type = false;
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
  const auto made = right_roots(analysis, compiled, scope);
  const bool same =
      made && std::ranges::equal(*made, instance.roots, {}, &TensorFacts::type, &TensorFacts::type);
  if (other_type != nullptr) *other_type = !same;
  return same;
}

std::vector<Instance> shrink(ir::Context& ctx, const CompiledRule& rule, const Instance& instance) {
  const std::vector<ir::SymbolId> symbols = symbols_of(ctx, rule, instance);
  if (symbols.empty()) return {Shrinking(ctx, rule, instance).run()};
  std::set<int64_t> fixed;  // sizes that no symbol may have by chance
  for (const TensorFacts& f : instance.tensors)
    if (const ir::Type& type = ctx.get(f.type); type.is_ranked_tensor())
      for (const ir::Dim d : type.shape)
        if (d.is_static()) fixed.insert(d.size());
  std::vector<Instance> out;
  const auto with = [&](auto&& size_of) {
    Instance trial = instance;
    bool sized = true;
    rewrite_sizes(
        ctx, rule, trial,
        [&](ir::Dim d) {
          const auto size = size_at(ctx, d, [&](ir::SymbolId name) -> std::optional<int64_t> {
            return size_of(static_cast<size_t>(std::ranges::find(symbols, name) - symbols.begin()));
          });
          sized = sized && (size || d.is_unknown());
          return size ? ir::Dim(*size) : d;
        },
        [](int64_t i) { return i; });
    if (sized && refit(ctx, rule, trial)) out.push_back(Shrinking(ctx, rule, trial).run());
  };
  std::vector<int64_t> free;
  for (const int64_t p : kPrimes)
    if (!fixed.contains(p)) free.push_back(p);
  const auto nth = [&](size_t i) { return i < free.size() ? free[i] : 41 + 2 * static_cast<int64_t>(i); };
  with([&](size_t i) { return nth(i + 1); });
  with([&](size_t i) { return nth(symbols.size() - i); });
  with([&](size_t) { return int64_t{1}; });
  // Formulas of windows and cuts want more, or what halves.
  for (const int64_t least : {64, 256})
    if (out.empty()) with([&](size_t i) { return least + 16 * static_cast<int64_t>(i); });
  if (out.empty()) out.push_back(instance);
  return out;
}

}  // namespace isomer::rewrite
