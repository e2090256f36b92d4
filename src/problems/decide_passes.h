// Deciding HLO passes as a search problem (HloEnv, section 3, algorithm 1): a state is a module, its factors
// are the choices that the passes' dry run finds in it, an action decides each of them, a step applies the
// decisions. The cost of a state is what an evaluator says: real XLA (recipes/hlo_evaluators.h), the
// roofline, anything else.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "passes/pass.h"
#include "search/factored.h"
#include "support/limits.h"

namespace isomer::problems {

/// What running a module costs, by any measure that is at least 0. Answers may be remembered by the asker:
/// modules of one hash are asked for once.
class HloEvaluator {
 public:
  virtual ~HloEvaluator() = default;
  virtual std::string name() const = 0;
  /// One for each.
  virtual std::vector<double> costs(std::span<const hlo::Module* const> modules) = 0;
};

struct DecidePassesOptions {
  std::vector<std::shared_ptr<const passes::Pass>> passes;
  /// Run to the end after each step, as part of it.
  std::vector<std::shared_ptr<const passes::Pass>> clean_up;
  /// If a state has more joint actions, `actions` lists some of them: each way alone, the first way of all
  /// choices, and of all but one.
  uint64_t most_joint_actions = 1024;
  /// When the evaluator has been asked for so many modules, `spent` is requested: a search that has it as its
  /// stop token ends, with some modules more where it costs several at once.
  uint64_t evaluations = std::numeric_limits<uint64_t>::max();
  StopToken spent{};
  StopToken stop{};          ///< of whoever waits for the search: where it is requested, so is `spent`
  bool keep_ways = false;    ///< how each state was first come to
  size_t keep_cheapest = 0;  ///< of the states so many are kept
};

/// A proposal that was taken: of which instruction, by which rule.
struct TakenDecision {
  std::string target, rule;
};
/// Step by step, from the start to a state.
using DecisionWay = std::vector<std::vector<TakenDecision>>;

class DecidePasses {
 public:
  using Action = search::Decisions;

  struct State {
    std::shared_ptr<const hlo::Module> module;
    /// The passes' proposals on it; there once it was asked for.
    mutable std::shared_ptr<const passes::AlternativeGraph> graph;
    uint64_t key = 0;  ///< the module's hash
  };

  /// The evaluator must outlive this.
  DecidePasses(hlo::Module module, DecidePassesOptions options, HloEvaluator& evaluator);

  State initial() const { return initial_; }
  State state_of(hlo::Module module) const;
  std::vector<uint32_t> factors(const State& state) const;
  std::vector<Action> actions(const State& state) const;
  /// The first way of each choice; empty where there is none.
  Action first(const State& state) const;
  State step(const State& state, const Action& action) const;
  double cost(const State& state);
  /// Costs them together.
  void prepare(const std::vector<State>& states);
  uint64_t key(const State& state) const { return state.key; }

  const passes::AlternativeGraph& alternatives(const State& state) const;
  /// Modules that the evaluator was asked for.
  uint64_t evaluated() const { return costs_.size(); }
  /// Each module that was cheaper than all before it: the how many-th it was, and what it costs.
  struct Improvement {
    uint64_t evaluated;
    double cost;
  };
  const std::vector<Improvement>& improvements() const { return improvements_; }
  /// Those that are kept, the cheapest first; of equals the earlier one.
  struct Costed {
    State state;
    double cost;
  };
  const std::vector<Costed>& cheapest() const { return cheapest_; }
  /// Of a state that was met, where ways are kept.
  DecisionWay way_to(const State& state) const;
  /// Whether `actions` has listed all there were, each time.
  bool listed_all() const { return listed_all_; }

 private:
  double keep(const State& state, double cost);
  void keep_way(const State& from, const Action& action, const passes::Applied& applied, uint64_t to) const;

  DecidePassesOptions options_;
  HloEvaluator& evaluator_;
  State initial_;
  std::unordered_map<uint64_t, double> costs_;
  std::vector<Improvement> improvements_;
  std::vector<Costed> cheapest_;
  mutable bool listed_all_ = true;
  struct Step {
    uint64_t from;
    std::vector<TakenDecision> taken;
  };
  mutable std::unordered_map<uint64_t, Step> steps_;  ///< by the key of where they lead
};

struct PickFirstResult {
  DecidePasses::State last;
  double cost = 0;
  std::vector<DecidePasses::Action> actions;
  bool at_rest = false;
};
/// HloEnv's baseline (section 3.1): the first way of each choice, until there is none.
PickFirstResult pick_first(DecidePasses& problem, uint64_t most_steps = passes::kMostSweeps);

}  // namespace isomer::problems
