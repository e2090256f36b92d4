// Several programs out of one e-graph for the runtime to choose from. The sum of node costs is not the time
// of a program, so the cheapest by the model need not be the fastest: beside it go the cheapest by the
// roofline, a greedy one, and the cheapest without each family of rules that the cheapest uses (merged
// operators by kind, files of rules), since it is whole ideas that a machine likes or does not.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "recipes/cost_choice.h"
#include "recipes/rewriting.h"
#include "recipes/trial.h"

namespace isomer::recipes {

struct Candidate {
  std::string how;  ///< "cheapest", "cheapest without stack-rows"
  rewrite::TensorExtraction extraction;
  double cost = 0;  ///< of the program by the cost model
};

/// Each program once, the cheapest first, then by cost; at most `most`. Empty when nothing is cheaper than
/// the original: `result.decision` then says so. Fills cost_found, bound, optimal. `cheapest`: where it has
/// been extracted already.
std::vector<Candidate> find_candidates(Rewriting& rewriting, const CostChoice& costs, size_t most,
                                       std::optional<rewrite::TensorExtraction> cheapest,
                                       OptimizeResult& result);

}  // namespace isomer::recipes
