// Priors of rules from the statistics of earlier searches: what a rule brought on other programs says how
// often it should be tried on this one. Learned policies for tree search have networks (AlphaZero; Silver et
// al., 2017); here a rule has one number, the mean reward of the rollouts that it took part in (all moves as
// first: Gelly and Silver, 2007) against that of all rollouts of the same search, so that programs of which
// much is to be had do not outweigh the others. Rules go by their names: statistics of one rule set serve any
// other that shares some of it.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "problems/build_egraph.h"
#include "support/store.h"

namespace isomer::recipes {

/// Of one search, or of several.
struct RuleStatistics {
  struct Of {
    uint64_t rollouts = 0;  ///< in which it changed something
    double reward = 0;      ///< sum of what these brought, as a share of the start's cost
    uint64_t on_best = 0;   ///< steps on paths to the best state that a search met
    bool operator==(const Of&) const = default;
  };
  uint64_t rollouts = 0;
  double reward = 0;
  std::map<std::string, Of> rules;

  bool operator==(const RuleStatistics&) const = default;
};

/// Has a problem write down in `into` (which must outlive its searches) what its rollouts bring.
void observe_rollouts(problems::BuildEGraph& problem, double start_cost, RuleStatistics& into);
/// After a search: the path to the best state it met.
void note_best_path(const problems::BuildEGraph& problem, std::span<const uint32_t> actions,
                    RuleStatistics& into);

/// What a search was of: the program's name, and a hash of the program, its costs and the rules. Settings are
/// not in it: a search with others takes an earlier one's place.
struct LearnedFrom {
  std::string program, inputs;
  auto operator<=>(const LearnedFrom&) const = default;
};
/// In the store by cost model and what it was of; a later search of the same takes an earlier one's place.
bool keep(Store& store, const std::string& cost, const LearnedFrom& from, const RuleStatistics& statistics);
/// All that are kept under a cost model. Entries that cannot be read are passed over.
std::map<LearnedFrom, RuleStatistics> kept_statistics(Store& store, const std::string& cost);
/// Of other programs: neither of the same name nor of the same hash.
std::vector<RuleStatistics> of_others(const std::map<LearnedFrom, RuleStatistics>& kept,
                                      const LearnedFrom& than);
/// Searches with equal hashes have learned the same.
uint64_t hash_of(std::span<const RuleStatistics> searches);

/// By rule of the set, in (0, 1]: BuildEGraph::set_priors. Searches without any reward say nothing; empty if
/// none of them has any.
std::vector<double> priors_from(std::span<const RuleStatistics> searches, const rewrite::RuleSet& rules);

}  // namespace isomer::recipes
