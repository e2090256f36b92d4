// Programs of one interface as machine code, beside each other: each is compiled to a shared object, run in a
// process of its own (native/apart.h), held to what evaluation makes of the same inputs, and only then timed,
// in rounds, so that what disturbs the machine disturbs all of them.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "codegen/generate.h"
#include "isomer/compile.h"
#include "recipes/native_trial.h"
#include "support/temporaries.h"

namespace isomer::recipes {

struct RaceOptions {
  int threads = 1;
  std::string gpu;          ///< the graphics processor that programs are for, as LLVM names it; empty: none
  double seconds = 0.1;     ///< of timing, for a program in a round
  double limit = 60;        ///< for loading and running one
  double tolerance = 1e-4;  ///< of the largest element of a result, in float32 (agreement.h)
};

/// Threads, processor, limit and tolerance as `options` says.
RaceOptions race_options(const CompileOptions& options, double round_seconds);

class CompiledRace {
 public:
  struct Runner {
    std::string failure;  ///< empty: it runs and agrees
    double difference = 0;
    double compile_seconds = 0;
    double run_seconds = 0;  ///< of the first trial: the median
    std::string path;
  };

  /// `example` is of the program that all are to compute, and outlives this.
  CompiledRace(const Example& example, const RaceOptions& options);

  /// Compiles it and tries it. What no code is generated for, crashes or computes something else has a
  /// failure, and on a graphics processor what cannot run by its schedule. Throws MissingRuntimeError without
  /// a compiler or the processor.
  size_t enter(const ir::Graph& graph);
  /// Cycles of its loops (codegen/estimate.h), on a graphics processor seconds (codegen/gpu_estimate.h);
  /// infinite where no code is generated for it.
  double estimated(const ir::Graph& graph) const;
  /// Its file goes: weights are in it. It cannot be timed again.
  size_t drop(size_t number);
  const Runner& runner(size_t number) const { return runners_[number]; }
  size_t size() const { return runners_.size(); }

  /// Seconds of a run, by round and then by contestant: medians. One that fails is left out from then on: 0.
  std::vector<std::vector<double>> rounds(std::span<const size_t> contestants, int count);

 private:
  codegen::LoopProgram loops(const ir::Graph& graph) const;

  const Example& example_;
  RaceOptions options_;
  codegen::ScheduleOptions schedule_;
  TemporaryFolder folder_;
  std::vector<Runner> runners_;
};

/// Seconds of a run on that processor, as LLVM names it, by an estimate of the loops
/// (codegen/gpu_estimate.h); infinite where no code is generated for the graph, or a kernel of it cannot run
/// by its schedule.
double estimated_seconds(const ir::Graph& graph, const std::string& gpu);

/// Those of the rounds in which both ran.
std::vector<double> ratios_of(const std::vector<std::vector<double>>& rounds, size_t of, size_t over);
Ratio ratio_of(const std::vector<std::vector<double>>& rounds, size_t of, size_t over);

}  // namespace isomer::recipes
