// Data sets of HLO modules made of others: those that pass a filter, and random sub-graphs of them (HloEnv,
// section 5.1 and appendix A.3). A search over decisions has something to decide only where a pass proposes
// something, and comes to an end only where its first action space is not too large: the paper keeps, for
// fusion, what has below 10,000 actions. Its other filter, against modules that a pass makes wrong, leaves
// out nothing here: a decision changes nothing that a module computes in exact arithmetic.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "passes/subgraphs.h"
#include "recipes/hlo_dataset.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct HloFilter {
  uint64_t least = 0, most = std::numeric_limits<uint64_t>::max();  ///< instructions of the whole module
  std::vector<std::string> without;                                 ///< opcodes
  std::vector<std::string> passes;                                  ///< together they propose something
  std::optional<uint64_t> most_actions;  ///< of the first step, all choices together; from 1 on
};

struct HloSubset {
  size_t modules = 0;                      ///< that were looked at
  size_t drawn = 0;                        ///< sub-graphs
  size_t added = 0;                        ///< to the data set
  std::map<std::string, size_t> left_out;  ///< how many for which reason
  StopReason stop_reason = StopReason::kRunning;
};

struct HloSubsetOptions {
  HloFilter filter;
  uint64_t count = std::numeric_limits<uint64_t>::max();  ///< of modules that are added
  StopToken stop;
  ProgressSink* progress = &silent_progress();
};

/// Modules of files and data sets that pass, in their order, each once. Throws InputError, and UsageError for
/// names of passes and opcodes that there are not.
HloSubset hlo_filter(const std::vector<std::string>& paths, const std::string& folder,
                     const HloSubsetOptions& options);

struct HloSubgraphOptions : HloSubsetOptions {
  passes::SubgraphSize size;
  uint64_t tries = 20;  ///< draws from each module
  uint64_t seed = 0;
};

/// Sub-graphs that pass. The seed says in which order modules are taken and what is drawn from each, whatever
/// else there is.
HloSubset hlo_subgraphs(const std::vector<std::string>& paths, const std::string& folder,
                        const HloSubgraphOptions& options);

}  // namespace isomer::recipes
