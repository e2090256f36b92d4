// Mirage's searches run again: a program at its own sizes or others, with the papers' ablations, and whether
// the structures that they publish are among what is found.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mugraph/search.h"

namespace isomer::evaluation {

struct MirageBenchOptions {
  double seconds = 60;  ///< of each search
  uint64_t memory = uint64_t{2} << 30;
  unsigned threads = 1;
  std::string target{mugraph::target_choices()[0].name};
  StopToken stop;
};

/// What a run is asked for.
struct MirageTask {
  std::string table, program;
  int block_ops = 0;  ///< most operators of a block graph; 0: the preset's
  bool prune = true, canonical = true;
  mugraph::Extents sizes = {};              ///< empty: the program's own
  std::vector<std::string> published = {};  ///< structures to be looked for
};
/// At the program's own sizes, where all that is published and of a form that is searched is looked for.
MirageTask at_own_sizes(const char* table, const char* program, int block_ops, bool prune = true,
                        bool canonical = true);

struct MirageRun {
  MirageTask task;  ///< with the limit and the sizes that it had
  std::string target;
  mugraph::SearchResult result;
  std::vector<std::pair<std::string, bool>> published;  ///< structures that are asked for; found or not

  /// None where none are asked for.
  std::optional<bool> found() const;
  bool complete() const { return result.stop_reason == StopReason::kSaturated; }
};
MirageRun run_mirage(const MirageTask& task, const MirageBenchOptions& options);

}  // namespace isomer::evaluation
