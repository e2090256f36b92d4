// What a program gives XLA to compile: a command runs with XLA's flags for dumps set, and the modules that
// XLA dumps before it optimises them go into a data set (HloEnv, appendix A.1, harvested its modules so). The
// other files of a dump are removed while the command runs, so that neither disk nor memory fills up.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "recipes/hlo_dataset.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::recipes {

struct HloCollectOptions {
  std::vector<std::string> command;  ///< the program, found in PATH, and its arguments
  HloOrigin origin;                  ///< without a command: that is taken from above
  uint64_t most_bytes = 16 << 20;    ///< of a text; larger ones are refused unread
  bool again = false;                ///< though the data set says that this command was run to its end
  double seconds = std::numeric_limits<double>::infinity();  ///< then the command is ended
  StopToken stop;
  ProgressSink* progress = &silent_progress();
};

struct HloCollected {
  size_t dumped = 0, added = 0, known = 0, refused = 0;
  size_t total = 0;          ///< modules of the data set
  int status = 0;            ///< of the command, as a shell says it
  bool done_before = false;  ///< nothing was run
  bool timed_out = false, stopped = false;
  double seconds = 0;
};

/// What was dumped is kept however the command ends. Commands that ran to their end stand in
/// FOLDER/commands.jsonl. Throws InputError where the program cannot be started.
HloCollected hlo_collect(const std::string& folder, const HloCollectOptions& options);

}  // namespace isomer::recipes
