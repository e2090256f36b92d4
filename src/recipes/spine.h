// The runner behind every recipe: each step is gated, timed, logged and checked in one place (habit taken
// from Halide's Lower.cpp and DuckDB's RunOptimizer). A recipe is then one short function that reads like the
// paper's algorithm box.
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "support/deadline.h"
#include "support/limits.h"
#include "support/progress.h"
#include "support/run_record.h"

namespace isomer::recipes {

class Spine {
 public:
  /// The limits of what searches; its seconds begin now.
  Spine(RunRecord& record, ProgressSink& progress, const Limits& limits);
  /// Its seconds are those of the deadline.
  Spine(RunRecord& record, ProgressSink& progress, const Limits& limits, const Deadline& search);

  /// Why a step is not run; empty when it is.
  using Gate = std::string;

  /// Runs `work` unless `gate` says why not, and files its times and outcome under `name`. What `work`
  /// returns is the outcome ("done" when empty). An exception is filed as failed and goes on.
  void step(const std::string& name, const Gate& gate, const std::function<std::string()>& work);

  RunRecord& record() { return record_; }
  ProgressSink& progress() { return progress_; }
  const Limits& limits() const { return limits_; }
  /// Seconds that are left for searching.
  double remaining() const { return search_.remaining(); }
  const Deadline& search() const { return search_; }
  /// The step that was at work when the user's stop came; empty where none came.
  const std::string& interrupted() const { return interrupted_; }
  /// Files an improvement: what the cost is now, and since when.
  void improved(const std::string& what, double cost);

 private:
  RunRecord& record_;
  ProgressSink& progress_;
  Limits limits_;
  Deadline search_;
  double begin_ = wall_seconds();
  std::string interrupted_;
};

}  // namespace isomer::recipes
