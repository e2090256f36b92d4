#include "recipes/hlo_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "cost/hlo_analysis.h"
#include "hlo/dag_hash.h"
#include "hlo/print.h"
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

passes::Pipeline only_passes(const std::vector<std::string>& names) {
  return passes::only(hlo_passes(names));
}

std::string about_hlo_pipelines() {
  std::string out = "a file of stages";
  for (const passes::Preset& preset : passes::presets())
    out += fmt::format(", or {}: {}", preset.name, preset.about);
  return out;
}

namespace {

constexpr double kSecondsOfCheck = 5, kLeastSecondsOfCheck = 2;
constexpr size_t kConfirmed = 3;  ///< of what a search met

/// Ends by so many seconds sooner.
Deadline before(const Deadline& end, double seconds) {
  return {std::max(0.0, end.remaining() - seconds), steady_clock(), end.stop()};
}

/// What of a search's time is kept for what comes after it.
struct Kept {
  double confirming = 0, checking = 0;
};
Kept kept_of(const HloSearchOptions& o, bool is_timed) {
  constexpr double kShareOfCheck = 0.1, kShareOfConfirming = 0.2, kMostConfirming = 20;
  Kept out;
  if (o.check) out.checking = std::min(2 * kSecondsOfCheck, kShareOfCheck * o.limits.seconds);
  if (o.confirm && is_timed)
    out.confirming = std::min(kMostConfirming, kShareOfConfirming * o.limits.seconds);
  return out;
}

/// What is returned where modules are timed: of what was met, the start and pick-first's module.
class Confirming {
 public:
  Confirming(const DecidePasses& problem, const AfterStages& whole, const HloEvaluatorOptions& evaluation)
      : problem_(problem), whole_(whole), pool_(*evaluation.pool), tolerance_(evaluation.tolerance) {
    options_.threads = evaluation.threads;
    options_.seed = evaluation.seed;
    options_.disabled = evaluation.disabled;
    options_.stop = evaluation.stop;
  }

  /// `first`: what pick-first came to; `told`: what is returned where time is over.
  Found run(const Found& first, const Found& told, const Found& best, const Deadline& end,
            HloSearchResult& out) {
    const size_t start = place_of({problem_.initial(), out.cost_before});
    const bool is_first_run = first.cost < kRefused * out.cost_before;
    const size_t reference = is_first_run ? place_of({first.state, first.cost}) : start;
    const size_t cheapest = place_of({best.state, best.cost});
    for (const DecidePasses::Costed& one : problem_.cheapest())
      if (one.cost < kRefused * out.cost_before) place_of(one);
    if (met_.size() == 1) return best;
    const HloCalls calls = call_in_turn(
        met_.size(), options_, end,
        [&](int, const runtime::XlaOptions& options) { return pool_.race({texts_}, options)[0]; });
    out.confirmed = HloSearchResult::Confirmed{{}, {}, calls.evaluations, calls.stop_reason};
    if (!out.confirmed->is_complete()) return {told.state, told.cost, best.stop_reason};
    const auto over = speedups(calls, reference, tolerance_);
    const size_t taken = surely_fastest(calls, reference, tolerance_);
    out.confirmed->speedup = over[taken];
    out.confirmed->of_cheapest = over[cheapest];
    const double times = over[taken] ? over[taken]->median : 1;  // none: it is the reference
    return {met_[taken].state, met_[reference].cost / times, best.stop_reason};
  }

 private:
  /// Each program once.
  size_t place_of(const DecidePasses::Costed& one) {
    const hlo::Module module = whole_.after(*one.state.module);
    const auto [at, is_new] = places_.try_emplace(hlo::dag_hash(module), met_.size());
    if (is_new) {
      met_.push_back(one);
      texts_.push_back(hlo::print(module, hlo::Dialect::kShort));
    }
    return at->second;
  }

  const DecidePasses& problem_;
  const AfterStages& whole_;
  runtime::XlaPool& pool_;
  double tolerance_;
  runtime::XlaOptions options_;
  std::unordered_map<uint64_t, size_t> places_;  ///< by the hash of what comes after the stages
  std::vector<DecidePasses::Costed> met_;
  std::vector<std::string> texts_;
};

/// XLA leaves out what a pipeline is without, and all that times is one pool.
HloEvaluatorOptions evaluation_of(const HloSearchOptions& o) {
  HloEvaluatorOptions out = o.evaluation;
  out.disabled.insert(out.disabled.end(), o.pipeline.without.begin(), o.pipeline.without.end());
  if (times_calls(o.evaluator) && !out.pool)
    out.pool = std::make_shared<runtime::XlaPool>(out.workers, out.threads);
  return out;
}

/// The rest of the time is for it, and it ends when the evaluations are spent.
Found by_search(DecidePasses& problem, const HloSearchOptions& o, const StopToken& spent,
                const Deadline& until, Found best) {
  const double begin = wall_seconds(), start_cost = problem.cost(problem.initial());
  const auto tell = [&](double cost, uint64_t number) {
    o.progress->update(
        {.phase = word_of(o.search),
         .fraction = std::min(1.0, (wall_seconds() - begin) / o.limits.seconds),
         .seconds_left = until.remaining(),
         .note = fmt::format("{:.4g} of the start's cost after {}", cost / start_cost, number)});
  };
  HloSearchOptions rest = o;
  rest.limits.seconds = until.remaining();
  rest.limits.stop = spent;
  if (std::optional<Found> found = search(problem, rest, tell)) {
    if (found->cost < best.cost)
      best = std::move(*found);
    else
      best.stop_reason = found->stop_reason;
  }
  if (best.stop_reason == StopReason::kInterrupted && !o.limits.stop.requested())
    best.stop_reason = StopReason::kIterationLimit;
  return best;
}

}  // namespace

HloSearchResult hlo_search(const hlo::Module& module, const HloSearchOptions& options) {
  require_seconds("time_limit", options.limits.seconds);
  const double begin = wall_seconds();
  const Deadline until(options.limits.seconds, steady_clock(), options.limits.stop);
  const bool is_timed = times_calls(options.evaluator);
  const Kept kept = kept_of(options, is_timed);
  const passes::Decided stages = passes::decided(options.pipeline);
  const StopToken spent;
  problems::DecidePassesOptions decide;
  decide.passes = stages.passes;
  decide.evaluations = options.evaluations;
  decide.spent = spent;
  decide.stop = options.limits.stop;
  decide.keep_ways = options.keep_ways;
  if (is_timed && options.confirm) decide.keep_cheapest = kConfirmed;
  const HloEvaluatorOptions evaluation = evaluation_of(options);
  const auto evaluator = hlo_evaluator(options.evaluator, module, evaluation);
  AfterStages whole(stages.after, *evaluator);
  DecidePasses problem(passes::run(module, stages.before).module, std::move(decide), whole);

  HloSearchResult out;
  const DecidePasses::State start = problem.initial();
  out.cost_before = problem.cost(start);
  const problems::PickFirstResult first = problems::pick_first(problem);
  out.cost_pick_first = first.cost;
  out.pick_first_at_rest = first.at_rest;
  const Found by_pass = {first.last, first.cost, StopReason::kSaturated};
  const Found told =
      out.cost_before <= first.cost ? Found{start, out.cost_before, StopReason::kSaturated} : by_pass;
  Found best = by_search(problem, options, spent, before(until, kept.confirming + kept.checking), told);
  out.evaluated = problem.evaluated();
  out.improvements = problem.improvements();
  out.cheapest = hlo::dag_hash(whole.after(*best.state.module));
  if (is_timed && options.confirm)
    best = Confirming(problem, whole, evaluation).run(by_pass, told, best, before(until, kept.checking), out);
  if (options.keep_ways)
    out.ways = {whole.after(*first.last.module), problem.way_to(first.last), problem.way_to(best.state)};
  out.module = whole.after(*best.state.module);
  if (options.check &&
      hlo::dag_hash(out.module) != hlo::dag_hash(module)) {  // also once a stop has ended the search
    // Nor does a search that ran over its time leave what it found unasked.
    const double left = std::max(kLeastSecondsOfCheck, until.remaining());
    out.check = check_module(module, out.module, kSecondsOfCheck, Deadline(left, steady_clock()));
    require_right(*out.check, fmt::format("what {} makes of the module", word_of(options.search)));
  }
  out.cost_after = best.cost;
  out.stop_reason = best.stop_reason;
  out.listed_all = problem.listed_all();
  out.seconds = wall_seconds() - begin;
  return out;
}

}  // namespace isomer::recipes
