// `--search mcts|portfolio`: what saturation finds, and what is found beyond it. Saturation is the search's
// first rollout: the breadth-first order, to saturation's own limits. Its e-graph is priced and extracted as
// it would be without a search. With the time that is left the same order goes on without the limit on
// iterations; where that does not come to its end, and with `mcts` unless that is proved to be all, a copy of
// the first e-graph (the program's own, where that is too large) is grown by Monte Carlo tree search
// (search/mcts.h). Of the e-graphs the one with the cheapest program is taken, by the cost of the whole
// program, not by the sum that the extraction saw; extractions of larger e-graphs begin with the program that
// is known.
//
// What saturation finds is so given up only for something cheaper (or for a proof at the same cost). The one
// thing that it can lose is time of its extraction, if that is not proved in half of the time that was left.
//
// Where no rule has anything to add and the program is proved, that is the end, for `mcts` too. Joining
// operators once more (rewrite/grouping.h), with which a search begins, might still add to such an e-graph,
// and another order of rules would filter other nodes that close cycles (what is proved is proved of those
// that are left); on the networks of bench/models neither ever brought a cheaper program.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "recipes/cost_choice.h"
#include "recipes/rewriting.h"

namespace isomer::recipes {

struct SearchingOn {
  std::function<std::unique_ptr<Rewriting>()> fresh;  ///< one that nothing has been done with yet
  double explore_seconds = 0;                         ///< that saturation took
  bool always = false;                                ///< search where the rules came to their end, too
  /// Prices an e-graph; null where costs are not measured. Returns how many were measured now.
  std::function<size_t(const Rewriting&)> price;
  StopToken stop;
};

struct SearchedOn {
  std::unique_ptr<Rewriting> rewriting;
  rewrite::TensorExtraction best;  ///< of it
  std::string of;                  ///< saturation, longer saturation, mcts: whose e-graph
  Growth growth;                   ///< and what that is like
  std::string outcome;             ///< in words
};

/// `rewriting`: saturated, as `growth` says, and priced. Another takes its place if it holds a cheaper
/// program.
SearchedOn search_on(std::unique_ptr<Rewriting> rewriting, cost::CostModel& model, const SearchingOn& how,
                     Spine& spine, Growth growth);

}  // namespace isomer::recipes
