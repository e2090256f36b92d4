// Saturation of tensor programs by its definition, for graphs of matrices: every match of every rule by
// trying everything, conditions and types worked out anew, multi-patterns by trying all tuples, egg's backoff
// as its paper states it, reachability by transitive closure. Shares with the engine the parsed rules and
// interned names alone.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "egraph/naive_egraph.h"
#include "ir/context.h"
#include "ir/op_table.h"
#include "rewrite/matrix_shapes.h"
#include "rewrite/rule.h"

namespace isomer::rewrite {

class NaiveSaturation {
 public:
  using Shape = MatrixShape;
  enum class Refuse : uint8_t { kNothing, kCyclic };

  explicit NaiveSaturation(ir::Context& ctx) : ctx_(ctx) {}

  /// The term with these children, added if there is none; nothing where its types do not fit.
  std::optional<uint32_t> add(ir::OpId op, ir::PayloadId payload, const std::vector<uint32_t>& children);
  uint32_t add_leaf(ir::OpId op, ir::PayloadId payload, Shape shape);
  void close() { terms_.close(); }

  void iteration_begins() { before_ = {terms_.size(), terms_.classes()}; }
  /// All rules of several left sides. `refuse`: matches whose right side would have a root below itself.
  void multi_step(const RuleSet& rules, Refuse refuse);
  /// All others, those that are banned left out. `limit` 0: no backoff.
  void single_step(const RuleSet& rules, uint64_t iteration, size_t limit, uint32_t ban_length);

  const egraph::NaiveEGraph& terms() const { return terms_; }
  std::pair<ir::OpId, ir::PayloadId> spelled(uint32_t op) const { return spelled_[op]; }

  /// Terms that matching leaves out; equal terms are left out only together.
  void set_filtered(std::set<uint32_t> terms);
  bool usable(uint32_t term) const;
  /// Whether some class reaches itself through usable terms, from the classes of these terms or (none) at
  /// all.
  bool cyclic(const std::vector<uint32_t>& roots) const;
  /// Classes with a finite term of usable terms.
  std::set<uint32_t> finite() const;

  size_t condition_refused = 0, type_refused = 0, cycle_refused = 0, joined = 0, bans = 0;

 private:
  struct Bindings {
    std::map<uint32_t, uint32_t> tensors;  ///< class
    std::map<uint32_t, ir::AttrValue> attributes;
  };
  struct Match {
    uint32_t root;  ///< class
    Bindings bound;
  };
  struct Backoff {
    uint64_t banned_until = 0;
    uint32_t bans = 0;
  };

  void match(const Term& left, size_t at, uint32_t c, const Bindings& bound,
             const std::function<void(const Bindings&)>& then) const;
  std::vector<Match> matches(const Term& left) const;
  std::vector<uint32_t> classes() const;
  std::optional<ir::AttrValue> value(const Expr& e, const Bindings& bound) const;
  /// Adds and unites, unless a condition or a type is against it.
  void apply(const Rule& rule, const std::vector<uint32_t>& roots, Bindings bound,
             const std::vector<std::vector<bool>>* below);
  /// By class: which classes it reaches through usable terms, itself among them only if round a cycle.
  std::vector<std::vector<bool>> reach() const;

  ir::Context& ctx_;
  egraph::NaiveEGraph terms_;
  std::vector<std::pair<ir::OpId, ir::PayloadId>> spelled_;
  std::vector<Shape> shapes_;  ///< by term
  std::set<uint32_t> filtered_;
  std::map<std::string, Backoff> backoff_;
  std::pair<size_t, size_t> before_;  ///< terms and classes when the iteration began
};

inline std::optional<uint32_t> NaiveSaturation::add(ir::OpId op, ir::PayloadId payload,
                                                    const std::vector<uint32_t>& children) {
  const auto number = [&] {
    const std::pair name(op, payload);
    const auto it = std::ranges::find(spelled_, name);
    if (it != spelled_.end()) return static_cast<uint32_t>(it - spelled_.begin());
    spelled_.push_back(name);
    return static_cast<uint32_t>(spelled_.size() - 1);
  }();
  for (uint32_t t = 0; t < terms_.size(); ++t) {
    const auto& term = terms_.term(t);
    bool equal = term.op == number && term.children.size() == children.size();
    for (size_t k = 0; k < children.size() && equal; ++k) equal = terms_.same(term.children[k], children[k]);
    if (equal) return t;
  }
  std::vector<Shape> of;
  for (uint32_t c : children) of.push_back(shapes_[c]);
  const auto shape = matrix_shape(ctx_, op, payload, of);
  if (!shape) return std::nullopt;
  shapes_.push_back(*shape);
  return terms_.add(number, children);
}

inline uint32_t NaiveSaturation::add_leaf(ir::OpId op, ir::PayloadId payload, Shape shape) {
  spelled_.emplace_back(op, payload);
  shapes_.push_back(std::move(shape));
  return terms_.add(static_cast<uint32_t>(spelled_.size() - 1), {});
}

inline std::vector<uint32_t> NaiveSaturation::classes() const {
  std::set<uint32_t> all;
  for (uint32_t t = 0; t < terms_.size(); ++t) all.insert(terms_.class_of(t));
  return {all.begin(), all.end()};
}

inline std::optional<ir::AttrValue> NaiveSaturation::value(const Expr& e, const Bindings& bound) const {
  if (e.kind == Expr::Kind::kLiteral) return e.value;
  if (e.kind == Expr::Kind::kAttr) return bound.attributes.at(e.index);
  if (e.kind != Expr::Kind::kCall) throw std::logic_error("not an expression of this test");
  const std::string f(row(e.function).word);
  if (f == "dim") {
    const auto axis = std::get<int64_t>(*value(e.args[1], bound));
    return shapes_[bound.tensors.at(e.args[0].index)][static_cast<size_t>(axis)];
  }
  std::vector<ir::AttrValue> args;
  for (const Expr& a : e.args) args.push_back(*value(a, bound));
  const auto integer = [&](size_t i) { return std::get<int64_t>(args[i]); };
  if (f == "list") {
    NaiveSaturation::Shape out;
    for (size_t i = 0; i < args.size(); ++i) out.push_back(integer(i));
    return out;
  }
  if (f == "compose") {
    const NaiveSaturation::Shape &p = std::get<NaiveSaturation::Shape>(args[0]),
                                 &q = std::get<NaiveSaturation::Shape>(args[1]);
    NaiveSaturation::Shape out;
    for (int64_t i : q) out.push_back(p[static_cast<size_t>(i)]);
    return out;
  }
  if (f == "is_identity")
    return int64_t{std::get<NaiveSaturation::Shape>(args[0]) == NaiveSaturation::Shape{0, 1}};
  if (f == "!") return int64_t{integer(0) == 0};
  if (f == "+") return integer(0) + integer(1);
  if (f == "*") return integer(0) * integer(1);
  if (f == "==") return int64_t{args[0] == args[1]};
  if (f == "<") return int64_t{integer(0) < integer(1)};
  if (f == ">") return int64_t{integer(0) > integer(1)};
  throw std::logic_error("not a function of this test: " + f);
}

inline void NaiveSaturation::match(const Term& left, size_t at, uint32_t c, const Bindings& bound,
                                   const std::function<void(const Bindings&)>& then) const {
  const TermNode& node = left.nodes[at];
  if (node.is_variable) {
    Bindings next = bound;
    if (next.tensors.try_emplace(node.variable, c).first->second == c) then(next);
    return;
  }
  for (uint32_t t = 0; t < terms_.size(); ++t) {
    if (terms_.class_of(t) != c || !usable(t)) continue;
    const auto [op, payload] = spelled_[terms_.term(t).op];
    if (op != node.op || terms_.term(t).children.size() != node.children.size()) continue;
    Bindings next = bound;
    bool fits = true;
    for (size_t i = 0; i < node.attrs.size() && fits; ++i) {
      const ir::AttrValue& has = ctx_.get(ctx_.get(payload)[i]);
      const Expr& e = node.attrs[i];
      if (e.kind == Expr::Kind::kLiteral) fits = has == e.value;
      if (e.kind == Expr::Kind::kAttr) fits = next.attributes.try_emplace(e.index, has).first->second == has;
    }
    if (!fits) continue;
    const std::vector<uint32_t> children = terms_.term(t).children;
    const std::function<void(size_t, const Bindings&)> child = [&](size_t k, const Bindings& b) {
      if (k == children.size()) return then(b);
      match(left, node.children[k], terms_.class_of(children[k]), b,
            [&, k](const Bindings& deeper) { child(k + 1, deeper); });
    };
    child(0, next);
  }
}

inline std::vector<NaiveSaturation::Match> NaiveSaturation::matches(const Term& left) const {
  std::vector<Match> out;
  for (uint32_t c : classes())
    match(left, left.nodes.size() - 1, c, {}, [&](const Bindings& b) {
      const bool known = std::ranges::any_of(out, [&](const Match& m) {
        return m.root == c && m.bound.tensors == b.tensors && m.bound.attributes == b.attributes;
      });
      if (!known) out.push_back({c, b});
    });
  return out;
}

inline void NaiveSaturation::apply(const Rule& rule, const std::vector<uint32_t>& roots, Bindings bound,
                                   const std::vector<std::vector<bool>>* below) {
  for (const Rule::Let& let : rule.lets) bound.attributes[let.attribute] = *value(let.value, bound);
  for (const Expr& condition : rule.conditions)
    if (std::get<int64_t>(*value(condition, bound)) == 0) {
      ++condition_refused;
      return;
    }
  // Types first: nothing is added of a right side that does not fit.
  std::vector<std::vector<std::pair<ir::PayloadId, Shape>>> plan;
  for (size_t side = 0; side < rule.right.size(); ++side) {
    auto& made = plan.emplace_back();
    for (const TermNode& n : rule.right[side].nodes) {
      if (n.is_variable) {
        made.emplace_back(ir::PayloadId(), shapes_[bound.tensors.at(n.variable)]);
        continue;
      }
      std::vector<ir::AttrId> ids;
      for (const Expr& e : n.attrs) ids.push_back(ctx_.intern(*value(e, bound)));
      std::vector<Shape> of;
      for (uint32_t c : n.children) of.push_back(made[c].second);
      const ir::PayloadId payload = ctx_.intern(ids);
      const auto shape = matrix_shape(ctx_, n.op, payload, of);
      if (!shape) {
        ++type_refused;
        return;
      }
      made.emplace_back(payload, *shape);
    }
    if (made.back().second != shapes_[roots[side]]) {
      ++type_refused;
      return;
    }
  }
  if (below != nullptr)
    for (const Term& right : rule.right)
      for (const TermNode& n : right.nodes) {
        if (!n.is_variable) continue;
        const uint32_t used = bound.tensors.at(n.variable);
        if (std::ranges::any_of(roots, [&](uint32_t r) { return used == r || (*below)[used][r]; })) {
          ++cycle_refused;
          return;
        }
      }
  for (size_t side = 0; side < rule.right.size(); ++side) {
    std::vector<uint32_t> made;
    for (const TermNode& n : rule.right[side].nodes) {
      if (n.is_variable) {
        made.push_back(bound.tensors.at(n.variable));
        continue;
      }
      std::vector<uint32_t> children;
      for (uint32_t c : n.children) children.push_back(made[c]);
      made.push_back(*add(n.op, plan[side][made.size()].first, children));
    }
    terms_.unite(roots[side], made.back());
  }
}

inline void NaiveSaturation::multi_step(const RuleSet& rules, Refuse refuse) {
  struct Joint {
    const Rule* rule;
    std::vector<uint32_t> roots;
    Bindings bound;
  };
  std::vector<Joint> all;
  for (const Rule& rule : rules.rules) {
    if (!rule.is_multi()) continue;
    std::vector<std::vector<Match>> found;
    for (const Term& left : rule.left) found.push_back(matches(left));
    const std::function<void(const Joint&)> join = [&](const Joint& so_far) {
      if (so_far.roots.size() == found.size()) return all.push_back(so_far);
      for (const Match& m : found[so_far.roots.size()]) {
        if (std::ranges::find(so_far.roots, m.root) != so_far.roots.end()) continue;
        Joint next = so_far;
        bool agree = true;
        for (const auto& [v, c] : m.bound.tensors)
          agree = agree && next.bound.tensors.try_emplace(v, c).first->second == c;
        for (const auto& [v, a] : m.bound.attributes)
          agree = agree && next.bound.attributes.try_emplace(v, a).first->second == a;
        next.roots.push_back(m.root);
        if (agree) join(next);
      }
    };
    join({&rule, {}, {}});
  }
  const auto below = reach();
  for (const Joint& j : all) apply(*j.rule, j.roots, j.bound, refuse == Refuse::kCyclic ? &below : nullptr);
  joined += all.size();
  close();
}

inline void NaiveSaturation::single_step(const RuleSet& rules, uint64_t iteration, size_t limit,
                                         uint32_t ban_length) {
  std::vector<std::pair<const Rule*, Match>> all;
  for (const Rule& rule : rules.rules) {
    Backoff& b = backoff_[rule.name];
    if (rule.is_multi() || b.banned_until > iteration) continue;
    const std::vector<Match> found = matches(rule.left[0]);
    if (limit > 0 && found.size() > limit << b.bans) {
      b.banned_until = iteration + (uint64_t{ban_length} << b.bans);
      ++b.bans;
      ++bans;
      continue;
    }
    for (const Match& m : found) all.emplace_back(&rule, m);
  }
  for (const auto& [rule, m] : all) apply(*rule, {m.root}, m.bound, nullptr);
  close();
  if (std::pair(terms_.size(), terms_.classes()) != before_) return;
  // Nothing changed: those banned come back sooner, the first of them at once.
  uint64_t soonest = UINT64_MAX;
  for (const auto& [name, b] : backoff_)
    if (b.banned_until > iteration) soonest = std::min(soonest, b.banned_until);
  for (auto& [name, b] : backoff_)
    if (b.banned_until > iteration) b.banned_until -= soonest - iteration;
}

inline void NaiveSaturation::set_filtered(std::set<uint32_t> terms) { filtered_ = std::move(terms); }

inline bool NaiveSaturation::usable(uint32_t term) const {
  if (!filtered_.contains(term)) return true;
  for (uint32_t t = 0; t < terms_.size(); ++t)
    if (!filtered_.contains(t) && terms_.canonical(t) == terms_.canonical(term)) return true;
  return false;
}

inline std::vector<std::vector<bool>> NaiveSaturation::reach() const {
  const size_t n = terms_.size();
  std::vector<std::vector<bool>> r(n, std::vector<bool>(n, false));
  for (uint32_t t = 0; t < n; ++t)
    if (usable(t))
      for (uint32_t c : terms_.term(t).children) r[terms_.class_of(t)][terms_.class_of(c)] = true;
  for (size_t k = 0; k < n; ++k)
    for (size_t i = 0; i < n; ++i)
      if (r[i][k])
        for (size_t j = 0; j < n; ++j)
          if (r[k][j]) r[i][j] = true;
  return r;
}

inline bool NaiveSaturation::cyclic(const std::vector<uint32_t>& roots) const {
  const auto below = reach();
  for (uint32_t c : classes()) {
    if (!below[c][c]) continue;
    if (roots.empty()) return true;
    for (uint32_t root : roots)
      if (terms_.class_of(root) == c || below[terms_.class_of(root)][c]) return true;
  }
  return false;
}

inline std::set<uint32_t> NaiveSaturation::finite() const {
  std::set<uint32_t> out;
  for (size_t before = 1; before != out.size();) {
    before = out.size();
    for (uint32_t t = 0; t < terms_.size(); ++t)
      if (usable(t) && std::ranges::all_of(terms_.term(t).children,
                                           [&](uint32_t c) { return out.contains(terms_.class_of(c)); }))
        out.insert(terms_.class_of(t));
    if (out.empty()) break;
  }
  return out;
}

}  // namespace isomer::rewrite
