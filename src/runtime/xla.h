// Real XLA as a measure of HLO modules: compiled and run by jaxlib in a worker process
// (workers/xla_worker.py), which says how its times are taken. A module that takes the process down is told
// by running the others without it; a new process starts by itself.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/timing_statistics.h"
#include "runtime/worker.h"

namespace isomer::runtime {

struct XlaOptions {
  int threads = 1;
  int rounds = 10;                    ///< samples of each module
  double seconds = 60;                ///< no further round begins after them
  uint64_t seed = 0;                  ///< of the inputs
  std::vector<std::string> disabled;  ///< XLA's own passes that are left out, by name
  bool all_timings = false;           ///< besides asynchronous calls: full ones, and computing alone
  StopToken stop;
};

struct XlaProgram {
  std::string error;     ///< it was not run; empty: it was
  bool refused = false;  ///< by XLA itself: not for want of time or memory, nor since somebody stopped it
  /// From the outputs of the first module that ran, as a part of the largest element; nothing where types,
  /// sizes, integers or what is not finite differ.
  std::optional<double> difference;
  Samples samples;  ///< asynchronous calls
  double asynchronous_us = 0;
  double full_us = 0, compute_us = 0;  ///< with XlaOptions::all_timings
  bool ran() const { return error.empty(); }
};

/// What XLA makes of a module before it writes machine code.
struct XlaModule {
  std::string error;  ///< empty: there is a text
  std::string text;
  bool lost = false;  ///< the process ended or was too slow: it may be another time
};

/// One process of XLA. Not thread-safe.
class Xla {
 public:
  /// `place`: it runs on the cores behind those of so many others.
  explicit Xla(int place = 0) : worker_("xla_worker.py"), place_(place) {}

  /// Throws MissingRuntimeError where jax is not installed.
  std::string version(const XlaOptions& options = {}) { return about(options).version; }
  struct About {
    std::string version, cpu;
  };
  About about(const XlaOptions& options = {});
  /// All modules (texts) on the same inputs, in turn. They must have the same parameters.
  std::vector<XlaProgram> race(const std::vector<std::string>& modules, const XlaOptions& options);
  /// After all of its passes that are not disabled. Throws MissingRuntimeError.
  XlaModule optimized(const std::string& module, const XlaOptions& options);

 private:
  std::optional<std::vector<XlaProgram>> try_race(const std::vector<std::string>& modules,
                                                  const XlaOptions& options, std::string& failure);
  Worker worker_;
  int place_;
};

}  // namespace isomer::runtime
