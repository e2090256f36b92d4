#include "recipes/optimize.h"

#include <optional>
#include <utility>

#include "recipes/check_files.h"
#include "recipes/check_options.h"
#include "recipes/choices.h"
#include "recipes/optimize_steps.h"
#include "recipes/result_of.h"
#include "recipes/spine.h"
#include "recipes/time_budget.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using steps::Work;

/// The spine: from the file to the file. `work` is what the steps returned by then, also where one throws.
/// Ends with the result written, but for a dry run, or with a rule that does not suit.
void run(const steps::Job& job, Work& work) {
  work.read = steps::read(job, work.ctx);
  work.sizes = steps::choose_sizes(job, *work.read);
  work.explored = steps::explore(job, *work.read);
  require_sound(work.explored.grown.growth);
  work.priced = steps::price(job, *work.read, work.sizes, work.explored.grown);
  work.bodies =
      steps::look_into_bodies(job, *work.read, work.sizes, work.priced.costs, std::move(work.explored.grown));
  work.searched =
      steps::search(job, *work.read, work.bodies.found, std::move(work.bodies.grown), work.explored.seconds);
  const CostChoice& costs = work.bodies.found.costs;
  const Rewriting* const rewriting = work.searched.grown.rewriting.get();
  const double original = work.searched.original;
  work.candidates = steps::extract(job, *work.read, costs, work.priced.report, rewriting, original,
                                   std::move(work.searched.best));
  std::vector<Candidate> found = std::move(work.candidates.list);
  const char* const nothing = found.empty() ? "nothing was found" : "";
  if (job.options.dry_run) {
    work.shown = steps::show(job, *work.read, work.sizes, costs, rewriting, std::move(found));
    return;
  }
  steps::TargetRuntime target = steps::start_the_runtime(job, *work.read, work.sizes, costs, original);
  work.runtime = target.name();
  if (!target.trial) work.no_runtime = target.missing;
  work.computed_by = target.computed_by;
  work.entrants = steps::stage(job, *work.read, rewriting, std::move(found));
  work.measured = steps::measure(job, target, std::move(work.entrants.list));
  work.settled = steps::settle(job, target, work.measured, std::move(work.measured.entrants), original);
  Chosen& settled = work.settled.chosen;
  settled.extraction = steps::explain(job, nothing, costs, rewriting, std::move(settled.extraction));
  work.verified = steps::check(job, *work.read, rewriting, target, std::move(settled));
  if (!work.verified->failure.empty()) throw VerificationError(work.verified->failure);
  if (!work.chosen().unsuited) work.written = steps::write(job, *work.read, work.sizes, work.chosen());
}

/// What the run prices programs by, bodies included once it has come to them; nothing without rewriting.
cost::CostModel* model_of(const Work& work) {
  const std::shared_ptr<cost::CostModel>& with_bodies = work.bodies.found.costs.model;
  return with_bodies ? with_bodies.get() : work.priced.costs.model.get();
}

/// What holds in exact arithmetic may not on a model's numbers: (x + 1e25) - 1e25 is not x. Such a rule is
/// left out, and all is done again in what is left of the time; after so many of them the original is
/// written, since no other program is looked for any more (`options.no_rewrite`). `work`: of the last run.
/// Returns what was left out.
std::vector<UnsuitedRule> run_with_what_suits(OptimizeOptions& options, const Ways& ways,
                                              const StopToken& stop, TimeBudget& time, Spine& spine,
                                              std::optional<Work>& work) {
  std::vector<UnsuitedRule> out;
  while (true) {
    run({options, ways, stop, time, spine}, work.emplace());
    const std::optional<UnsuitedRule>& unsuited = work->chosen().unsuited;
    if (!unsuited) return out;
    out.push_back(*unsuited);
    options.no_rewrite =
        out.size() == kMostUnsuited || !work->searched.grown.rewriting->has_rule(unsuited->rule);
    options.disable_rules.push_back(unsuited->rule);
    spine.record().chain.clear();
    spine.record().rules_applied.clear();
  }
}

OptimizeResult without(const std::vector<UnsuitedRule>& left_out, bool no_rewrite, OptimizeResult result) {
  if (left_out.empty()) return result;
  for (const UnsuitedRule& u : left_out) {
    for (auto& [why, rules] : result.rules_left_out) std::erase(rules, u.rule);
    result.rules_left_out["not on this model's numbers"].push_back(u.rule);
    result.warnings.push_back(
        "a rule that holds in exact arithmetic was left out, since it does not on this model's numbers: " +
        u.why);
  }
  std::erase_if(result.rules_left_out, [](const auto& entry) { return entry.second.empty(); });
  if (!no_rewrite) return result;
  return decided(std::move(result), original_since("rules do not suit its numbers (see the warnings)"));
}

}  // namespace

OptimizeResult optimize(const OptimizeOptions& given, const StopToken& stop, ProgressSink& progress,
                        RunRecord& record, const ProgramsSink& finished, const Clock& clock) {
  check_options(given);
  OptimizeOptions options = given;
  const Ways ways = ways_of(options);
  check_files(options);
  TimeBudget time(options.time_limit, options.dry_run, stop, clock);
  Spine spine(record, progress, search_limits(options, stop), time.search());
  std::optional<Work> work;
  const auto report = [&](OptimizeResult result, const ir::Graph* found) {
    result.interrupted = spine.interrupted();
    result.seconds = time.elapsed();
    if (finished && work && work->read)
      finished(result,
               {work->read->original(), found, model_of(*work), time.begin(TimeBudget::Step::kReport)});
    return result;
  };
  std::vector<UnsuitedRule> left_out;
  try {
    left_out = run_with_what_suits(options, ways, stop, time, spine, work);
  } catch (const VerificationError& wrong) {
    // Reported as well: which step, where, and what was to be written.
    OptimizeResult result = decided(result_of(options, record, *work), {"nothing: verification failed"});
    result.verified = result.changed = false;
    result.verification = result.failure = wrong.what();
    const Chosen& chosen = work->chosen();
    report(std::move(result), chosen.changed && chosen.written ? &chosen.written->graph : nullptr);
    throw;
  }
  const Chosen& chosen = work->chosen();
  const ir::Graph* const rejected = chosen.rejected ? &*chosen.rejected : nullptr;
  return report(without(left_out, options.no_rewrite, result_of(options, record, *work)),
                work->written && chosen.changed ? &chosen.written->graph : rejected);
}

}  // namespace isomer::recipes
