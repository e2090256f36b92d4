#include "problems/environment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_set>

#include "extract/extract.h"
#include "support/errors.h"

namespace isomer::problems {

using egraph::ClassId;
using egraph::NodeId;

namespace {

constexpr size_t kTidyAt = 16u << 20;  // bytes; memory that is used again is cheaper than fresh pages

}  // namespace

/// Of states that are not needed any more, for the next ones: fresh pages cost more than the copy.
struct Environment::Memory {
  std::vector<std::unique_ptr<BuildEGraph::State>> free;
  size_t most = 0;

  /// One to be written over; an empty one where there is none.
  std::unique_ptr<BuildEGraph::State> take(const BuildEGraph::State& like) {
    if (free.empty()) return std::make_unique<BuildEGraph::State>(rewrite::EGraph(like.graph.analysis()));
    std::unique_ptr<BuildEGraph::State> state = std::move(free.back());
    free.pop_back();
    return state;
  }
  void give_back(std::unique_ptr<BuildEGraph::State> state) {
    if (free.size() < most) free.push_back(std::move(state));
  }
};

/// A state, as far as it is still needed, and what actions led to from it.
struct Environment::Known {
  explicit Known(Memory& m) : memory(m) {}
  Known(const Known&) = delete;
  Known& operator=(const Known&) = delete;
  ~Known() {
    if (state != nullptr) memory.give_back(std::move(state));
  }

  Memory& memory;
  std::unique_ptr<BuildEGraph::State>
      state;  ///< none where the episode has ended, unless graphs are observed
  double cost = 0;
  size_t nodes = 0, live = 0, classes = 0, filtered = 0;
  bool ended = false;
  bool met_again = false;  ///< what follows it is kept only then: most states are met once
  size_t bytes = 0;
  std::vector<uint8_t> allowed;                      ///< by action
  std::map<uint32_t, std::shared_ptr<Known>> after;  ///< null: the action changes nothing
};

struct Environment::Episode {
  struct Rule {
    uint32_t applied = 0, in_vain = 0;
    bool closed = false;  ///< changes nothing in the state as it is
    size_t added = 0;
    double saved = 0;
  };
  std::shared_ptr<Known> at;
  std::vector<Rule> rules;
  std::vector<uint32_t> taken;
  double best = 0, last_saved = 0;
  size_t last_added = 0;
  bool over = false;
};

Environment::Environment(BuildEGraph& problem, std::vector<uint32_t> rules, size_t episodes,
                         EnvironmentOptions options)
    : problem_(problem),
      rules_(std::move(rules)),
      options_(options),
      memory_(std::make_unique<Memory>()),
      start_(std::make_shared<Known>(*memory_)) {
  REQUIRE(episodes > 0 && options.max_steps > 0, "an environment has episodes, and these have steps");
  memory_->most = 2 * episodes;
  start_->state = std::make_unique<BuildEGraph::State>(problem_.initial());
  start_->met_again = true;
  summarize(*start_);
  if (!(start_->cost > 0))
    throw UsageError("the program costs nothing under this cost model: there is nothing to learn");
  start_->bytes += problem_.memory_bytes(*start_->state);
  statistics_.bytes = start_->bytes;
  statistics_.states = 1;
  forget_at_ = std::max(options_.cache_bytes, 2 * problem_.remembered_bytes());
  tidy_at_ = std::max(kTidyAt, 2 * problem_.remembered_bytes());
  episodes_.resize(episodes);
  for (size_t e = 0; e < episodes; ++e) reset(e);
}

Environment::~Environment() = default;

size_t Environment::episodes() const { return episodes_.size(); }

void Environment::summarize(Known& known) {
  BuildEGraph::State& state = *known.state;
  known.cost = state.cost;
  known.nodes = state.nodes;
  known.live = state.graph.live_nodes();
  known.classes = state.graph.live_classes();
  known.filtered = state.graph.filtered_nodes();
  known.ended = problem_.ended(state);
  known.allowed.assign(rules_.size(), 0);
  known.bytes = sizeof(Known) + rules_.size();
  if (known.ended) return;
  for (size_t a = 0; a < rules_.size(); ++a) known.allowed[a] = problem_.may_apply(state, rules_[a]);
}

void Environment::reset(size_t episode) {
  Episode& e = episodes_.at(episode);
  e.at = start_;
  e.rules.assign(rules_.size(), {});
  e.taken.clear();
  e.best = start_->cost;
  e.last_saved = 0;
  e.last_added = 0;
  e.over = false;
}

bool Environment::open(const Episode& e, size_t action) const {
  return e.at->allowed[action] != 0 && !e.rules[action].closed;
}

std::shared_ptr<Environment::Known> Environment::follow(Known& from, uint32_t action) {
  if (const auto it = from.after.find(action); it != from.after.end()) {
    ++statistics_.looked_up;
    if (it->second != nullptr) it->second->met_again = true;
    return it->second;
  }
  auto made = std::make_shared<Known>(*memory_);
  made->state = memory_->take(*from.state);
  problem_.trial_begins();
  const bool changed = problem_.advance(*from.state, rules_[action], *made->state) &&
                       (problem_.ended(*made->state) ||
                        made->state->key != from.state->key);  // there are more nodes if it has
  if (changed) summarize(*made);
  if (!changed || (made->ended && !options_.graph)) {
    memory_->give_back(std::move(made->state));
    problem_.trial_ended();
  } else {
    made->bytes += problem_.memory_bytes(*made->state);
  }
  if (!changed) made = nullptr;
  if (options_.cache_bytes == 0 || !from.met_again) return made;
  from.after.emplace(action, made);
  if (made != nullptr) {
    statistics_.bytes += made->bytes;
    ++statistics_.states;
  }
  return made;
}

/// Histories of costs that no state needs any more.
void Environment::tidy() {
  std::vector<const Known*> known;
  std::unordered_set<const Known*> met;
  const auto meet = [&](const Known* k) {
    if (k != nullptr && met.insert(k).second) known.push_back(k);
  };
  meet(start_.get());
  for (const Episode& e : episodes_) meet(e.at.get());
  std::vector<BuildEGraph::State*> needed;
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i]->state) needed.push_back(known[i]->state.get());
    for (const auto& [action, next] : known[i]->after) meet(next.get());
  }
  problem_.keep_only(needed);
  tidy_at_ = std::max(kTidyAt, 2 * problem_.remembered_bytes());
}

/// Everything but the start and where the episodes stand.
void Environment::forget() {
  std::vector<BuildEGraph::State*> needed;
  std::vector<Known*> kept{start_.get()};
  for (const Episode& e : episodes_) kept.push_back(e.at.get());
  std::ranges::sort(kept);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<std::shared_ptr<Known>> alive;  // what is kept may hang below what is cleared
  for (const Episode& e : episodes_) alive.push_back(e.at);
  for (Known* k : kept) {
    k->after.clear();
    if (k->state) needed.push_back(&*k->state);
  }
  problem_.keep_only(needed);
  statistics_.bytes = 0;
  for (const Known* k : kept) statistics_.bytes += k->bytes;
  statistics_.states = kept.size();
  forget_at_ = std::max(options_.cache_bytes, 2 * (statistics_.bytes + problem_.remembered_bytes()));
}

Environment::Outcome Environment::step(size_t episode, uint32_t action) {
  Episode& e = episodes_.at(episode);
  if (action >= rules_.size())
    throw UsageError(fmt::format("action {}: there are {}", action, rules_.size()));
  REQUIRE(!e.over, "the episode has ended: reset it");
  ++statistics_.steps;
  e.taken.push_back(action);
  e.last_added = 0;
  e.last_saved = 0;
  Outcome out;
  if (open(e, action)) {
    Episode::Rule& rule = e.rules[action];
    if (const std::shared_ptr<Known> next = follow(*e.at, action)) {
      ++rule.applied;
      e.last_added = next->live > e.at->live ? next->live - e.at->live : 0;
      e.last_saved = (e.at->cost - next->cost) / start_->cost;
      rule.added += e.last_added;
      rule.saved += e.last_saved;
      e.at = next;
      for (Episode::Rule& r : e.rules) r.closed = false;
      if (next->cost < e.best) {
        out.reward = (e.best - next->cost) / start_->cost;
        e.best = next->cost;
      }
    } else {
      ++rule.in_vain;
      rule.closed = true;
    }
    if (problem_.remembered_bytes() > tidy_at_) tidy();
    if (statistics_.bytes + problem_.remembered_bytes() > forget_at_) forget();
  }
  bool any = false;
  for (size_t a = 0; a < rules_.size() && !any; ++a) any = open(e, a);
  out.terminated = !any;
  out.truncated = !out.terminated && e.taken.size() >= options_.max_steps;
  e.over = out.terminated || out.truncated;
  return out;
}

double Environment::cost(size_t episode) const { return episodes_.at(episode).at->cost; }
double Environment::best(size_t episode) const { return episodes_.at(episode).best; }
double Environment::start_cost() const { return start_->cost; }
size_t Environment::nodes(size_t episode) const { return episodes_.at(episode).at->nodes; }
const std::vector<uint32_t>& Environment::taken(size_t episode) const { return episodes_.at(episode).taken; }

void Environment::observe(size_t episode, std::span<float> rules, std::span<float> egraph,
                          std::span<float> cost) const {
  const Episode& e = episodes_.at(episode);
  REQUIRE(rules.size() == kRuleColumns * rules_.size() && egraph.size() == kEGraphColumns &&
              cost.size() == kCostColumns,
          "an observation's parts have the sizes that the header says");
  const auto limit = static_cast<float>(problem_.node_limit());
  const auto steps = static_cast<float>(options_.max_steps);
  size_t allowed = 0;
  for (size_t a = 0; a < rules_.size(); ++a) {
    const Episode::Rule& r = e.rules[a];
    float* row = rules.data() + kRuleColumns * a;
    row[0] = open(e, a);
    row[1] = static_cast<float>(r.applied) / steps;
    row[2] = static_cast<float>(r.in_vain) / steps;
    row[3] = static_cast<float>(r.added) / limit;
    row[4] = static_cast<float>(r.saved);
    allowed += open(e, a);
  }
  const Known& k = *e.at;
  egraph[0] = static_cast<float>(k.nodes) / limit;
  egraph[1] = static_cast<float>(k.live) / limit;
  egraph[2] = static_cast<float>(k.classes) / limit;
  egraph[3] = static_cast<float>(k.filtered) / limit;
  egraph[4] = static_cast<float>(e.last_added) / limit;
  egraph[5] = static_cast<float>(allowed) / static_cast<float>(std::max<size_t>(rules_.size(), 1));
  egraph[6] = static_cast<float>(e.taken.size()) / steps;
  cost[0] = static_cast<float>(k.cost / start_->cost);
  cost[1] = static_cast<float>(e.best / start_->cost);
  cost[2] = static_cast<float>(e.last_saved);
}

void Environment::mask(size_t episode, std::span<int8_t> out) const {
  const Episode& e = episodes_.at(episode);
  REQUIRE(out.size() == rules_.size(), "a mask has a number for each action");
  for (size_t a = 0; a < rules_.size(); ++a) out[a] = open(e, a);
}

std::pair<size_t, size_t> Environment::graph(size_t episode, std::span<int32_t> nodes,
                                             std::span<float> prices, std::span<int32_t> edges) const {
  REQUIRE(options_.graph && nodes.size() == 3 * prices.size(),
          "graphs are observed with the option `graph`, three numbers a node");
  const BuildEGraph::State& s = *episodes_.at(episode).at->state;
  std::ranges::fill(nodes, -1);
  std::ranges::fill(prices, 0.0f);
  std::ranges::fill(edges, -1);
  std::vector<int32_t> number(s.graph.slots(), -1);
  int32_t classes = 0;
  s.graph.for_each_class([&](ClassId c) { number[c.index()] = classes++; });
  size_t n = 0, edge = 0;
  for (uint32_t i = 0; i < s.graph.slots(); ++i) {
    const NodeId id(i);
    if (!s.graph.usable(id)) continue;
    if (n < prices.size()) {
      const ClassId c = s.graph.class_of(id);
      nodes[3 * n] = static_cast<int32_t>(s.graph.op(id));
      nodes[3 * n + 1] = number[c.index()];
      nodes[3 * n + 2] = c.index() < s.costs.pick.size() && s.costs.pick[c.index()] == id;
      prices[n] = std::isfinite(s.prices[i]) ? static_cast<float>(s.prices[i] / start_->cost) : -1.0f;
    }
    for (ClassId child : s.graph.children(id)) {
      if (n < prices.size() && 2 * edge + 1 < edges.size()) {
        edges[2 * edge] = static_cast<int32_t>(n);
        edges[2 * edge + 1] = number[child.index()];
      }
      ++edge;
    }
    ++n;
  }
  return {n, edge};
}

Environment::Exact Environment::extract(size_t episode, double seconds) {
  problem_.trial_begins();
  BuildEGraph::State state = *start_->state;
  for (uint32_t action : episodes_.at(episode).taken) problem_.advance(state, rules_[action]);
  problem_.trial_ended();
  Limits limits;
  limits.seconds = seconds;
  const extract::Extraction e =
      extract::extract(problem_.flat_problem(state), extract::Extractor::kAuto, limits);
  return {e.dag_cost, e.bound, e.optimal};
}

}  // namespace isomer::problems
