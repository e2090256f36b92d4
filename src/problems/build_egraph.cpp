#include "problems/build_egraph.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "egraph/cycles.h"
#include "egraph/flatten.h"
#include "extract/extract.h"
#include "ir/taso_words.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/sequences.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;
using rewrite::EGraph;
using rewrite::TensorFacts;

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr uint64_t kNoLabel = ~uint64_t{0};
constexpr uint32_t kUnknown = 0xFFFFFFFFu;

void add_facts(std::vector<uint32_t>& words, const TensorFacts& f) {
  const uint32_t facts[] = {f.type.v, f.splat.v, uint32_t{f.is_weight}};
  words.insert(words.end(), facts, facts + 3);
}

}  // namespace

/// What is worked out once, for all states.
struct BuildEGraph::Memo {
  explicit Memo(rewrite::TensorAnalysis& analysis, cost::CostModel& m) : match(analysis), model(m) {}

  rewrite::RightSides match;
  cost::CostModel& model;
  Sequences facts;               ///< left side, attributes, facts of variables and root
  std::vector<uint32_t> number;  ///< by number in `facts`: the number among those of its left side
  /// By left side.
  struct Left {
    uint32_t numbers = 0;
    std::vector<uint32_t> of_match;  ///< of this step, by match; kUnknown until asked for
  };
  std::vector<Left> lefts;
  /// A row by rule; in a row, by the facts of a part, the row of the next part, or the recipe.
  std::vector<std::vector<uint32_t>> rows;
  Sequences rare;  ///< rule, facts of each part: where rows would be too long
  std::vector<uint32_t> rare_recipes;
  struct Recipe {
    bool applies = false;
    size_t payloads = 0;  ///< first of the right sides' in `payloads`
  };
  std::vector<Recipe> recipes;
  std::vector<uint32_t> payloads;
  Sequences questions;  ///< operator, payload, facts of operands, type
  std::vector<double> prices;
  std::unordered_map<uint64_t, double> exact;  ///< by key of the state

  // By operator: where attributes are literals, and where names, in TENSAT's spelling.
  struct Slot {
    uint32_t slot;
    bool is_name;
  };
  std::vector<std::vector<Slot>> slots;
  std::vector<uint8_t> is_leaf, ignores;
  uint32_t one = 0;  ///< the literal that is written where an integer is ignored
  std::vector<std::pair<uint32_t, uint32_t>> payload_seen;  ///< round, operator
  std::vector<uint32_t> literal_seen, name_seen;
  uint32_t round = 0;

  std::vector<uint32_t> words;
  std::vector<ClassId> made, children;
  std::vector<uint8_t> visited;
  std::vector<std::pair<uint32_t, uint32_t>> stack;
};

BuildEGraph::BuildEGraph(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
                         BuildEGraphOptions options, const EGraph* start)
    : options_(options),
      program_(graph),
      start_(start != nullptr ? start : &program_.graph()),
      matcher_(program_.context(), rules),
      costs_(options.extraction),
      memo_(std::make_unique<Memo>(program_.graph().analysis(), model)) {
  memo_->rows.resize(rules.rules.size());
  memo_->lefts.resize(matcher_.distinct_left_sides());
  for (uint32_t r = 0; r < rules.rules.size(); ++r)
    if (options.allow_unstable || rules.rules[r].stability != rewrite::Stability::kUnstable)
      all_.push_back(r);
  first_roots_ = program_.roots();
  ir::Context& ctx = program_.context();
  Memo& memo = *memo_;
  memo.slots.resize(ctx.ops().size());
  memo.is_leaf.resize(ctx.ops().size());
  memo.ignores.resize(ctx.ops().size());
  memo.one = ctx.intern(ir::AttrValue(int64_t{1})).v;
  for (uint32_t op = 0; op < ctx.ops().size(); ++op)
    memo.is_leaf[op] = ctx.ops().get(ir::OpId(op)).kind == ir::MeaningKind::kLeaf;
  for (const ir::TasoWord& w : ir::taso_words()) {
    const ir::OpId op = ctx.ops().find(w.op);
    if (!op.valid()) continue;
    memo.slots[op.v].clear();
    for (const ir::TasoChild& child : w.children) {
      if (child.kind == ir::TasoChildKind::kIgnored) memo.ignores[op.v] = 1;
      if (!child.attr.empty())
        memo.slots[op.v].push_back({static_cast<uint32_t>(ctx.ops().get(op).attr_index(child.attr)),
                                    child.kind == ir::TasoChildKind::kName});
    }
  }
}

BuildEGraph::~BuildEGraph() = default;

void BuildEGraph::set_priors(std::vector<double> priors) {
  REQUIRE(priors.empty() || priors.size() == matcher_.size(), "a prior for each rule");
  for (double p : priors) REQUIRE(p > 0 && p <= 1, "priors are above 0 and at most 1");
  priors_ = std::move(priors);
}

void BuildEGraph::keep_only(std::span<State* const> states) {
  std::vector<Costs*> needed;
  for (State* s : states) needed.push_back(&s->costs);
  costs_.keep_only(needed);
}

size_t BuildEGraph::memory_bytes(const State& state) const {
  const auto bytes = [](const auto& v) { return v.capacity() * sizeof(v[0]); };
  return sizeof(State) + state.graph.memory_bytes() + bytes(state.label) + bytes(state.prices) +
         bytes(state.costs.cost) + bytes(state.costs.history) + bytes(state.costs.pick) +
         bytes(state.represented) + bytes(state.absent);
}

std::vector<ClassId> BuildEGraph::roots(const EGraph& g) const {
  std::vector<ClassId> out;
  for (ClassId c : first_roots_) out.push_back(g.find(c));
  return out;
}

BuildEGraph::State BuildEGraph::initial() {
  State s(*start_);
  s.label.assign(s.graph.slots(), kNoLabel);
  s.graph.for_each_class([&](ClassId c) { s.label[c.index()] = mix64(c.index() + 1); });
  s.represented.assign(matcher_.distinct_left_sides() / 64 + 1, 0);
  finish(s, s.graph.slots(), true, false);
  return s;
}

void BuildEGraph::look_at(const State& state) {
  if (indexed_ == state.version) return;
  index_.build(state.graph);
  indexed_ = state.version;
}

bool BuildEGraph::may_apply(State& state, Action action) {
  for (uint32_t left : matcher_.left_sides(action)) {
    const uint64_t bit = uint64_t{1} << (left % 64);
    if ((state.represented[left / 64] & bit) != 0) continue;
    if ((state.absent[left / 64] & bit) != 0) return false;
    look_at(state);
    const bool there = matcher_.represented(state.graph, index_, left);
    (there ? state.represented : state.absent)[left / 64] |= bit;
    if (!there) return false;
  }
  return true;
}

std::vector<BuildEGraph::Action> BuildEGraph::actions(State& state) {
  std::vector<Action> out;
  if (ended(state)) return out;
  for (Action a : all_)
    if (may_apply(state, a)) out.push_back(a);
  return out;
}

std::vector<BuildEGraph::Action> BuildEGraph::actions(const State& state) {
  State copy = state;
  return actions(copy);
}

BuildEGraph::State BuildEGraph::step(const State& state, Action action) {
  State next = state;
  advance(next, action);
  return next;
}

template <class Wanted, class Insert>
void BuildEGraph::apply_rule(const EGraph& g, Action action, Wanted&& wanted, Insert&& insert) {
  matcher_.find(g, index_, action);
  const rewrite::CompiledRule& rule = matcher_.rule(action);
  const bool multi = rule.rule->is_multi();
  const size_t before = g.live_nodes();
  std::optional<egraph::DescendantMap> below;  // made before anything is inserted
  std::span<const ClassId> at;
  egraph::Subst with;
  const std::function<bool()> acyclic = [&] {
    if (!below) below.emplace(g);
    return std::ranges::none_of(rule.right, [&](const rewrite::RightNode& n) {
      return n.is_variable &&
             std::ranges::any_of(at, [&](ClassId r) { return below->reaches(with.class_at(n.variable), r); });
    });
  };
  const bool checked = multi && options_.filter_cycles;
  matcher_.for_each(
      action, wanted,
      [&](std::span<const ClassId> roots, const egraph::Subst& subst, std::span<const uint32_t> matches) {
        at = roots;
        with = subst;
        const size_t now = insert(roots, subst, matches, checked ? &acyclic : nullptr);
        return !multi || now - before < options_.node_multi;
      });
}

void BuildEGraph::replay(std::span<const Action> steps, rewrite::TensorEGraph& program,
                         rewrite::RuleApplier& applier) {
  EGraph& g = program.graph();
  for (Action action : steps) {
    index_.build(g);
    indexed_ = 0;
    apply_rule(
        g, action, [](std::span<const uint32_t>) { return true; },
        [&](std::span<const ClassId> at, const egraph::Subst& subst, std::span<const uint32_t>,
            const std::function<bool()>* ok) {
          applier.apply(matcher_.rule(action), at, subst, ok);
          return g.live_nodes();
        });
    g.rebuild();
    if (options_.filter_cycles) egraph::break_cycles(g, program.roots(), program.source_nodes());
  }
}

/// What the right sides are made from depends on attributes and facts alone, which many matches have alike:
/// the number, among those of its left side, of what a match has.
uint32_t BuildEGraph::facts_of_match(const EGraph& g, uint32_t left, uint32_t match) {
  Memo& memo = *memo_;
  Memo::Left& of = memo.lefts[left];
  const egraph::Matches& found = matcher_.found(left);
  if (of.of_match.empty()) of.of_match.assign(found.size(), kUnknown);
  uint32_t& known = of.of_match[match];
  if (known != kUnknown) return known;
  const egraph::Subst subst = found.subst(match);
  const uint32_t classes = found.class_variables();
  memo.words.assign(1, left);
  memo.words.insert(memo.words.end(), subst.values.begin() + classes, subst.values.end());
  for (uint32_t i = 0; i < classes; ++i)
    if (subst.values[i] != egraph::kUnbound) add_facts(memo.words, g.data(ClassId(subst.values[i])));
  add_facts(memo.words, g.data(found.root(match)));
  const auto [number, fresh] = memo.facts.number(memo.words);
  if (fresh) memo.number.push_back(of.numbers++);
  return known = memo.number[number];
}

/// Where the recipe's number stands for joint matches like this one; kUnknown in it until it is looked up.
uint32_t* BuildEGraph::cell_of(const EGraph& g, Action action, std::span<const uint32_t> matches) {
  Memo& memo = *memo_;
  constexpr uint32_t kLongest = 2048;
  uint32_t row = action;
  for (size_t part = 0;; ++part) {
    const uint32_t number = facts_of_match(g, matcher_.left_side(action, part), matches[part]);
    if (number >= kLongest) break;
    std::vector<uint32_t>& cells = memo.rows[row];
    if (cells.size() <= number) cells.resize(number + 1, kUnknown);
    if (part + 1 == matches.size()) return &cells[number];
    row = cells[number];
    if (row != kUnknown) continue;
    row = cells[number] = static_cast<uint32_t>(memo.rows.size());
    memo.rows.emplace_back();
  }
  std::vector<uint32_t> numbers;
  for (size_t part = 0; part < matches.size(); ++part)
    numbers.push_back(facts_of_match(g, matcher_.left_side(action, part), matches[part]));
  numbers.push_back(action);
  const auto [number, fresh] = memo.rare.number(numbers);
  if (fresh) memo.rare_recipes.push_back(kUnknown);
  return &memo.rare_recipes[number];
}

void BuildEGraph::forget_facts(Action action) {
  for (uint32_t left : matcher_.left_sides(action)) memo_->lefts[left].of_match.clear();
}

void BuildEGraph::prepare_recipe(const EGraph& g, const rewrite::CompiledRule& rule,
                                 std::span<const ClassId> at, const egraph::Subst& subst) {
  Memo& memo = *memo_;
  rewrite::RightSides& m = memo.match;
  m.attributes.assign(rule.attributes, ir::AttrId());
  for (uint32_t i = 0; i < rule.matched_attributes; ++i) m.attributes[i] = ir::AttrId(subst.attr_at(i));
  m.tensors.clear();
  for (uint32_t i = 0; i < rule.tensors; ++i) m.tensors.push_back(g.data(subst.class_at(i)));
  m.roots.clear();
  for (ClassId r : at) m.roots.push_back(g.data(r));
  const bool applies = m.prepare(rule) == rewrite::Applied::kChanged;
  memo.recipes.push_back({applies, memo.payloads.size()});
  for (size_t i = 0; applies && i < rule.right.size(); ++i)
    memo.payloads.push_back(rule.right[i].is_variable ? 0 : m.payload(i));
}

bool BuildEGraph::advance(const State& from, Action action, State& to) {
  look_at(from);
  ++statistics_.steps;
  Memo& memo = *memo_;
  const rewrite::CompiledRule& rule = matcher_.rule(action);
  const EGraph& old = from.graph;
  const size_t before = old.slots();
  const size_t filtered = old.filtered_nodes();
  bool changed = false, merged = false, may_close = rule.rule->is_multi();
  EGraph* g = &from == &to ? &to.graph : nullptr;  // null until something changes
  const auto writable = [&] {
    if (g != nullptr) return;
    to = from;
    g = &to.graph;
  };
  const auto now = [&]() -> const EGraph& { return g != nullptr ? *g : old; };
  forget_facts(action);

  const auto insert = [&](std::span<const ClassId> at, const egraph::Subst& subst,
                          std::span<const uint32_t> matches, const std::function<bool()>* accept) {
    uint32_t* const cell = cell_of(now(), action, matches);
    if (*cell == kUnknown) {
      *cell = static_cast<uint32_t>(memo.recipes.size());
      prepare_recipe(now(), rule, at, subst);
    }
    const Memo::Recipe& recipe = memo.recipes[*cell];
    if (!recipe.applies || (accept != nullptr && !(*accept)())) return;
    const size_t slots = now().slots();
    bool found = false;
    memo.made.assign(rule.right.size(), ClassId());
    for (size_t i = 0; i < rule.right.size(); ++i) {
      const rewrite::RightNode& n = rule.right[i];
      if (n.is_variable) {
        memo.made[i] = now().find(subst.class_at(n.variable));
        continue;
      }
      memo.children.clear();
      for (uint32_t c : n.children) memo.children.push_back(memo.made[c]);
      const uint32_t payload = memo.payloads[recipe.payloads + i];
      if (g == nullptr) {
        const NodeId known = old.lookup_canonical(n.op.v, payload, memo.children);
        if (known.valid()) {
          memo.made[i] = old.clean_class_of(known);
          found = true;
          continue;
        }
        writable();
      }
      const size_t end = g->slots();
      memo.made[i] = egraph::as_class(g->add_node(n.op.v, payload, memo.children));
      found = found || g->slots() == end;
    }
    bool united = false;
    for (size_t i = 0; i < at.size(); ++i) {
      const ClassId a = now().find(at[i]);
      const ClassId b = now().find(memo.made[rule.right_roots[i]]);
      if (a == b) continue;
      writable();
      // Two classes that were there before, or facts that go on to other classes.
      const bool learns = !(g->data(a) == g->data(b));
      merged = merged || (a.index() < before && b.index() < before) || learns;
      united = g->unite(a, b) || united;
      if (learns) forget_facts(action);
    }
    if (!united && now().slots() == slots) return;
    may_close = may_close || found;  // a term that was there already may lie above the match
    ++statistics_.matches;
    changed = true;
  };
  apply_rule(
      old, action,
      [&](std::span<const uint32_t> matches) {
        const uint32_t number = *cell_of(now(), action, matches);
        return number == kUnknown || memo.recipes[number].applies;
      },
      [&](std::span<const ClassId> at, const egraph::Subst& subst, std::span<const uint32_t> matches,
          const std::function<bool()>* accept) {
        insert(at, subst, matches, accept);
        return now().live_nodes();
      });
  if (!changed) return false;

  if (g->rebuild() > 0) merged = true;
  if (options_.filter_cycles && (merged || may_close) && may_have_cycle(*g))
    egraph::break_cycles(*g, roots(*g), program_.source_nodes());
  finish(to, before, merged, g->filtered_nodes() != filtered);
  return true;
}

void BuildEGraph::finish(State& state, size_t before, bool merged, bool refiltered) {
  const EGraph& g = state.graph;
  const bool again = merged || refiltered;
  state.version = ++versions_;
  state.absent.assign(state.represented.size(), 0);
  if (refiltered) state.represented.assign(state.represented.size(), 0);
  relabel(state, before, merged);
  const size_t from = again ? 0 : before;
  reprice(state, from);
  state.key = (again ? 0 : state.key) + hash(state, from);
  state.nodes = count_nodes(state);
  if (options_.extraction == Extraction::kExact) {
    const auto [it, fresh] = memo_->exact.try_emplace(state.key, 0.0);
    if (fresh) {
      Limits limits;
      limits.seconds = options_.exact_seconds;
      it->second = extract::extract(flatten(state), extract::Extractor::kAuto, limits).dag_cost;
      ++statistics_.searches;
    }
    state.cost = it->second;
    return;
  }
  if (again)
    costs_.begin(g, state.prices, state.costs);
  else
    costs_.extend(g, state.prices, before, state.costs);
  state.cost = costs_.total(roots(g), state.prices, state.costs);
}

void BuildEGraph::relabel(State& state, size_t from, bool merged) {
  const EGraph& g = state.graph;
  std::vector<uint64_t>& label = state.label;
  label.resize(g.slots(), kNoLabel);
  const auto fold = [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      const size_t c = g.class_of(NodeId(i)).index();
      if (c == i || label[i] == kNoLabel) continue;
      label[c] = std::min(label[c], label[i]);
      label[i] = kNoLabel;
    }
  };
  if (merged) fold(0, from);
  // New classes are named by their first node; children come first. What joined an old class has its name.
  for (size_t i = from; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.class_of(n).index() < from) continue;
    uint64_t name = hash_combine(g.op(n), g.payload(n));
    for (ClassId c : g.children(n)) name = hash_combine(name, label[g.find(c).index()]);
    label[i] = name;
  }
  fold(from, g.slots());
}

void BuildEGraph::reprice(State& state, size_t from) {
  const EGraph& g = state.graph;
  ir::Context& ctx = program_.context();
  Memo& memo = *memo_;
  state.prices.resize(g.slots(), kNever);
  std::vector<ir::TypeId> types;
  std::vector<cost::OperandFacts> operands;
  for (size_t i = from; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.dead(n)) {
      state.prices[i] = kNever;
      continue;
    }
    const TensorFacts& own = g.data(g.class_of(n));
    memo.words.assign({g.op(n), g.payload(n), own.type.v, uint32_t{own.is_weight}});
    for (ClassId c : g.children(n)) {
      const TensorFacts& f = g.data(c);
      memo.words.insert(memo.words.end(), {f.type.v, uint32_t{f.is_weight}});
    }
    const auto [number, fresh] = memo.questions.number(memo.words);
    if (fresh) {
      const ir::OpDef& def = ctx.ops().get(ir::OpId(g.op(n)));
      types.clear();
      operands.clear();
      bool weights = !g.children(n).empty();
      for (ClassId c : g.children(n)) {
        types.push_back(g.data(c).type);
        operands.emplace_back().weight = g.data(c).is_weight;
        weights = weights && g.data(c).is_weight;
      }
      // As rewrite::flatten has it.
      double price = 0;
      if (options_.weights_free && own.is_weight) {
        price = (weights || g.children(n).empty()) && def.name != "input" ? 0 : kNever;
      } else if (def.kind != ir::MeaningKind::kLeaf && def.kind != ir::MeaningKind::kTuple) {
        const ir::OpInstance op(ctx, def, ctx.get(ir::PayloadId(g.payload(n))), types, own.type);
        price = memo.model.cost({op, weights, operands});
      }
      memo.prices.push_back(price);
    }
    state.prices[i] = memo.prices[number];
  }
}

uint64_t BuildEGraph::hash(const State& state, size_t from) const {
  const EGraph& g = state.graph;
  uint64_t sum = 0;
  for (size_t i = from; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.dead(n)) continue;
    uint64_t h = (uint64_t{g.op(n)} << 32 | g.payload(n)) * 0x9E3779B97F4A7C15ull;
    for (ClassId c : g.children(n)) h = (h ^ (h >> 32) ^ state.label[c.index()]) * 0xBF58476D1CE4E5B9ull;
    h ^= state.label[g.clean_class_of(n).index()];
    sum += mix64(h + g.filtered(n));
  }
  return sum;
}

size_t BuildEGraph::count_nodes(const State& state) {
  const EGraph& g = state.graph;
  if (!options_.limit_by_tensat_count) return g.live_nodes();
  const ir::Context& ctx = program_.context();
  Memo& memo = *memo_;
  ++memo.round;
  size_t count = g.live_nodes();
  const auto first_time = [&](std::vector<uint32_t>& seen, uint32_t id) {
    if (seen.size() <= id) seen.resize(id + 1, 0);
    if (seen[id] == memo.round) return false;
    seen[id] = memo.round;
    return true;
  };
  for (uint32_t i = 0; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.dead(n)) continue;
    const uint32_t op = g.op(n), payload = g.payload(n);
    count += memo.is_leaf[op];
    if (memo.payload_seen.size() <= payload) memo.payload_seen.resize(payload + 1, {0, 0});
    if (memo.payload_seen[payload] == std::pair(memo.round, op)) continue;
    memo.payload_seen[payload] = {memo.round, op};
    if (memo.ignores[op]) count += first_time(memo.literal_seen, memo.one);
    const auto attrs = ctx.get(ir::PayloadId(payload));
    for (const auto& [slot, is_name] : memo.slots[op])
      if (attrs[slot].valid())
        count += first_time(is_name ? memo.name_seen : memo.literal_seen, attrs[slot].v);
  }
  return count;
}

bool BuildEGraph::may_have_cycle(const EGraph& g) {
  enum : uint8_t { kNew, kOpen, kDone };
  std::vector<uint8_t>& state = memo_->visited;
  auto& stack = memo_->stack;  // class, then how many of its edges have been taken
  state.assign(g.slots(), kNew);
  stack.clear();
  for (ClassId root : first_roots_) {
    const ClassId start = g.find(root);
    if (state[start.index()] != kNew) continue;
    state[start.index()] = kOpen;
    stack.emplace_back(start.v, 0);
    while (!stack.empty()) {
      const ClassId c(stack.back().first);
      uint32_t skip = stack.back().second++;
      ClassId next;
      for (NodeId n : g.nodes_in(c)) {
        if (!g.usable(n)) continue;
        const auto children = g.children(n);
        if (skip < children.size()) {
          next = children[skip];
          break;
        }
        skip -= static_cast<uint32_t>(children.size());
      }
      if (!next.valid()) {
        state[c.index()] = kDone;
        stack.pop_back();
      } else if (state[next.index()] == kOpen) {
        return true;
      } else if (state[next.index()] == kNew) {
        state[next.index()] = kOpen;
        stack.emplace_back(next.v, 0);
      }
    }
  }
  return false;
}

extract::Problem BuildEGraph::flatten(const State& state) const {
  return egraph::flatten(state.graph, roots(state.graph), [&](NodeId n) { return state.prices[n.index()]; })
      .problem;
}

}  // namespace isomer::problems
