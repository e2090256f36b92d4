// Several programs out of one e-graph for the runtime to choose from. The sum of node costs is not the time
// of a program, so the cheapest by the model need not be the fastest: beside it go the cheapest by the
// roofline, a greedy one, and the cheapest without each family of rules that the cheapest uses (merged
// operators by kind, files of rules), since it is whole ideas that a machine likes or does not.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "recipes/cost_choice.h"
#include "recipes/decision.h"
#include "recipes/rewriting.h"

namespace isomer::recipes {

struct Candidate {
  std::string how;  ///< "cheapest", "cheapest without stack-rows"
  rewrite::TensorExtraction extraction;
  double cost = 0;  ///< of the program by the cost model
};

/// What was found, before one is chosen.
struct Cheapest {
  double cost = 0;   ///< of the cheapest, the original included
  double bound = 0;  ///< no program in the e-graph costs less
  bool optimal = false;
};

struct Candidates {
  /// Each program once, the cheapest first, then by cost.
  std::vector<Candidate> list;
  Decision why_none;                 ///< where it is empty
  std::optional<Cheapest> cheapest;  ///< nothing where nothing could be extracted
};

/// Weight bytes from which on few are looked at: each is written and loaded.
inline constexpr uint64_t kLarge = uint64_t{256} << 20;
/// How many are worth their time: each lies on disk, its folded weights in memory, until one is chosen, and
/// all are run and held with all that they compute. `about_ms`: a run of the original; 0: not known.
size_t most_candidates(double about_ms, uint64_t weight_bytes);

struct Sought {
  size_t most;           ///< so many at most
  double cost_before;    ///< the original's: none is dearer by more than costs may be wrong
  bool clearly = false;  ///< each is cheaper by runtime::kClearGain
};
/// `cheapest`: where it has been extracted already.
Candidates find_candidates(const Rewriting& rewriting, const CostChoice& costs, const Sought& sought,
                           std::optional<rewrite::TensorExtraction> cheapest);

}  // namespace isomer::recipes
