// Growing an e-graph as a search problem (He, Singh and Yoneki, MCTS-GEB, 2023; Hartmann, He and Yoneki,
// 2024): states are e-graphs, an action applies one rule wherever it matches, the cost of a state is that of
// the cheapest program that an extraction finds in it. Any search of search/ can play it.
//
// There, each step copies an e-graph, matches the rule from nothing and extracts from nothing. Here a copy is
// a few memcpys (and none is made within a simulation, where the state is changed in place); what a match
// would put in place depends on types and attributes alone and is worked out once (Recipe, in the .cpp);
// cycles are looked for only where a step could have closed one; a state is known again by a key that does
// not depend on the order of its steps (`label`); and extraction goes on from that of the state before
// (program_cost.h).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "cost/cost_model.h"
#include "egraph/order.h"
#include "extract/problem.h"
#include "problems/program_cost.h"
#include "problems/regions.h"
#include "problems/rule_matcher.h"
#include "problems/tensat_count.h"
#include "rewrite/pricer.h"
#include "search/problem.h"

namespace isomer::problems {

struct BuildEGraphOptions {
  size_t node_limit = 2000;  ///< a state with as many nodes has ended; the step that goes beyond it counts
  bool limit_by_tensat_count = true;  ///< nodes as TENSAT counts them, else live e-nodes
  size_t node_multi = 2000;           ///< nodes that one step of a multi-pattern rule may add
  bool filter_cycles = true;          ///< TENSAT's efficient filter; else cycles stay
  rewrite::PriceOptions prices;       ///< as of the extraction that follows
  bool allow_unstable = false;
  FloatPromise floats = FloatPromise::kFast;  ///< what applications keep to
  Extraction extraction = Extraction::kSharing;
  double exact_seconds = 10;  ///< of one exact extraction
  bool keys_at_end = true;    ///< states that have ended have a key, too (exact extractions need it)
  uint32_t regions = 1;       ///< actions are a rule in one of so many parts of the program (regions.h)
};

class ClosingMatches;

class BuildEGraph {
 public:
  /// The number of a rule in the set, and of a region: region * rules + rule.
  using Action = uint32_t;
  struct Lookups;

  struct State {
    explicit State(rewrite::EGraph g) : graph(std::move(g)) {}

    rewrite::EGraph graph;
    std::vector<uint64_t> label;   ///< by canonical class: a name that does not depend on the order of steps
    rewrite::ClassFacts operands;  ///< where the cost model asks for them
    Prices prices;
    Costs costs;
    uint64_t key = 0;
    uint64_t version = 0;  ///< e-graphs of one version are the same, ids included
    double cost = 0;
    size_t nodes = 0;  ///< as the limit counts
    /// Left sides that are known to be, and not to be, there; a bit for each left side and region.
    std::vector<uint64_t> represented, absent;
    Regions regions;
    mutable std::shared_ptr<Lookups> lookups;  ///< shared by copies; null until asked for
  };

  /// `graph` and the rules must outlive this. `start`: an e-graph that grew from that of `graph` (or of the
  /// same over a context of which `graph` has a clone), to begin with; it must stay too.
  BuildEGraph(const ir::Graph& graph, const rewrite::RuleSet& rules, cost::CostModel& model,
              BuildEGraphOptions options = {}, const rewrite::EGraph* start = nullptr);
  ~BuildEGraph();

  State initial();
  /// Rules that all their left sides are represented for, one of them in the region.
  std::vector<Action> actions(State& state);
  std::vector<Action> actions(const State& state);
  State step(const State& state, Action action);
  double cost(const State& state) const { return state.cost; }
  uint64_t key(const State& state) const { return state.key; }

  /// All that may be taken; `may_apply` says which of them are not pruned in a state.
  const std::vector<Action>& all_actions() const { return all_; }
  bool may_apply(State& state, Action action);
  /// The step in place. False if it changed nothing.
  bool advance(State& state, Action action) { return advance(state, action, state); }
  /// The step from a state into the memory of another, which is touched only if the rule changes something:
  /// most steps that change nothing need no copy.
  bool advance(const State& from, Action action, State& to);
  bool ended(const State& state) const { return state.nodes >= options_.node_limit; }
  /// What trials remember of costs is forgotten after each; states made before it stay good.
  void trial_begins() { costs_.mark(); }
  void trial_ended() { costs_.drop_to_mark(); }
  /// Of all states only these are still needed.
  void keep_only(std::span<State* const> states);
  void keep_only(State& state) { keep_only(std::vector<State*>{&state}); }
  /// Bytes of a state, and of what is remembered of the costs of all.
  size_t memory_bytes(const State& state) const;
  size_t remembered_bytes() const { return costs_.memory_bytes(); }
  size_t node_limit() const { return options_.node_limit; }

  /// What is known of rules from elsewhere, by rule, in (0, 1] (search/mcts_tree.h); empty: nothing.
  void set_priors(std::vector<double> priors);
  bool has_priors() const { return !priors_.empty(); }
  double prior(Action a) const { return priors_.empty() ? 1 : priors_[rule_number(a)]; }
  /// Told of each rollout of a search: the rules that changed something, and the improvement of cost.
  using RolloutListener = std::function<void(std::span<const Action> path, double reward)>;
  void on_rollout(RolloutListener listener) { listener_ = std::move(listener); }
  void rollout_ended(std::span<const Action> path, double reward) const {
    if (listener_) listener_(path, reward);
  }

  /// Takes steps on an e-graph of its own (which must be as the initial state is), as alternatives of which
  /// the sources are the rules of the set, by number: the same nodes as in the state that they lead to.
  void replay(std::span<const Action> steps, rewrite::Alternatives& alternatives);

  uint32_t rule_number(Action a) const { return a % static_cast<uint32_t>(matcher_.size()); }
  uint32_t region(Action a) const { return a / static_cast<uint32_t>(matcher_.size()); }
  uint32_t regions() const { return options_.regions; }
  const rewrite::CompiledRule& rule(Action a) const { return matcher_.rule(rule_number(a)); }
  /// The rule's name, and where there are regions which: "name, part 3 of 8".
  std::string name(Action a) const;
  ir::Context& context() const { return program_.context(); }
  std::vector<egraph::ClassId> roots(const rewrite::EGraph& g) const;
  /// The flat extraction problem of a state.
  extract::Problem flat_problem(const State& state) const;

  struct Statistics {
    uint64_t steps = 0;     ///< applications of a rule
    uint64_t matches = 0;   ///< applied in them
    uint64_t searches = 0;  ///< for extractions from nothing: 0 unless exact
  };
  const Statistics& statistics() const { return statistics_; }

 private:
  struct Memo;
  struct Step;
  struct Change {
    bool merged = false;      ///< classes that were there before, or their facts
    bool learned = false;     ///< facts
    bool refiltered = false;  ///< nodes
  };
  void find_left_side(State& state, uint32_t left);
  void find_matches(const rewrite::EGraph& g, Lookups& lookups, uint32_t rule);
  /// Visits those found: insert(classes, substitution, match of each part) returns the number of live nodes
  /// afterwards; `wanted` as in RuleMatcher.
  template <class Wanted, class Insert>
  void apply_matches(const rewrite::EGraph& g, uint32_t rule, Wanted&& wanted, Insert&& insert);
  const ClosingMatches* closing_matches(const rewrite::EGraph& g, Lookups& lookups, uint32_t rule);
  bool closes_cycle(const rewrite::EGraph& g, Lookups& lookups, uint32_t rule,
                    std::span<const uint32_t> matches);
  static Lookups& lookups(const State& state);
  static const OperatorIndex& index(const rewrite::EGraph& g, Lookups& lookups);
  static const egraph::ClassOrder& order(const rewrite::EGraph& g, Lookups& lookups);
  /// True if prices of nodes may have changed that were there before.
  bool reprice(State& state, size_t before, Change change);
  void relabel(State& state, size_t from, bool merged);
  /// Nodes from `before` on are new.
  void finish(State& state, size_t before, Change change);
  void forget_left_sides(State& state, size_t before, Change change);
  uint64_t hash(const State& state, size_t from) const;

  BuildEGraphOptions options_;
  rewrite::TensorEGraph program_;
  const rewrite::EGraph* start_;
  RuleMatcher matcher_;
  ProgramCost costs_;
  std::vector<Action> all_;
  std::vector<double> priors_;
  RolloutListener listener_;
  std::vector<egraph::ClassId> first_roots_;
  TensatCount tensat_count_;
  uint64_t versions_ = 0;
  Statistics statistics_;
  std::unique_ptr<Memo> memo_;
};

}  // namespace isomer::problems
