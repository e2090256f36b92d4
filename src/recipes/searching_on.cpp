#include "recipes/searching_on.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cost/cheaper.h"

namespace isomer::recipes {
namespace {

/// Shares of the time that is left when each begins.
constexpr double kExtractShare = 0.5, kSearchShare = 0.4, kLongerShare = 0.3;
/// Saturation is done again, for a copy of its e-graph, where that takes at most this share.
constexpr double kAgainShare = 0.1;

rewrite::TensorExtraction pick(const Rewriting& rewriting, cost::CostModel& model, double seconds,
                               std::span<const egraph::NodeId> start) {
  PickOptions options;
  options.seconds = seconds;
  options.start = start;
  return rewriting.pick(model, options);
}

/// An e-graph and the cheapest program of it that is known.
struct Contender {
  std::unique_ptr<Rewriting> rewriting;
  rewrite::TensorExtraction best;
  double cost = std::numeric_limits<double>::infinity();  ///< of the whole program

  Contender(std::unique_ptr<Rewriting> grown, cost::CostModel& model, double seconds,
            std::span<const egraph::NodeId> start)
      : rewriting(std::move(grown)), best(pick(*rewriting, model, seconds, start)) {
    price(model);
  }

  /// Nothing is left to be found: no rule has anything to add, and the program is proved.
  bool complete() const { return best.optimal && rewriting->closed(); }

  /// Prices have changed: what was proved under the old ones is not proved.
  void price_again(cost::CostModel& model) {
    price(model);
    best.bound = 0;
    best.optimal = false;
  }

  void look_again(cost::CostModel& model, double seconds) {
    rewrite::TensorExtraction found = pick(*rewriting, model, seconds, best.nodes);
    if (!found.found) return;
    const double other = cost::graph_cost(model, found.graph);
    if (other < cost || (!cost::is_cheaper(cost, other) && found.bound >= best.bound)) {
      best = std::move(found);
      cost = other;
    } else {
      best.bound = std::max(best.bound, found.bound);
    }
  }

 private:
  void price(cost::CostModel& model) {
    if (best.found) cost = cost::graph_cost(model, best.graph);
  }
};

}  // namespace

SearchedOn search_on(std::unique_ptr<Rewriting> rewriting, cost::CostModel& model, const SearchingOn& how,
                     Spine& spine, Growth growth) {
  const auto left = [&](double share) { return spine.remaining() * share; };
  const auto done = [&] { return how.stop.requested() || left(1) <= 0; };
  const uint64_t first_nodes = growth.e_nodes;
  const StopReason first_stop = growth.stop_reason;
  bool ended = growth.saturated();

  Contender champion(std::move(rewriting), model, left(kExtractShare), {});
  bool complete = champion.complete();
  // A copy that was grown on has the numbers of what it began with.
  const std::vector<egraph::NodeId> known = champion.best.nodes;
  std::string of = "saturation", outcome = fmt::format("{:.6g} by saturation", champion.cost);
  const auto challenge = [&](std::unique_ptr<Rewriting> grown, const Growth& its, const std::string& name) {
    require_sound(its);
    const size_t measured = how.price ? how.price(*grown) : 0;
    Contender challenger(std::move(grown), model, left(kExtractShare), known);
    // Under prices that have changed meanwhile another program may be the cheapest.
    if (measured > 0) {
      champion.price_again(model);
      champion.look_again(model, left(kExtractShare));
    }
    outcome += fmt::format(", {:.6g} by {} ({})", challenger.cost, name, to_string(its.stop_reason));
    const bool proves = challenger.best.optimal && !champion.best.optimal &&
                        !cost::is_cheaper(champion.cost, challenger.cost);
    const bool wins = cost::is_cheaper(challenger.cost, champion.cost) || proves;
    // Where both are proved and of one cost, it is enough that one of the e-graphs has come to its end.
    complete = champion.complete() || (challenger.complete() && (wins || champion.best.optimal));
    if (!wins) return;
    champion = std::move(challenger);
    champion.rewriting->file_growth();
    of = name;
    growth = its;
  };
  const bool again = how.explore_seconds <= left(kAgainShare);

  if (first_stop == StopReason::kIterationLimit && again && !done()) {
    auto longer = how.fresh();
    const Growth its = longer->explore_to_the_end(left(kLongerShare));
    ended = its.saturated();
    challenge(std::move(longer), its, "longer saturation");
  }
  if (complete) {
    outcome += ", proved, and no rule has anything to add";
  } else if ((!ended || how.always) && !done()) {
    auto searched = how.fresh();
    if (again && first_nodes < searched->most_nodes_of_search()) require_sound(searched->explore());
    const Growth its = searched->search(model, left(kSearchShare));
    challenge(std::move(searched), its, "mcts");
  }
  // Where time is what keeps the extraction from its end.
  if (!champion.best.optimal && !done()) champion.look_again(model, left(1));
  return {std::move(champion.rewriting), std::move(champion.best), of, growth, outcome};
}

}  // namespace isomer::recipes
