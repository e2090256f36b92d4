#include "recipes/optimize.h"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>

#include "formats/onnx.h"
#include "formats/onnx_external.h"
#include "ir/op_table.h"
#include "recipes/agreement.h"
#include "recipes/bodies.h"
#include "recipes/candidates.h"
#include "recipes/check_files.h"
#include "recipes/check_options.h"
#include "recipes/choices.h"
#include "recipes/cost_choice.h"
#include "recipes/fill_result.h"
#include "recipes/load.h"
#include "recipes/pricing.h"
#include "recipes/program_size.h"
#include "recipes/refusals.h"
#include "recipes/rewriting.h"
#include "recipes/rule_choice.h"
#include "recipes/searching_on.h"
#include "recipes/sizes.h"
#include "recipes/spine.h"
#include "recipes/staged_program.h"
#include "recipes/time_budget.h"
#include "recipes/trial.h"
#include "recipes/verification.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// Of the time for searching that is left, so that extracting has some too, and in seconds.
constexpr double kPriceShare = 0.7, kPriceSeconds = 60;

/// Why nothing is searched beyond saturation; empty where something is.
std::string no_search(const OptimizeOptions& options, SearchKind kind, const Growth& growth) {
  if (options.no_rewrite) return "--no-rewrite";
  if (kind == SearchKind::kSaturation) return "--search saturation";
  return kind == SearchKind::kPortfolio && growth.saturated() ? "saturation came to its end" : "";
}

/// What a run works on; still there when it fails.
struct Work {
  ir::Context ctx{ir::standard_ops()};
  std::optional<Program> program;
  CostChoice costs;
  std::unique_ptr<Rewriting> rewriting;
  Chosen chosen;
};

/// From the file to the file; the spine is `operator()`. Ends with the result complete and, but for a dry
/// run, written; or with a rule that does not suit.
class Run {
 public:
  Run(const OptimizeOptions& options, const Ways& ways, const StopToken& stop, TimeBudget& time, Spine& spine,
      Work& work, OptimizeResult& result)
      : options_(options),
        ways_(ways),
        stop_(stop),
        time_(time),
        spine_(spine),
        work_(work),
        result_(result) {}

  void operator()() {
    read();
    size();
    explore();
    price_operators();
    look_into_bodies();
    std::optional<rewrite::TensorExtraction> best = search();
    extract(std::move(best));
    if (options_.dry_run) return show_what_was_found();
    start_the_runtime();
    stage();
    measure();
    settle();
    explain("nothing was found", !candidates_found_);
    check();
    if (!work_.chosen.unsuited) write();
  }

 private:
  using Step = TimeBudget::Step;

  const ir::Graph& original() const { return work_.program->graph; }
  const runtime::RuntimeKind& target() const {
    return ways_.target == Target::kOpenVino ? runtime::kOpenVino : runtime::kOnnxRuntime;
  }
  /// Of inputs in the target.
  Sizes given(const Sizes& sizes) const {
    return target().keeps_names ? sizes : with_axes(original(), sizes);
  }
  const char* no_rewrite() const { return options_.no_rewrite ? "--no-rewrite" : ""; }
  std::unique_ptr<Rewriting> fresh() const {
    auto out = std::make_unique<Rewriting>(original(), options_, ways_, spine_, work_.program->dialect());
    out->offer(bodies_);
    return out;
  }
  PricingReport measured_prices(Rewriting& rewriting) {
    runtime::MeasuredCost& model = *work_.costs.measured;
    const Deadline until = time_.search().part(kPriceShare, kPriceSeconds);
    PricingReport report = price_lazily(rewriting, model, until, spine_.progress());
    record_prices(report, model, spine_.record());
    return report;
  }

  void read() {
    if (ways_.target == Target::kOpenVino && !options_.dry_run)
      runtime::OnnxRuntime(target()).info();  // said before the work
    spine_.step("read", "", [&] {
      if (std::filesystem::path(options_.input).extension() != ".onnx")
        throw UsageError("optimize takes an ONNX model (.onnx), not " + options_.input);
      work_.program = load_program(work_.ctx, options_.input, parse_dims(options_.dims),
                                   ways_.target == Target::kOnnxRuntime, time_.search());
      result_.warnings = work_.program->notes;
      result_.types_inferred = work_.program->types_inferred;
      result_.opaque_operators = opaque_operators(original());
      fill_before(size_of(original()), result_);
      time_.allow_for(result_.weight_bytes_before);
      return fmt::format("{} operators", result_.nodes_before);
    });
    weight_files_ = formats::data_files(*work_.program->envelope);
    check_files(options_, weight_files_);
    check_inputs(options_.inputs, std::array<const Program*, 1>{&*work_.program}, time_.search());
  }

  void size() {
    spine_.step("size", "", [&] {
      sizes_ = size_program(*work_.program, options_, *runtime_, time_.search(), spine_.progress());
      result_.sizes = sizes_.chosen.first;
      if (result_.sizes.empty()) return std::string("every dimension is fixed");
      result_.macs_before = sizes_.first.macs;
      if (!sizes_.chosen.runs && !sizes_.chosen.refusal.empty())
        result_.warnings.push_back(fmt::format(
            "the runtime runs the model at none of the sizes that were tried ({} sets; --measure-dim "
            "gives others): {}",
            sizes_.chosen.tries, sizes_.chosen.refusal));
      return sizes_.text();
    });
  }

  void explore() {
    spine_.step("explore", no_rewrite(), [&] {
      const double started = wall_seconds();
      work_.rewriting = fresh();
      result_.rules_used = work_.rewriting->rules_used();
      result_.rules_left_out = work_.rewriting->rules_left_out();
      growth_ = work_.rewriting->explore();
      fill_growth(growth_, result_);
      work_.rewriting->file_growth();
      explore_seconds_ = wall_seconds() - started;
      return result_.stop_reason;
    });
  }

  void price_operators() {
    spine_.step("price", no_rewrite(), [&] {
      CostChoice& costs = work_.costs;
      costs =
          choose_cost(options_.cost, options_.threads, work_.program->dialect(), result_.weight_bytes_before,
                      time_.search(), spine_.progress(), sizes_.first.symbols, runtime_);
      result_.cost_model = costs.model->name();
      if (!costs.note.empty()) result_.warnings.push_back(costs.note);
      std::string outcome;
      if (costs.measured) {
        const PricingReport report = measured_prices(*work_.rewriting);
        say_guessed(report, result_);
        const runtime::MeasuredCount count = costs.measured->count();
        outcome = fmt::format("{} known; {}", count.known, report.outcome());
        if (count.shared > 0)
          outcome += fmt::format("; {} that every program has are not measured", count.shared);
        spine_.record().numbers["price.shared"] = static_cast<double>(count.shared);
      }
      result_.cost_before = result_.cost_after = cost::graph_cost(*costs.model, original());
      spine_.improved("original", result_.cost_before);
      return outcome;
    });
  }

  /// If, Loop and Scan with better bodies are alternatives from now on.
  void look_into_bodies() {
    const bool disabled = std::ranges::count(options_.disable_rules, kBodyRewrite) > 0;
    const char* const kept = disabled ? "--disable-rule" : no_rewrite();
    spine_.step("bodies", has_bodies(original()) ? kept : "no If, Loop or Scan", [&] {
      constexpr double kShare = 0.4;  // of the time for searching that is left
      OptimisedBodies found = optimise_bodies(
          *work_.program,
          {options_, ways_, work_.costs, spine_.limits(), time_.search().part(kShare), spine_.progress()});
      std::ranges::move(found.warnings(), std::back_inserter(result_.warnings));
      bodies_ = std::move(found.rewrites);
      work_.rewriting->offer(bodies_);
      result_.cost_before = result_.cost_after = cost::graph_cost(*work_.costs.model, original());
      return fmt::format("{} of {} are cheaper", found.better, found.looked_at);
    });
  }

  /// What was found beyond saturation.
  std::optional<rewrite::TensorExtraction> search() {
    std::optional<rewrite::TensorExtraction> best;
    const SearchKind kind = ways_.search;
    spine_.step("search", no_search(options_, kind, growth_), [&] {
      SearchingOn how{[this] { return fresh(); }, explore_seconds_, kind == SearchKind::kMcts, {}, stop_};
      if (work_.costs.measured)
        how.price = [this](Rewriting& grown) { return measured_prices(grown).measured; };
      SearchedOn searched = search_on(work_.rewriting, *work_.costs.model, how, spine_, growth_);
      fill_growth(searched.growth, result_);
      // Measuring goes on while e-graphs are grown.
      result_.cost_before = result_.cost_after = cost::graph_cost(*work_.costs.model, original());
      spine_.record().texts["search"] = searched.of;
      best = std::move(searched.best);
      return searched.outcome;
    });
    return best;
  }

  void extract(std::optional<rewrite::TensorExtraction> best) {
    spine_.step("extract", no_rewrite(), [&] {
      const double about_ms = work_.costs.measured ? result_.cost_before : 0;
      const size_t most = options_.no_measure || options_.dry_run
                              ? 1
                              : most_candidates(about_ms, result_.weight_bytes_before);
      Candidates found =
          find_candidates(*work_.rewriting, work_.costs, most, result_.cost_before, std::move(best));
      fill_found(found, result_);
      candidates_ = std::move(found.list);
      if (candidates_.empty()) return result_.decision;
      spine_.improved("extracted", result_.cost_found);
      return fmt::format("{} candidates", candidates_.size());
    });
    candidates_found_ = !candidates_.empty();
  }

  void show_what_was_found() {
    result_.decision = "nothing was written (--dry-run)";
    if (!candidates_found_) {
      fill_after(size_of(original()), result_);
      result_.macs_after = result_.macs_before;
      return;
    }
    Candidate& found = candidates_[0];
    fill_after(size_of(found.extraction.graph,
                       work_.rewriting->plan_fold(found.extraction, result_.weight_bytes_before),
                       sizes_.first.symbols),
               result_);
    result_.cost_after = result_.cost_candidate = found.cost;
    choose(std::move(found.extraction));
    explain("--dry-run", !options_.explain);
  }

  void start_the_runtime() {
    try {
      const formats::OnnxNodes nodes = formats::list_onnx_nodes(options_.input);
      TrialOptions how{options_.threads,
                       options_.pairs,
                       options_.seed,
                       options_.inputs,
                       given(sizes_.dims()),
                       result_.weight_bytes_before,
                       work_.costs.measured ? result_.cost_before : 0,
                       tolerance_for(original(), options_.tolerance),
                       result_.sizes.empty() ? input_bounds(original()) : sizes_.first.bounds,
                       choices_of(nodes),
                       {sizes_.chosen.first},
                       given(sizes_.second_dims()),
                       sizes_.second.bounds,
                       random_outputs(nodes),
                       shares_of(original())};
      if (!sizes_.chosen.second.empty()) how.sizes.push_back(sizes_.chosen.second);
      trial_.emplace(target(), how, time_.begin(Step::kMeasure), spine_.progress());
      result_.runtime = trial_->runtime();
    } catch (const MissingRuntimeError& missing) {
      no_runtime_ = missing.what();
      result_.runtime = "none: " + no_runtime_;
    }
  }

  void stage() {
    spine_.step("stage", candidates_found_ ? "" : "nothing was found", [&] {
      Entrants entered = enter(*work_.rewriting, std::move(candidates_), *work_.program, result_.output,
                               result_.weight_bytes_before, time_.begin(Step::kFold));
      entrants_ = std::move(entered.list);
      if (entered.late) result_.warnings.push_back(*std::move(entered.late));
      if (entrants_.empty()) result_.decision = std::move(entered.why_none);
      return entrants_.empty() ? result_.decision : "";
    });
    work_.chosen.changed = !entrants_.empty();
  }

  /// What was faster on one core may be split worse over several, on which most people run.
  bool slower_on_all_cores(const Deadline& until, std::string& why) {
    const auto seen = trial_->on_all_cores(options_.input, entrants_[first_].staged.model(), until);
    if (!seen) return false;
    result_.speedup_all_cores = seen->speedup;
    const std::string there = fmt::format("on {} cores {:.3f} (95 %: {:.3f} to {:.3f})", seen->cores,
                                          seen->speedup, seen->low, seen->high);
    why = seen->slower ? fmt::format("slower {}, wall time; on one, {}", there, why)
                       : fmt::format("{}; {}", why, there);
    return seen->slower;
  }

  std::string untimed() const { return options_.no_measure ? "--no-measure" : no_runtime_; }

  void measure() {
    spine_.step("measure", entrants_.empty() ? "nothing to measure" : untimed(), [&] {
      // Who interrupted the search still wants to see what was found timed, but soon.
      constexpr double kSoon = 15;  // seconds
      const Deadline all = time_.begin(Step::kMeasure);
      const Deadline until = spine_.interrupted().empty() ? all : all.part(1, kSoon);
      std::string why;
      bool& changed = work_.chosen.changed;
      const auto time_them = [&] {
        Screening screening = trial_->fastest(options_.input, models_of(entrants_), until);
        first_ = screening.fastest;
        spine_.record().texts["screening"] = std::move(screening.why);
        TimedPair timed = trial_->time(options_.input, entrants_[first_].staged.model(), until);
        changed = timed.faster;
        why = std::move(timed.why);
        fill_timing(timed.figures, result_);
        if (changed) changed = !slower_on_all_cores(until, why);
      };
      time_them();
      // One that the runtime refuses spoils the timing of all: the others are timed without it.
      std::vector<RuntimeRefusal> refused;
      if (trial_->failed()) refused = drop_refused(*trial_, options_.input, entrants_, until);
      if (!refused.empty()) {
        for (const RuntimeRefusal& r : refused) result_.warnings.push_back(describe(r, trial_->runtime()));
        file_refusals(std::move(refused), result_);
        changed = false;
        why = "not timed: the runtime takes nothing that was made of it (see the warnings)";
        if (!entrants_.empty()) time_them();
      }
      result_.decision = (changed ? "the optimised program, " : "the original program: ") + why;
      return why;
    });
  }

  /// Which program is to be written, and why.
  void settle() {
    if (!entrants_.empty()) {
      result_.cost_candidate = entrants_[first_].candidate.cost;
      spine_.record().texts["candidate"] = entrants_[first_].candidate.how;
      choose(std::move(entrants_[first_].candidate.extraction));
      if (!untimed().empty()) {
        work_.chosen.changed = result_.cost_candidate < result_.cost_before;
        result_.decision = work_.chosen.changed
                               ? "the optimised program, by its cost alone (" + untimed() + ")"
                               : "the original program: no cheaper one was found";
      }
    }
    if (result_.decision.empty()) result_.decision = "the original program (--no-rewrite)";
    if (work_.chosen.changed)
      work_.chosen.written = std::move(entrants_[first_].staged);
    else if (!entrants_.empty())
      work_.chosen.rejected = std::move(entrants_[first_].staged.graph);
    entrants_.clear();
  }

  void choose(rewrite::TensorExtraction extraction) {
    work_.rewriting->choose(std::move(extraction));
    result_.rules_applied = work_.rewriting->rules_applied();
  }

  void explain(const char* why_not, bool skipped) {
    spine_.step("explain", skipped ? why_not : "", [&] {
      std::string outcome = work_.rewriting->explain(work_.costs.model.get(), time_.begin(Step::kExplain));
      result_.rules_applied = work_.rewriting->rules_applied();
      return outcome;
    });
  }

  void check() {
    spine_.step("verify", "", [&] {
      work_.chosen.candidate = spine_.record().texts["candidate"];
      const Verifying what{*work_.program, options_.input, result_.output, work_.rewriting.get(),
                           trial_ ? &*trial_ : nullptr};
      Verified verified = verify(what, time_.begin(Step::kVerify), work_.chosen);
      const std::string failure = verified.failure;
      fill_verified(std::move(verified), result_);
      if (!failure.empty()) throw VerificationError(failure);
      return result_.verification;
    });
  }

  void write() {
    rusage usage{};
    if (getrusage(RUSAGE_SELF, &usage) == 0)
      spine_.record().numbers["peak_bytes_before_writing"] = 1024.0 * static_cast<double>(usage.ru_maxrss);
    spine_.step("write", "", [&] {
      work_.chosen.written->place->publish(weight_files_);
      return "";
    });
    const ir::Graph& written = work_.chosen.written->graph;
    result_.changed = work_.chosen.changed;
    fill_after(size_of(written), result_);
    if (!result_.sizes.empty())
      result_.macs_after = result_.changed
                               ? sizes_.multiply_adds_of(result_.output, written, work_.program->contrib)
                               : result_.macs_before;
    if (result_.changed)
      result_.cost_after = result_.cost_candidate;
    else
      result_.latency_after_ms = result_.latency_before_ms;
  }

  const OptimizeOptions& options_;
  const Ways& ways_;
  const StopToken& stop_;
  TimeBudget& time_;
  Spine& spine_;
  Work& work_;
  OptimizeResult& result_;

  /// Where sizes are tried and operators are measured: one process for both.
  std::shared_ptr<runtime::OnnxRuntime> runtime_ = std::make_shared<runtime::OnnxRuntime>();
  std::vector<std::string> weight_files_;
  ProgramSizes sizes_;
  double explore_seconds_ = 0;
  BodyRewrites bodies_;
  Growth growth_;
  std::vector<Candidate> candidates_;
  bool candidates_found_ = false;
  std::optional<Trial> trial_;
  std::string no_runtime_;
  std::vector<Entrant> entrants_;
  size_t first_ = 0;  ///< of the entrants, the one that is chosen
};

/// What holds in exact arithmetic may not on a model's numbers: (x + 1e25) - 1e25 is not x. Such a rule is
/// left out, and all is done again in what is left of the time; after so many of them the original is
/// written.
void run_with_what_suits(OptimizeOptions options, const Ways& ways, const StopToken& stop, TimeBudget& time,
                         Spine& spine, std::optional<Work>& work, OptimizeResult& result) {
  const OptimizeResult fresh = result;
  std::vector<UnsuitedRule> unsuited;
  while (true) {
    Run(options, ways, stop, time, spine, work.emplace(), result)();
    if (!work->chosen.unsuited) break;
    unsuited.push_back(*work->chosen.unsuited);
    const std::string& rule = unsuited.back().rule;
    options.no_rewrite |= unsuited.size() == kMostUnsuited || !work->rewriting->has_rule(rule);
    options.disable_rules.push_back(rule);
    result = fresh;
    spine.record().chain.clear();
    spine.record().rules_applied.clear();
  }
  if (unsuited.empty()) return;
  for (const UnsuitedRule& u : unsuited) {
    for (auto& [why, rules] : result.rules_left_out) std::erase(rules, u.rule);
    result.rules_left_out["not on this model's numbers"].push_back(u.rule);
    result.warnings.push_back(
        "a rule that holds in exact arithmetic was left out, since it does not on this model's numbers: " +
        u.why);
  }
  std::erase_if(result.rules_left_out, [](const auto& entry) { return entry.second.empty(); });
  if (options.no_rewrite)
    result.decision = "the original program: rules do not suit its numbers (see the warnings)";
}

}  // namespace

OptimizeResult optimize(const OptimizeOptions& options, const StopToken& stop, ProgressSink& progress,
                        RunRecord& record, const ProgramsSink& finished, const Clock& clock) {
  check_options(options);
  const Ways ways = ways_of(options);
  check_files(options);
  TimeBudget time(options.time_limit, options.dry_run, stop, clock);
  Spine spine(record, progress, search_limits(options, stop), time.search());
  std::optional<Work> work;
  OptimizeResult result;
  result.input = options.input;
  result.output = options.output.empty() ? default_output(options.input) : options.output;
  result.cost_model = options.cost;
  result.float_promise = options.float_promise;
  const auto report = [&](const ir::Graph* found) {
    result.interrupted = spine.interrupted();
    result.seconds = time.elapsed();
    if (finished && work && work->program)
      finished(result,
               {work->program->graph, found, work->costs.model.get(), time.begin(TimeBudget::Step::kReport)});
  };
  try {
    run_with_what_suits(options, ways, stop, time, spine, work, result);
  } catch (const VerificationError& wrong) {
    // Reported as well: which step, where, and what was to be written.
    result.verified = result.changed = false;
    result.verification = result.failure = wrong.what();
    result.decision = "nothing: verification failed";
    const bool any = work && work->chosen.changed && work->chosen.written;
    report(any ? &work->chosen.written->graph : nullptr);
    throw;
  }
  const Chosen& chosen = work->chosen;
  const ir::Graph* rejected = chosen.rejected ? &*chosen.rejected : nullptr;
  report(result.changed ? &chosen.written->graph : rejected);
  return result;
}

}  // namespace isomer::recipes
