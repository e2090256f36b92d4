#include "recipes/hlo_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "cost/hlo_analysis.h"
#include "hlo/dag_hash.h"
#include "machine/device.h"
#include "problems/module_egraph.h"
#include "recipes/check_options.h"
#include "recipes/hlo_check.h"
#include "recipes/hlo_env.h"
#include "recipes/hlo_rule_pass.h"
#include "search/factored_mcts.h"
#include "search/random_walks.h"
#include "search/stack_beam.h"
#include "support/files.h"
#include "support/unknown_word.h"

namespace isomer::recipes {
namespace {

using problems::DecidePasses;

/// The cheapest of all that a search has met, and why it ended.
struct Found {
  DecidePasses::State state;
  double cost = 0;
  StopReason stop_reason = StopReason::kRunning;
};

template <class Result>
Found found(Result result) {
  return {std::move(result.best), result.cost, result.stop_reason};
}

HloEnv seen(const DecidePasses& problem, const DecidePasses::State& state) {
  problem.alternatives(state);
  return HloEnv::of(state.module, state.graph);
}

/// What an agent says of a state, where there is one.
void ask_agent(const HloSearchOptions& o, double start_cost,
               search::FactoredMctsOptions<DecidePasses>& mcts) {
  if (o.prior)
    mcts.prior = [&o](DecidePasses& p, const DecidePasses::State& s) {
      std::vector<std::vector<double>> out = o.prior(seen(p, s));
      const std::vector<uint32_t> factors = p.factors(s);
      if (out.size() != factors.size())
        throw UsageError(fmt::format("prior: expected {} choices, found {}", factors.size(), out.size()));
      for (size_t d = 0; d < out.size(); ++d)
        if (out[d].size() != factors[d])
          throw UsageError(fmt::format("prior: expected {} probabilities of choice {}, found {}", factors[d],
                                       d, out[d].size()));
      return out;
    };
  if (o.value)
    mcts.value = [&o, start_cost](DecidePasses& p, const DecidePasses::State& s, Rng&) {
      return start_cost * o.value(seen(p, s));
    };
}

using Improved = std::function<void(double, uint64_t)>;

Found by_random_walks(DecidePasses& problem, const HloSearchOptions& o, const Improved& improved) {
  Rng rng(o.seed);
  search::RandomWalksOptions walks;
  walks.steps = o.steps;
  walks.limits = o.limits;
  return found(search::random_walks(problem, walks, rng, improved));
}

Found by_beam(DecidePasses& problem, const HloSearchOptions& o, const Improved& improved) {
  search::StackBeamOptions beam;
  beam.alpha = o.alpha;
  beam.expand = o.expand;
  beam.limits = o.limits;
  return found(search::stack_beam(problem, beam, improved));
}

Found by_mcts(DecidePasses& problem, const HloSearchOptions& o, const Improved& improved) {
  Rng rng(o.seed);
  search::FactoredMctsOptions<DecidePasses> mcts;
  mcts.simulations = o.simulations;
  mcts.limits = o.limits;
  ask_agent(o, problem.cost(problem.initial()), mcts);
  return found(search::factored_mcts(problem, mcts, rng, improved));
}

/// From each state to what is cheapest of its alternatives, and to what pick-first makes of it.
Found by_extraction(DecidePasses& problem, const HloSearchOptions& o, const Improved& improved) {
  constexpr double kShare = 0.5;
  const machine::Device* named = roofline_device(o.evaluator);
  const machine::DeviceProfile& device = *(named != nullptr ? named : machine::find_device("cpu"))->profile;
  LimitWatch watch(o.limits);
  std::vector<DecidePasses::State> open = {problem.initial()};
  std::unordered_set<uint64_t> seen = {open[0].key};
  Found best = {open[0], problem.cost(open[0]), StopReason::kSaturated};
  while (!open.empty()) {
    if (const StopReason reason = watch.check_now(); reason != StopReason::kRunning) {
      best.stop_reason = reason;
      break;
    }
    const DecidePasses::State state = std::move(open.back());
    open.pop_back();
    const passes::AlternativeGraph& graph = problem.alternatives(state);
    if (graph.choices().empty()) continue;
    Limits rest = o.limits;
    rest.seconds = kShare * watch.remaining();  // the best until then is a result as well
    problems::ExtractedModule extracted =
        problems::cheapest_module(graph, cost::hlo_roofline_seconds_of_each(graph.module(), device), rest);
    DecidePasses::State next[] = {problem.step(state, problem.first(state)),
                                  problem.state_of(std::move(extracted.module))};
    for (DecidePasses::State& one : next) {
      if (!seen.insert(one.key).second) continue;
      if (const double cost = problem.cost(one); cost < best.cost) {
        best.state = one;
        best.cost = cost;
        improved(cost, seen.size());
      }
      open.push_back(std::move(one));
    }
  }
  return best;
}

/// Costs what the rest of a pipeline makes of a module.
class AfterStages : public problems::HloEvaluator {
 public:
  AfterStages(std::vector<passes::Stage> stages, problems::HloEvaluator& evaluator)
      : stages_(std::move(stages)), evaluator_(evaluator) {}
  std::string name() const override { return evaluator_.name(); }
  std::vector<double> costs(std::span<const hlo::Module* const> modules) override {
    if (stages_.empty()) return evaluator_.costs(modules);
    std::vector<hlo::Module> made;
    std::vector<const hlo::Module*> all;
    for (const hlo::Module* module : modules) made.push_back(after(*module));
    for (const hlo::Module& module : made) all.push_back(&module);
    return evaluator_.costs(all);
  }
  hlo::Module after(const hlo::Module& module) const { return passes::run(module, stages_).module; }

 private:
  std::vector<passes::Stage> stages_;
  problems::HloEvaluator& evaluator_;
};

/// Of a pipeline what is decided; without one, the passes.
passes::Decided decided(const HloSearchOptions& o) {
  if (o.pipeline) return passes::decided(*o.pipeline);
  return {.before = {}, .passes = hlo_passes(o.passes), .after = {}};
}

/// Nothing for pick-first, which is gone through before any search.
std::optional<Found> search(DecidePasses& problem, const HloSearchOptions& o, const Improved& improved) {
  switch (o.search) {
    case HloSearch::kPickFirst: return {};
    case HloSearch::kRandom: return by_random_walks(problem, o, improved);
    case HloSearch::kExhaustive:
      return found(search::stack_beam(problem, search::exhaustive(o.limits), improved));
    case HloSearch::kBeam: return by_beam(problem, o, improved);
    case HloSearch::kMcts: return by_mcts(problem, o, improved);
    case HloSearch::kExtraction: return by_extraction(problem, o, improved);
  }
  return {};
}

}  // namespace

const std::vector<std::string>& hlo_searches() {
  static const std::vector<std::string> kAll = {"pick-first", "random", "exhaustive",
                                                "beam",       "mcts",   "extraction"};
  return kAll;
}

HloSearch hlo_search_named(std::string_view word) {
  const auto at = std::ranges::find(hlo_searches(), word);
  if (at == hlo_searches().end()) throw unknown_word("--search", word, hlo_searches());
  return static_cast<HloSearch>(at - hlo_searches().begin());
}

const std::string& word_of(HloSearch search) { return hlo_searches()[static_cast<size_t>(search)]; }

passes::Pipeline hlo_pipeline(const std::string& preset_or_file) {
  for (const passes::Preset& preset : passes::presets())
    if (preset.name == preset_or_file) return passes::parse_pipeline(preset.text, preset_or_file);
  return passes::parse_pipeline(read_file(preset_or_file), preset_or_file, hlo_pass);
}

std::string about_hlo_pipelines() {
  std::string out = "a file of stages";
  for (const passes::Preset& preset : passes::presets())
    out += fmt::format(", or {}: {}", preset.name, preset.about);
  return out;
}

HloSearchResult hlo_search(const hlo::Module& module, const HloSearchOptions& options) {
  require_seconds("time_limit", options.limits.seconds);
  const double begin = wall_seconds();
  const Deadline until(options.limits.seconds, steady_clock());
  constexpr double kCheckSeconds = 5, kShareOfCheck = 0.1, kLeastCheckSeconds = 2;
  const double kept = options.check ? std::min(2 * kCheckSeconds, kShareOfCheck * options.limits.seconds) : 0;
  problems::DecidePassesOptions decide;
  const passes::Decided stages = decided(options);
  decide.passes = stages.passes;
  decide.evaluations = options.evaluations;
  decide.spent = options.limits.stop;
  decide.keep_ways = options.keep_ways;
  HloEvaluatorOptions evaluation = options.evaluation;
  if (options.pipeline)
    evaluation.disabled.insert(evaluation.disabled.end(), options.pipeline->without.begin(),
                               options.pipeline->without.end());
  const auto evaluator = hlo_evaluator(options.evaluator, module, evaluation);
  AfterStages whole(stages.after, *evaluator);
  DecidePasses problem(passes::run(module, stages.before).module, std::move(decide), whole);

  HloSearchResult out;
  const DecidePasses::State start = problem.initial();
  out.cost_before = problem.cost(start);
  const problems::PickFirstResult first = problems::pick_first(problem);
  out.cost_pick_first = first.cost;
  out.pick_first_at_rest = first.at_rest;
  Found best = {first.last, first.cost, StopReason::kSaturated};
  if (out.cost_before <= best.cost) best = {start, out.cost_before, StopReason::kSaturated};

  const auto tell = [&](double cost, uint64_t number) {
    options.progress->update(
        {.phase = word_of(options.search),
         .fraction = std::min(1.0, (wall_seconds() - begin) / options.limits.seconds),
         .seconds_left = until.remaining(),
         .note = fmt::format("{:.4g} of the start's cost after {}", cost / out.cost_before, number)});
  };
  HloSearchOptions rest = options;
  rest.limits.seconds = std::max(0.0, until.remaining() - kept);
  if (std::optional<Found> searched = search(problem, rest, tell)) {
    if (searched->cost < best.cost)
      best = std::move(*searched);
    else
      best.stop_reason = searched->stop_reason;
  }
  if (options.keep_ways)
    out.ways = {whole.after(*first.last.module), problem.way_to(first.last), problem.way_to(best.state)};
  out.module = whole.after(*best.state.module);
  if (options.check &&
      hlo::dag_hash(out.module) != hlo::dag_hash(module)) {  // also once a stop has ended the search
    // Nor does a search that ran over its time leave what it found unasked.
    const double left = std::max(kLeastCheckSeconds, until.remaining());
    out.check = check_module(module, out.module, kCheckSeconds, Deadline(left, steady_clock()));
    require_right(*out.check, fmt::format("what {} makes of the module", word_of(options.search)));
  }
  out.cost_after = best.cost;
  out.stop_reason = best.stop_reason;
  out.evaluated = problem.evaluated();
  if (out.evaluated >= options.evaluations && out.stop_reason == StopReason::kInterrupted)
    out.stop_reason = StopReason::kIterationLimit;
  out.improvements = problem.improvements();
  out.listed_all = problem.listed_all();
  out.seconds = wall_seconds() - begin;
  return out;
}

}  // namespace isomer::recipes
