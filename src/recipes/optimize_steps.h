// The steps of the main job (optimize.h), as functions: each takes what steps before it returned, and returns
// what it found. What a result tells is made of these values alone (result_of.h).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ir/op_table.h"
#include "isomer/isomer.h"
#include "recipes/bodies.h"
#include "recipes/candidates.h"
#include "recipes/choices.h"
#include "recipes/cost_choice.h"
#include "recipes/decision.h"
#include "recipes/load.h"
#include "recipes/pricing.h"
#include "recipes/program_size.h"
#include "recipes/rewriting.h"
#include "recipes/sizes.h"
#include "recipes/spine.h"
#include "recipes/staged_program.h"
#include "recipes/time_budget.h"
#include "recipes/trial.h"
#include "recipes/verification.h"

namespace isomer::recipes::steps {

/// What every step is told.
struct Job {
  const OptimizeOptions& options;
  const Ways& ways;
  const StopToken& stop;
  TimeBudget& time;
  Spine& spine;
  /// ONNX Runtime: sizes are tried there.
  std::shared_ptr<runtime::OnnxRuntime> runtime =
      std::make_shared<runtime::OnnxRuntime>(runtime::kOnnxRuntime, options.provider);
  /// Where programs run and, unless the cost names another runtime, operators are measured: one process.
  std::shared_ptr<runtime::OnnxRuntime> target =
      ways.target == Target::kOpenVino ? std::make_shared<runtime::OnnxRuntime>(runtime::kOpenVino) : runtime;

  /// The gate of what is a part of rewriting.
  const char* no_rewrite() const { return options.no_rewrite ? "--no-rewrite" : ""; }
};

struct ReadModel {
  Program program;
  std::vector<std::string> weight_files;
  ProgramSize size;
  Counts opaque;

  const ir::Graph& original() const { return program.graph; }
};

/// An e-graph that was grown; nothing with --no-rewrite.
struct Grown {
  std::unique_ptr<Rewriting> rewriting;
  Growth growth;
};

struct Explored {
  Grown grown;
  double seconds = 0;
  uint64_t rules_used = 0;
  std::map<std::string, std::vector<std::string>> rules_left_out;
};

struct Priced {
  CostChoice costs;
  std::optional<PricingReport> report;  ///< where costs are measured
  double original = std::numeric_limits<double>::quiet_NaN();
};

/// The bodies of If, Loop and Scan were looked into: better ones, costs that know them, and the e-graph in
/// which nodes with better bodies are alternatives.
struct LookedInto {
  BodiesAndCosts found;
  Grown grown;
};

struct Searched {
  Grown grown;
  std::optional<rewrite::TensorExtraction> best;               ///< where anything was searched
  double original = std::numeric_limits<double>::quiet_NaN();  ///< its cost, as far as is measured by now
};

/// What a dry run shows instead of writing.
struct Shown {
  ProgramSize size;
  std::optional<double> cost;  ///< of what was found, if anything
};

struct TargetRuntime {
  std::unique_ptr<Trial> trial;
  std::string missing;  ///< why there is none
  Counts computed_by;   ///< of the original, where a provider is named
  std::string name() const { return trial ? trial->runtime() : "none: " + missing; }
};

struct Measured {
  std::vector<Entrant> entrants;  ///< that the runtime takes
  size_t fastest = 0;             ///< of these
  bool changed = false;           ///< the fastest is to be written
  std::string why;                ///< that, or the original; empty where nothing was measured
  std::optional<TimedPair::Figures> figures;
  std::optional<double> speedup_all_cores;
  std::vector<RuntimeRefusal> refused;

  Decision decision() const;  ///< none where nothing was measured
};

struct Settled {
  Chosen chosen;
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< of the candidate that is written, or was not
  Decision decision;                                       ///< none: as the steps before said
};

/// Multiply-accumulates of the program as it was read, at the sizes that were chosen if any.
inline int64_t macs_before(const ReadModel& read, const ProgramSizes& sizes) {
  return sizes.chosen.first.empty() ? read.size.macs : sizes.first.macs;
}

ReadModel read(const Job& job, ir::Context& ctx);
ProgramSizes choose_sizes(const Job& job, const ReadModel& read);
Explored explore(const Job& job, const ReadModel& read);
Priced price(const Job& job, const ReadModel& read, const ProgramSizes& sizes, const Grown& grown);
/// If, Loop and Scan with better bodies are alternatives in the e-graph that is returned.
LookedInto look_into_bodies(const Job& job, const ReadModel& read, const ProgramSizes& sizes,
                            const CostChoice& costs, Grown grown);
/// On what the program runs, at the sizes that were chosen, where it is timed.
runtime::InputSpec timed_inputs(const Job& job, const ProgramSizes& sizes);
/// What is found beyond saturation. `seconds`: that growing took.
Searched search(const Job& job, const ReadModel& read, const BodiesAndCosts& known, Grown grown,
                double seconds);
/// `original`: its cost; `best`: what is known to be the cheapest. None where pricing has shown that no gain
/// could be.
Candidates extract(const Job& job, const ReadModel& read, const CostChoice& costs,
                   const std::optional<PricingReport>& report, const Rewriting* rewriting, double original,
                   std::optional<rewrite::TensorExtraction> best);

Shown show(const Job& job, const ReadModel& read, const ProgramSizes& sizes, const CostChoice& costs,
           const Rewriting* rewriting, std::vector<Candidate> candidates);

/// `original`: its cost, milliseconds where costs are measured.
TargetRuntime start_the_runtime(const Job& job, const ReadModel& read, const ProgramSizes& sizes,
                                const CostChoice& costs, double original);
Entrants stage(const Job& job, const ReadModel& read, const Rewriting* rewriting,
               std::vector<Candidate> candidates);
Measured measure(const Job& job, TargetRuntime& target, std::vector<Entrant> entrants);
/// Which program is to be written, and why. `original`: its cost.
Settled settle(const Job& job, const TargetRuntime& target, const Measured& measured,
               std::vector<Entrant> entrants, double original);
/// How often rules are applied on the way to what was chosen is filed, and, unless `why_not` is something,
/// the chain of rewrites. Returns it with the applications alone that its chain needs.
std::optional<rewrite::TensorExtraction> explain(const Job& job, const std::string& why_not,
                                                 const CostChoice& costs, const Rewriting* rewriting,
                                                 std::optional<rewrite::TensorExtraction> chosen);
/// A failure is filed as one, and is for the caller to throw.
Verified check(const Job& job, const ReadModel& read, const Rewriting* rewriting, const TargetRuntime& target,
               Chosen chosen);
/// Returns how large what was written is.
ProgramSize write(const Job& job, const ReadModel& read, const ProgramSizes& sizes, const Chosen& chosen);

/// All that steps returned, in their order; what has not come yet is empty.
struct Work {
  ir::Context ctx{ir::standard_ops()};
  std::optional<ReadModel> read;
  ProgramSizes sizes;
  Explored explored;
  Priced priced;
  LookedInto bodies;
  Searched searched;
  Candidates candidates;
  std::optional<Shown> shown;
  std::string runtime;     ///< the target's name, or that there is none
  std::string no_runtime;  ///< why there is none
  Counts computed_by;
  Entrants entrants;
  Measured measured;
  Settled settled;
  std::optional<Verified> verified;
  std::optional<ProgramSize> written;

  const Chosen& chosen() const { return verified ? verified->chosen : settled.chosen; }
};

/// Why what is written is: what the last step said that said anything.
Decision decision_of(const Work& work);

}  // namespace isomer::recipes::steps
