// Table 1 of HloEnv (section 4) over a data set: the whole pipeline runs on each module, then again with all
// instances of one pass removed, for each pass of the paper. What the pass changes is told by the hash of the
// resulting graph. Ours: the passes of src/passes in the order of XLA's pipeline for graphics processors,
// taken first come, first served. XLA's: real XLA for processors with the pass in its disable list. The paper
// times both on a graphics processor; here both are priced by a roofline, so that nothing depends on the
// machine's load. A price is no run time.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "evaluation/keyed_record.h"
#include "hlo/module.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::evaluation {

/// Passes of one stage run together until none proposes anything; stages follow one another.
const std::vector<std::vector<std::string>>& hlo_pipeline();

/// What a run of the bench on a module depends on.
struct HloBenchKey {
  std::string side;      ///< ours, xla
  uint64_t module = 0;   ///< hash of its graph
  std::string settings;  ///< the device; our pipeline and the version of its passes, or XLA's version
  auto operator<=>(const HloBenchKey&) const = default;
};

/// What a pipeline came to.
struct HloBenchEnd {
  uint64_t hash = 0;
  double seconds = 0;   ///< by the roofline
  std::string error{};  ///< empty: there is a result
  bool lost = false;    ///< XLA's process ended or was too slow, also when asked again; else XLA refused it
};

struct HloBenchModule : HloBenchKey {
  std::string file;
  HloBenchEnd whole;
  std::map<std::string, HloBenchEnd> without;  ///< by the name of the removed pass, where it has a target
  bool has_lost() const;                       ///< of what a record holds, that is run again
};

/// Of table 1: a line for each module and side.
class HloBenchRecord : public KeyedRecord<HloBenchKey, HloBenchModule> {
 public:
  HloBenchRecord();
};

struct HloBenchOptions {
  std::vector<std::string> paths;  ///< files, data sets, folders; empty: the modules that come with Isomer
  std::string evaluator = "roofline:cpu";                       ///< roofline:DEVICE
  bool xla = true;                                              ///< where jax is installed
  double time_limit = std::numeric_limits<double>::infinity();  ///< seconds
  bool removals = false;  ///< what gains most by a removal is made again
  StopToken stop;
  ProgressSink* progress = &silent_progress();
};

/// What a module gains by the removal of a pass, both results made again.
struct HloRemoval {
  std::string side, pass, file;
  double start_cost = 0, whole_cost = 0, cost_without = 0;
  hlo::Module whole, without;
};

struct HloBench {
  std::string xla;                    ///< its version; empty: it was not asked
  size_t unread = 0;                  ///< files that are no modules whose types fit
  size_t modules = 0;                 ///< of the data set, each graph once
  std::vector<HloBenchModule> ended;  ///< of each module one of ours and one of XLA's
  /// Of each side and pass the module that gains most, where one does (HloEnv, figure 6, shows one that ran
  /// in half the time without HloConstantFolding). None where they were not asked for, or it was stopped.
  std::vector<HloRemoval> removals;
  StopReason stop_reason = StopReason::kSaturated;
};

/// Goes over the modules once, one in memory at a time. Throws InputError, UsageError, and
/// MissingRuntimeError where the modules that come with Isomer are not there.
HloBench run_hlo_bench(const HloBenchOptions& options, HloBenchRecord& record);

/// A pass over all modules of a side.
struct HloBenchRow {
  size_t modules = 0, changed = 0;
  size_t failed = 0;  ///< XLA refused the module with or without the pass, or its process was lost
  /// Means of seconds without it over those with it, of modules that cost something: of all, of the changed.
  std::optional<double> ratio, ratio_changed;
};
HloBenchRow hlo_bench_row(const HloBench& bench, const std::string& side, const std::string& pass);

}  // namespace isomer::evaluation
