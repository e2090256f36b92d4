#include "recipes/hlo_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "recipes/hlo_env.h"
#include "search/factored_mcts.h"
#include "search/random_walks.h"
#include "search/stack_beam.h"
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

Found search(DecidePasses& problem, const HloSearchOptions& o,
             const std::function<void(double, uint64_t)>& improved) {
  Rng rng(o.seed);
  if (o.search == "random") {
    search::RandomWalksOptions walks;
    walks.steps = o.steps;
    walks.limits = o.limits;
    return found(search::random_walks(problem, walks, rng, improved));
  }
  if (o.search == "exhaustive")
    return found(search::stack_beam(problem, search::exhaustive(o.limits), improved));
  if (o.search == "beam") {
    search::StackBeamOptions beam;
    beam.alpha = o.alpha;
    beam.expand = o.expand;
    beam.limits = o.limits;
    return found(search::stack_beam(problem, beam, improved));
  }
  search::FactoredMctsOptions<DecidePasses> mcts;
  mcts.simulations = o.simulations;
  mcts.limits = o.limits;
  ask_agent(o, problem.cost(problem.initial()), mcts);
  return found(search::factored_mcts(problem, mcts, rng, improved));
}

}  // namespace

const std::vector<std::string>& hlo_searches() {
  static const std::vector<std::string> kAll = {"pick-first", "random", "exhaustive", "beam", "mcts"};
  return kAll;
}

HloSearchResult hlo_search(const hlo::Module& module, const HloSearchOptions& options) {
  if (std::ranges::find(hlo_searches(), options.search) == hlo_searches().end())
    throw UsageError(
        fmt::format("expected a search ({}), found {}", fmt::join(hlo_searches(), ", "), options.search));
  const double begin = wall_seconds();
  problems::DecidePassesOptions decide;
  decide.passes = passes::find_passes(options.passes);
  decide.evaluations = options.evaluations;
  decide.spent = options.limits.stop;
  decide.keep_ways = options.keep_ways;
  const auto evaluator = hlo_evaluator(options.evaluator, module, options.evaluation);
  DecidePasses problem(module, std::move(decide), *evaluator);

  HloSearchResult out;
  const DecidePasses::State start = problem.initial();
  out.cost_before = problem.cost(start);
  const problems::PickFirstResult first = problems::pick_first(problem);
  out.cost_pick_first = first.cost;
  out.pick_first_at_rest = first.at_rest;
  Found best = {first.last, first.cost, StopReason::kSaturated};
  if (out.cost_before <= best.cost) best = {start, out.cost_before, StopReason::kSaturated};

  if (options.search != "pick-first") {
    const auto tell = [&](double cost, uint64_t number) {
      Progress p;
      p.phase = options.search;
      const double spent = wall_seconds() - begin;
      p.fraction = std::min(1.0, spent / options.limits.seconds);
      p.seconds_left = std::max(0.0, options.limits.seconds - spent);
      p.note = fmt::format("{:.4g} of the start's cost after {}", cost / out.cost_before, number);
      options.progress->update(p);
    };
    HloSearchOptions rest = options;
    rest.limits.seconds = std::max(0.0, options.limits.seconds - (wall_seconds() - begin));
    Found searched = search(problem, rest, tell);
    if (searched.cost < best.cost)
      best = std::move(searched);
    else
      best.stop_reason = searched.stop_reason;
  }
  if (options.keep_ways)
    out.ways = {*first.last.module, problem.way_to(first.last), problem.way_to(best.state)};
  out.module = *best.state.module;
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
