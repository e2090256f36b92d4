#include "problems/build_egraph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "egraph/cycles.h"
#include "egraph/flat_problem.h"
#include "egraph/order.h"
#include "extract/extract.h"
#include "problems/build_egraph_step.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;
using rewrite::EGraph;
using rewrite::TensorFacts;

namespace {

constexpr uint64_t kNoLabel = ~uint64_t{0};

}  // namespace

BuildEGraph::BuildEGraph(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
                         BuildEGraphOptions options, const EGraph* start)
    : options_(options),
      program_(graph, options.floats),
      start_(start != nullptr ? start : &program_.graph()),
      matcher_(program_.context(), rules),
      costs_(options.extraction),
      tensat_count_(program_.context()),
      memo_(std::make_unique<Memo>(program_.context(), program_.graph().analysis(), matcher_, model,
                                   options.prices)) {
  const auto count = static_cast<uint32_t>(rules.rules.size());
  for (uint32_t region = 0; region < options.regions; ++region)
    for (uint32_t r = 0; r < count; ++r)
      if (options.allow_unstable || rules.rules[r].stability != rewrite::Stability::kUnstable)
        all_.push_back(region * count + r);
  first_roots_ = program_.roots();
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
  return sizeof(State) + state.graph.memory_bytes() + bytes(state.label) + bytes(state.operands) +
         bytes(state.prices) + bytes(state.costs.cost) + bytes(state.costs.history) +
         bytes(state.costs.pick) + bytes(state.represented) + bytes(state.absent) +
         state.regions.memory_bytes() +
         (state.lookups && state.lookups->index ? state.lookups->index->memory_bytes() : 0) +
         state.graph.live_classes() * sizeof(ClassId);  // their order, which is found later
}

std::vector<ClassId> BuildEGraph::roots(const EGraph& g) const {
  std::vector<ClassId> out;
  for (ClassId c : first_roots_) out.push_back(g.find(c));
  return out;
}

BuildEGraph::State BuildEGraph::initial() {
  State s(EGraph(*start_, program_.graph().analysis()));
  s.label.assign(s.graph.slots(), kNoLabel);
  s.graph.for_each_class([&](ClassId c) { s.label[c.index()] = mix64(c.index() + 1); });
  s.represented.assign(matcher_.distinct_left_sides() * options_.regions / 64 + 1, 0);
  s.regions = Regions(s.graph, options_.regions);
  finish(s, s.graph.slots(), {.merged = true, .learned = true});
  return s;
}

BuildEGraph::Lookups& BuildEGraph::lookups(const State& state) {
  if (!state.lookups) state.lookups = std::make_shared<Lookups>();
  return *state.lookups;
}

const OperatorIndex& BuildEGraph::index(const EGraph& g, Lookups& lookups) {
  if (!lookups.index) lookups.index.emplace().build(g);
  return *lookups.index;
}

const egraph::ClassOrder& BuildEGraph::order(const EGraph& g, Lookups& lookups) {
  if (!lookups.order) lookups.order = egraph::children_first(g);
  return *lookups.order;
}

namespace {

/// Calls f(number of a word, the bits in it) for the words that `count` bits from `first` on stand in.
template <class F>
void for_each_word(size_t first, size_t count, F&& f) {
  for (const size_t end = first + count; first < end;) {
    const size_t bit = first % 64, here = std::min(64 - bit, end - first);
    f(first / 64, (here == 64 ? ~uint64_t{0} : (uint64_t{1} << here) - 1) << bit);
    first += here;
  }
}

}  // namespace

/// Where a left side is represented.
void BuildEGraph::find_left_side(State& state, uint32_t left) {
  const OperatorIndex& operators = index(state.graph, lookups(state));
  const size_t first = size_t{left} * options_.regions;
  if (options_.regions == 1) {
    put(matcher_.represented(state.graph, operators, left) ? state.represented : state.absent, first);
    return;
  }
  for (uint32_t region = 0; region < options_.regions; ++region) put(state.absent, first + region);
  for (ClassId root : matcher_.roots(state.graph, operators, left)) {
    const size_t bit = first + state.regions.of(root);
    put(state.represented, bit);
    drop(state.absent, bit);
  }
}

bool BuildEGraph::may_apply(State& state, Action action) {
  bool in_region = false;
  for (uint32_t left : matcher_.left_sides(rule_number(action))) {
    const size_t first = size_t{left} * options_.regions;
    bool known = true, there = false;
    for_each_word(first, options_.regions, [&](size_t w, uint64_t bits) {
      known = known && (bits & ~(state.represented[w] | state.absent[w])) == 0;
    });
    if (!known) find_left_side(state, left);
    for_each_word(first, options_.regions,
                  [&](size_t w, uint64_t bits) { there = there || (bits & state.represented[w]) != 0; });
    if (!there) return false;
    in_region = in_region || has(state.represented, first + region(action));
  }
  return in_region;
}

std::string BuildEGraph::name(Action a) const {
  const std::string& rule_name = rule(a).rule->name;
  return options_.regions == 1 ? rule_name
                               : fmt::format("{}, part {} of {}", rule_name, region(a) + 1, options_.regions);
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

void BuildEGraph::find_matches(const EGraph& g, Lookups& lookups, uint32_t rule) {
  matcher_.find(g, index(g, lookups), rule);
  memo_->closing_found = false;
}

template <class Wanted, class Insert>
void BuildEGraph::apply_matches(const EGraph& g, uint32_t rule, Wanted&& wanted, Insert&& insert) {
  const bool multi = matcher_.rule(rule).rule->is_multi();
  const size_t before = g.live_nodes();
  matcher_.for_each(
      rule, wanted,
      [&](std::span<const ClassId> roots, const egraph::Subst& subst, std::span<const uint32_t> matches) {
        const size_t now = insert(roots, subst, matches);
        return !multi || now - before < options_.node_multi;
      });
}

/// Which of those that were found are refused; null: none. To be asked once before anything is inserted.
const ClosingMatches* BuildEGraph::closing_matches(const EGraph& g, Lookups& lookups, uint32_t rule) {
  if (!options_.filter_cycles || !matcher_.rule(rule).rule->is_multi()) return nullptr;
  Memo& memo = *memo_;
  if (!memo.closing_found) memo.closing.find(g, order(g, lookups).classes, matcher_, rule);
  memo.closing_found = true;
  return &memo.closing;
}

bool BuildEGraph::closes_cycle(const EGraph& g, Lookups& lookups, uint32_t rule,
                               std::span<const uint32_t> matches) {
  const ClosingMatches* closing = closing_matches(g, lookups, rule);
  return closing != nullptr && closing->closes(matches);
}

void BuildEGraph::replay(std::span<const Action> steps, rewrite::Alternatives& alternatives) {
  const rewrite::TensorEGraph& program = alternatives.program();
  EGraph& g = alternatives.program().graph();
  rewrite::RuleApplier applier(alternatives);
  Regions regions(g, options_.regions);
  for (Action action : steps) {
    Lookups lookups;
    const uint32_t rule = rule_number(action);
    find_matches(g, lookups, rule);
    std::span<const uint32_t> joint;
    const std::function<bool()> ok = [&] { return !closes_cycle(g, lookups, rule, joint); };
    apply_matches(
        g, rule, egraph::MultiPattern::All(),
        [&](std::span<const ClassId> at, const egraph::Subst& subst, std::span<const uint32_t> matches) {
          if (regions.of(at) != region(action)) return g.live_nodes();
          joint = matches;
          applier.apply(matcher_.rule(rule), at, subst, &ok);
          regions.made(g.slots(), region(action));
          return g.live_nodes();
        });
    g.rebuild();
    if (options_.filter_cycles) egraph::break_cycles(g, program.roots(), program.source_nodes());
    regions.settle(g);
  }
}

bool BuildEGraph::advance(const State& from, Action action, State& to) {
  ++statistics_.steps;
  const size_t filtered = from.graph.filtered_nodes();
  Step step(*this, from, action, to);
  apply_matches(
      from.graph, step.number, step,
      [&](std::span<const ClassId> at, const egraph::Subst& subst, std::span<const uint32_t> matches) {
        step.insert(at, subst, matches);
        return step.now().live_nodes();
      });
  if (!step.changed) return false;

  EGraph& g = *step.g;
  if (g.rebuild() > 0) step.merged = step.learned = true;
  to.regions.made(g.slots(), step.region);
  to.regions.settle(g);
  to.lookups = nullptr;
  // Where there are cycles that no root reaches, those that roots reach are looked for.
  if (options_.filter_cycles && (step.merged || step.may_close) && !order(g, lookups(to)).acyclic &&
      egraph::break_cycles(g, roots(g), program_.source_nodes()) > 0)
    to.lookups = nullptr;
  finish(to, step.before, {step.merged, step.learned, g.filtered_nodes() != filtered});
  return true;
}

void BuildEGraph::finish(State& state, size_t before, Change change) {
  const EGraph& g = state.graph;
  state.version = ++versions_;
  state.nodes = options_.limit_by_tensat_count ? tensat_count_(g) : g.live_nodes();
  const bool repriced = reprice(state, before, change);
  const bool again = change.merged || change.refiltered;
  if (options_.keys_at_end || options_.extraction == Extraction::kExact || !ended(state)) {
    forget_left_sides(state, before, change);
    relabel(state, before, change.merged);
    state.key = (again ? 0 : state.key) + hash(state, again ? 0 : before);
  }
  if (options_.extraction == Extraction::kExact) {
    const auto [it, fresh] = memo_->exact.try_emplace(state.key, 0.0);
    if (fresh) {
      Limits limits;
      limits.seconds = options_.exact_seconds;
      it->second = extract::extract(flat_problem(state), extract::Extractor::kAuto, limits).dag_cost;
      ++statistics_.searches;
    }
    state.cost = it->second;
    return;
  }
  if (again || repriced)
    costs_.begin(g, order(g, lookups(state)).classes, state.prices, state.costs);
  else
    costs_.extend(g, state.prices, before, state.costs);
  state.cost = costs_.total(roots(g), state.prices, state.costs);
}

/// What a step may have made untrue, of what is known of left sides.
void BuildEGraph::forget_left_sides(State& state, size_t before, Change change) {
  const EGraph& g = state.graph;
  const bool moved = change.merged && options_.regions > 1;
  if (change.refiltered || moved) state.represented.assign(state.represented.size(), 0);
  if (change.merged) {
    state.absent.assign(state.represented.size(), 0);
    return;
  }
  // What was not there is there only with a new node in it.
  uint64_t operators = 0;
  for (size_t i = before; i < g.slots(); ++i) operators |= RuleMatcher::bit(g.op(NodeId(i)));
  for (uint32_t left = 0; left < matcher_.distinct_left_sides(); ++left) {
    if ((matcher_.operators(left) & operators) == 0) continue;
    for (size_t bit = size_t{left} * options_.regions; bit < (size_t{left} + 1) * options_.regions; ++bit)
      drop(state.absent, bit);
  }
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

bool BuildEGraph::reprice(State& state, size_t before, Change change) {
  const EGraph& g = state.graph;
  Memo& memo = *memo_;
  bool all = change.learned;
  if (memo.asks_operands) {
    if (change.learned || change.refiltered || state.operands.empty()) {
      state.operands = memo.operands.all(g);
      all = true;
    } else if (memo.operands.extend(g, before, change.merged, state.operands)) {
      all = true;
    }
  }
  state.prices.resize(g.slots(), rewrite::Pricer::kNever);
  const size_t from = all ? 0 : before;
  for (size_t i = 0; i < from; ++i)
    if (g.dead(NodeId(i))) state.prices[i] = rewrite::Pricer::kNever;
  for (size_t i = from; i < g.slots(); ++i) {
    const NodeId n(i);
    if (g.dead(n)) {
      state.prices[i] = rewrite::Pricer::kNever;
      continue;
    }
    const uint32_t maker = all || memo.asks_operands ? RightSideMemo::kUnknown : memo.made_by[i - before];
    if (maker == RightSideMemo::kUnknown) {
      state.prices[i] = memo.pricer.price(g, n, state.operands, false);
      continue;
    }
    uint32_t& number = memo.right_sides.node(maker).price;
    if (number == RightSideMemo::kUnknown) number = memo.pricer.number(g, n, {}, false);
    state.prices[i] = memo.pricer.at(number);
  }
  if (!memo.asks_operands) return all;
  for (const auto& [n, of_sum] : memo.operands.sum_takers(g, state.operands)) {
    const double price = memo.pricer.price(g, n, state.operands, of_sum);
    all = all || (n.index() < before && price != state.prices[n.index()]);
    state.prices[n.index()] = price;
  }
  return all;
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

extract::Problem BuildEGraph::flat_problem(const State& state) const {
  return egraph::flat_problem(state.graph, roots(state.graph),
                              [&](NodeId n) { return state.prices[n.index()]; })
      .problem;
}

}  // namespace isomer::problems
