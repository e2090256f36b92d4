// Steps 5 to 7 of the main job: what was found is timed, chosen, explained, verified and written.
#include <fmt/format.h>
#include <sys/resource.h>

#include <utility>

#include "formats/onnx.h"
#include "recipes/agreement.h"
#include "recipes/optimize_steps.h"
#include "recipes/refusals.h"
#include "support/errors.h"

namespace isomer::recipes::steps {
namespace {

std::string untimed(const Job& job, const TargetRuntime& target) {
  return job.options.no_measure ? "--no-measure" : target.missing;
}

TrialOptions trial_options(const Job& job, const ReadModel& read, const ProgramSizes& sizes,
                           double about_ms) {
  const ir::Graph& original = read.original();
  const OptimizeOptions& options = job.options;
  const formats::OnnxNodes nodes = formats::list_onnx_nodes(options.input);
  const auto given = [&](const Sizes& of_inputs) {
    return job.target->kind().keeps_names ? of_inputs : with_axes(original, of_inputs);
  };
  const ChosenSizes& chosen = sizes.chosen;
  runtime::InputSpec inputs = timed_inputs(job, sizes), others = inputs;
  inputs.dims = given(inputs.dims);
  others.dims = given(sizes.second_dims());
  others.bounds = sizes.second.bounds;
  TrialOptions out{options.threads,
                   options.pairs,
                   inputs,
                   memory_of_run(original, sizes.first.symbols),
                   about_ms,
                   tolerance_for(original, options.tolerance),
                   choices_of(nodes),
                   {chosen.first},
                   others,
                   random_outputs(nodes),
                   shares_of(original)};
  if (!chosen.second.empty()) out.sizes.push_back(chosen.second);
  if (options.inputs.empty()) out.branches = other_branches(deciders_of(original));
  return out;
}

/// The candidates and the original in the target, until it is clear which is to be written.
class Measuring {
 public:
  Measuring(const Job& job, Trial& trial, const Deadline& until, std::vector<Entrant> entrants)
      : job_(job), trial_(trial), until_(until) {
    out_.entrants = std::move(entrants);
  }

  Measured run() {
    out_.why = time_them();
    // One that the runtime refuses spoils the timing of all: the others are timed without it.
    if (trial_.failed()) out_.refused = drop_refused(trial_, job_.options.input, out_.entrants, until_);
    if (!out_.refused.empty()) {
      out_.changed = false;
      out_.why = "not timed: the runtime takes nothing that was made of it (see the warnings)";
      if (!out_.entrants.empty()) out_.why = time_them();
    }
    return std::move(out_);
  }

 private:
  std::string time_them() {
    Screening screening = trial_.fastest(job_.options.input, models_of(out_.entrants), until_);
    out_.fastest = screening.fastest;
    job_.spine.record().texts["screening"] = std::move(screening.why);
    TimedPair timed = trial_.time(job_.options.input, model(), until_);
    if (timed.figures) out_.figures = timed.figures;
    out_.changed = timed.faster;
    return timed.faster ? on_all_cores(std::move(timed.why)) : std::move(timed.why);
  }

  /// What was faster on one core may be split worse over several, on which most people run.
  std::string on_all_cores(std::string why) {
    const auto seen = trial_.on_all_cores(job_.options.input, model(), until_);
    if (!seen) return why;
    out_.speedup_all_cores = seen->speedup;
    out_.changed = !seen->slower;
    const std::string there = fmt::format("on {} cores {:.3f} (95 %: {:.3f} to {:.3f})", seen->cores,
                                          seen->speedup, seen->low, seen->high);
    return seen->slower ? fmt::format("slower {}, wall time; on one, {}", there, why)
                        : fmt::format("{}; {}", why, there);
  }

  std::string model() const { return out_.entrants[out_.fastest].staged.model(); }

  const Job& job_;
  Trial& trial_;
  const Deadline& until_;
  Measured out_;
};

}  // namespace

Shown show(const Job& job, const ReadModel& read, const ProgramSizes& sizes, const CostChoice& costs,
           const Rewriting* rewriting, std::vector<Candidate> candidates) {
  if (candidates.empty()) {
    ProgramSize as_read = size_of(read.original());
    as_read.macs = macs_before(read, sizes);
    return {as_read, {}};
  }
  Candidate& found = candidates[0];
  const Shown out{
      size_of(found.extraction.graph, rewriting->plan_fold(found.extraction, read.size.weight_bytes),
              sizes.first.symbols),
      found.cost};
  explain(job, job.options.explain ? "" : "--dry-run", costs, rewriting, std::move(found.extraction));
  return out;
}

TargetRuntime start_the_runtime(const Job& job, const ReadModel& read, const ProgramSizes& sizes,
                                const CostChoice& costs, double original) {
  TargetRuntime out;
  try {
    out.trial =
        std::make_unique<Trial>(job.target, trial_options(job, read, sizes, costs.measured ? original : 0),
                                job.time.begin(TimeBudget::Step::kMeasure), job.spine.progress());
    out.computed_by = out.trial->computed_by(job.options.input, job.time.begin(TimeBudget::Step::kMeasure));
  } catch (const MissingRuntimeError& missing) {
    out.missing = missing.what();
  }
  return out;
}

Entrants stage(const Job& job, const ReadModel& read, const Rewriting* rewriting,
               std::vector<Candidate> candidates) {
  Entrants out;
  job.spine.step("stage", candidates.empty() ? "nothing was found" : "", [&] {
    out = enter(*rewriting, std::move(candidates), read.program, job.options.output, read.size.weight_bytes,
                job.time.begin(TimeBudget::Step::kFold));
    return out.list.empty() ? out.why_none.words : "";
  });
  return out;
}

Decision Measured::decision() const {
  if (why.empty()) return {};
  return changed ? optimised(why) : original_since(why);
}

Measured measure(const Job& job, TargetRuntime& target, std::vector<Entrant> entrants) {
  Measured out;
  const std::string gate = entrants.empty() ? "nothing to measure" : untimed(job, target);
  out.changed = !entrants.empty();
  out.entrants = std::move(entrants);
  job.spine.step("measure", gate, [&] {
    // Who interrupted the search still wants to see what was found timed, but soon.
    constexpr double kSoon = 15;  // seconds
    const Deadline all = job.time.begin(TimeBudget::Step::kMeasure);
    const Deadline until = job.spine.interrupted().empty() ? all : all.part(1, kSoon);
    out = Measuring(job, *target.trial, until, std::move(out.entrants)).run();
    return out.why;
  });
  return out;
}

Settled settle(const Job& job, const TargetRuntime& target, const Measured& measured,
               std::vector<Entrant> entrants, double original) {
  Settled out;
  out.chosen.changed = measured.changed;
  if (job.options.no_rewrite) out.decision = {"the original program (--no-rewrite)", "--no-rewrite"};
  if (entrants.empty()) return out;
  Entrant& entrant = entrants[measured.fastest];
  out.cost = entrant.candidate.cost;
  out.chosen.candidate = job.spine.record().texts["candidate"] = entrant.candidate.how;
  out.chosen.extraction = std::move(entrant.candidate.extraction);
  if (const std::string why = untimed(job, target); !why.empty()) {
    out.chosen.changed = out.cost < original;
    out.decision = out.chosen.changed ? optimised("by its cost alone (" + why + ")")
                                      : original_since("no cheaper one was found");
  }
  if (out.chosen.changed)
    out.chosen.written = std::move(entrant.staged);
  else
    out.chosen.rejected = std::move(entrant.staged.graph);
  return out;
}

std::optional<rewrite::TensorExtraction> explain(const Job& job, const std::string& why_not,
                                                 const CostChoice& costs, const Rewriting* rewriting,
                                                 std::optional<rewrite::TensorExtraction> chosen) {
  const auto count = [&] {
    if (chosen) job.spine.record().rules_applied = rewriting->rules_applied(*chosen);
  };
  count();
  job.spine.step("explain", why_not, [&]() -> std::string {
    if (!chosen || !chosen->found) return "nothing was extracted";
    Explained out =
        rewriting->explain(*chosen, costs.model.get(), job.time.begin(TimeBudget::Step::kExplain));
    chosen->instances = std::move(out.instances);
    count();
    return std::move(out.outcome);
  });
  return chosen;
}

Verified check(const Job& job, const ReadModel& read, const Rewriting* rewriting, const TargetRuntime& target,
               Chosen chosen) {
  Verified out;
  job.spine.step("verify", "", [&] {
    const Verifying what{read.program, job.options.input, job.options.output, rewriting, target.trial.get()};
    out = verify(what, job.time.begin(TimeBudget::Step::kVerify), std::move(chosen));
    return out.failure.empty() ? out.how : "failed: " + out.failure;
  });
  return out;
}

ProgramSize write(const Job& job, const ReadModel& read, const ProgramSizes& sizes, const Chosen& chosen) {
  rusage usage{};
  if (getrusage(RUSAGE_SELF, &usage) == 0)
    job.spine.record().numbers["peak_bytes_before_writing"] = 1024.0 * static_cast<double>(usage.ru_maxrss);
  job.spine.step("write", "", [&] {
    chosen.written->place->publish(read.weight_files);
    return "";
  });
  const ir::Graph& written = chosen.written->graph;
  ProgramSize out = size_of(written);
  if (!sizes.chosen.first.empty())
    out.macs = chosen.changed ? sizes.multiply_adds_of(job.options.output, written, read.program.contrib)
                              : macs_before(read, sizes);
  return out;
}

Decision decision_of(const Work& work) {
  if (work.shown) return {"nothing was written (--dry-run)"};
  if (work.verified && work.verified->decision.is_made()) return work.verified->decision;
  for (const Decision& said : {work.settled.decision, work.measured.decision(), work.entrants.why_none})
    if (said.is_made()) return said;
  return work.candidates.why_none;
}

}  // namespace isomer::recipes::steps
