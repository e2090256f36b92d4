// What long work tells while it runs: how far it is, the best so far, the time left.
#pragma once

#include <limits>
#include <string>

namespace isomer {

struct Progress {
  std::string phase;
  double fraction = -1;                                    ///< 0 .. 1; negative: not known
  double best = std::numeric_limits<double>::quiet_NaN();  ///< best cost so far; NaN: none yet
  double seconds_left = std::numeric_limits<double>::infinity();
  std::string note;  ///< "12,300 e-nodes", "pair 40 of 60"
};

/// Receives progress; called from the thread that works, as often as it likes: sinks thin it out.
class ProgressSink {
 public:
  virtual ~ProgressSink() = default;
  virtual void update(const Progress& progress) = 0;
  /// A line worth keeping (a warning, a decision).
  virtual void message(const std::string& line) = 0;
};

/// Says nothing.
ProgressSink& silent_progress();

}  // namespace isomer
