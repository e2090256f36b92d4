#include "recipes/compare.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <limits>
#include <optional>

#include "formats/onnx_interface.h"
#include "ir/op_table.h"
#include "ir/same_structure.h"
#include "recipes/agreement.h"
#include "recipes/check_files.h"
#include "recipes/check_options.h"
#include "recipes/compare_defined.h"
#include "recipes/compare_interpreted.h"
#include "recipes/compare_read.h"
#include "recipes/compare_runs.h"
#include "recipes/doubts.h"
#include "recipes/load.h"
#include "recipes/sizes.h"
#include "recipes/unrepeatable.h"
#include "recipes/where_apart.h"
#include "recipes/witness_file.h"
#include "runtime/onnxruntime.h"
#include "support/errors.h"
#include "support/files.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

constexpr int kSamples = 3;
/// Times the tolerance of two runs: what a runtime may be off from double precision.
constexpr double kLoosely = 10;
/// Programs of more weights are not evaluated by the interpreter when the runtime has already run them.
constexpr uint64_t kProofBytes = uint64_t{16} << 20;
/// And those of more are not held in memory both at once: they are run on few inputs.
constexpr uint64_t kManyRunsBytes = uint64_t{1} << 30;
/// To start a worker is no trying of inputs: a small limit leaves time for it. As the worker itself, it has
/// four times the limit by the clock on the wall, since the machine may have other work.
double start_seconds(const CompareOptions& options) {
  constexpr double kLoaded = 4, kLeast = 10, kMost = 120;
  return std::clamp(kLoaded * options.time_limit, kLeast, kMost);
}

/// What callers see; empty where it is the same. Programs of other formats have no names.
std::string interface_difference(const Program& a, const Program& b) {
  if (a.envelope == nullptr || b.envelope == nullptr) return {};
  std::string out = formats::interface_difference(*a.envelope, *b.envelope);
  if (out.empty() && has_opaque(a.graph) && has_opaque(b.graph))
    if (std::string versions = formats::version_difference(*a.envelope, *b.envelope); !versions.empty())
      out = "operators without a meaning here, in other versions: " + versions;
  return out;
}

/// Equal operators mean equal things, as long as those without a meaning stand among the same definitions.
bool same_program(const Program& a, const Program& b) {
  if (!ir::same_structure(a.graph, b.graph, ir::Identities::kRenamed)) return false;
  return same_meanings(a, b);
}

/// Two ONNX models of equal interfaces and unequal structure, where a runtime runs them.
class InTheRuntime {
 public:
  InTheRuntime(ir::Context& ctx, const std::string& a, const std::string& b, const Program& left,
               const Program& right, const CompareOptions& options, const StopToken& stop)
      : ctx_(ctx), a_(a), b_(b), left_(left), right_(right), options_(options), stop_(stop) {
    wait_.stop = stop;
    spec_.npz = options.inputs;
    spec_.seed = options.seed;
    spec_.bounds = input_bounds(right.graph);
    for (auto& [name, range] : input_bounds(left.graph)) widen(name, range);
    load_.optimisation = "basic";
    const formats::OnnxNodes nodes = formats::list_onnx_nodes(a);
    choices_ = choices_of(nodes);
    strict_ = is_strict(options);
    random_ = random_outputs(nodes);
    random_.merge(random_outputs(formats::list_onnx_nodes(b)));
    deciders_ = joined(deciders_of(left.graph), deciders_of(right.graph));
    spec_.bounds = with_usual(spec_.bounds, deciders_);
    if (options.inputs.empty()) branches_ = other_branches(deciders_);
    shares_ = shares_of(left.graph);
    shares_.merge(shares_of(right.graph));
    for (const double t : tolerances_of(left, right, options.tolerance)) allowed_ = std::max(allowed_, t);
  }

  CompareResult run() {
    find_sizes();
    if (stop_.requested() || !few_runs()) return std::move(result_);
    if (goes_on() && !tried_) may_run_often() ? many_runs() : decide(Agreement::kTested);
    if (goes_on()) ask_the_interpreter();
    if (goes_on() && result_.verdict == Agreement::kProved && !exhausted_ && may_be_held()) hold_to_runtime();
    if (result_.verdict == Agreement::kTested) {
      if (!unmet_.empty()) decide(Agreement::kUndecided);
      for (const std::string& open : {of_sizes_, unmet_})
        if (!open.empty()) result_.detail = result_.detail.empty() ? open : open + "; " + result_.detail;
    }
    return std::move(result_);
  }

  /// What was read of both is the same program.
  CompareResult run_the_same(CompareResult proved) {
    result_ = std::move(proved);
    if (!may_be_held()) return std::move(result_);
    find_sizes();
    if (!stop_.requested()) hold_to_runtime();
    return std::move(result_);
  }

 private:
  void decide(Agreement verdict) { result_ = decided(std::move(result_), verdict); }
  bool goes_on() const { return result_.verdict != Agreement::kDifferent && !stop_.requested(); }
  bool may_run_often() const { return larger_weight_bytes(left_, right_) <= kManyRunsBytes; }

  void find_sizes() {
    info_ = runtime_.info(start_seconds(options_), stop_);
    if (stop_.requested()) return;
    SizeSearch search;
    search.given = sizes_of_the_other(left_.graph, right_.graph);
    search.inputs = spec_;
    search.load = load_;
    search.until = search.until.with(stop_);
    sets_ = sets_of_sizes(runtime_, a_, left_, search);
    for (const auto& [sizes, bounds] : sets_) at_.push_back(sizes);
  }

  /// Either program may ask for less of an input; a difference may lie beyond.
  void widen(const std::string& name, const runtime::Bounds& range) {
    const auto [it, fresh] = spec_.bounds.emplace(name, range);
    if (fresh || !range.values.empty() || !it->second.values.empty()) {
      it->second = range;
      return;
    }
    it->second.low = std::min(it->second.low, range.low);
    it->second.high = std::max(it->second.high, range.high);
  }

  /// On few inputs with the runtime's own simple rewrites, one model in memory at a time; false where that
  /// cannot be, and the interpreter has had its word.
  bool few_runs() {
    runtime::CompareExtras extras;
    extras.choices = choices_;
    std::optional<runtime::Comparison> last;
    std::string where;
    // Shares that are next to nothing are judged one by one where there are many runs.
    const double much = may_run_often() ? std::numeric_limits<double>::infinity() : kMuchOfShares;
    result_.max_relative_error = 0;
    const auto agree = [&](const runtime::Comparison& seen) {
      last = in_scale(without_values(seen, random_), shares_, allowed_, much);
      result_.inputs_tried += last->samples;
      result_.max_relative_error = std::max(result_.max_relative_error, last->max_relative_error());
      return last->agrees(allowed_);
    };
    for (size_t set = 0; set < std::max<size_t>(sets_.size(), 1); ++set) {
      if (set < sets_.size()) {
        spec_.dims = sets_[set].first;
        for (const auto& [name, range] : sets_[set].second) spec_.bounds[name] = range;
        where += (set == 0 ? " at " : " and ") + to_text(spec_.dims);
      }
      const auto outcome = runtime_.compare(a_, b_, spec_, set == 0 ? kSamples : 1, load_, wait_, extras);
      if (!outcome) return without_the_runtime(outcome.failure().message);
      if (!agree(*outcome)) break;
    }
    const InputBounds usual = spec_.bounds;
    for (size_t i = 0; i < branches_.size() && last->agrees(allowed_); ++i) {
      for (const auto& [name, range] : branches_[i]) spec_.bounds[name] = range;
      // Many runs tell which of both does not run there.
      const auto outcome = runtime_.compare(a_, b_, spec_, 1, load_, wait_, extras);
      if (!outcome || agree(*outcome)) spec_.bounds = usual;
    }
    result_.sizes = at_;
    not_compared_ = random_.empty() ? "" : say_not_compared(names_of(*last, random_), {}) + "; the others ";
    result_.method =
        not_compared_ + fmt::format(
                            "tested in {} {} on {} sets of inputs{}, largest error {:.3g} of an output's "
                            "largest element",
                            info_.runtime, info_.version, result_.inputs_tried, where,
                            result_.max_relative_error);
    result_.scope = fmt::format("{} random sets of inputs{}", result_.inputs_tried, where);
    if (last->agrees(allowed_)) return true;
    decide(Agreement::kDifferent);
    result_.detail = describe_differences(*last, allowed_);
    Apart about{spec_, kSamples, allowed_, 0, load_, choices_};
    while (about.output + 1 < last->outputs.size() && last->outputs[about.output].agrees(allowed_))
      ++about.output;
    find_place(about);
    if (!options_.witness.empty() && !stop_.requested()) many_runs();  // has what to write
    return true;
  }

  void find_place(const Apart& about) {
    if (stop_.requested()) return;
    result_.first_difference = where_apart(runtime_, a_, b_, &left_.graph, &right_.graph, about, wait_);
    if (result_.first_difference.value_a.empty() && !result_.first_difference.note.empty())
      result_.detail += "\n" + result_.first_difference.note;
  }

  /// The runtime does not take them, or does not run them at the sizes that were found.
  bool without_the_runtime(const std::string& why) {
    if (stop_.requested()) return false;
    // That the second one does not run where the first one does is a difference; and integers that say sizes
    // may have to be others than the first few.
    if (may_run_often()) {
      many_runs();
      tried_ = result_.verdict == Agreement::kDifferent || result_.verdict == Agreement::kTested;
      if (tried_ || stop_.requested()) return true;
      result_ = {};
    }
    CompareResult seen = in_the_interpreter(ctx_, a_, b_, left_, right_, at_, options_, stop_);
    if (seen.verdict == Agreement::kUndecided && seen.detail.empty())
      seen.detail = "the runtime cannot compare them: " + why;
    result_ = std::move(seen);
    return false;
  }

  void many_runs() {
    RunsAsked asked{a_, b_, left_, right_, spec_, at_, random_, shares_};
    asked.tolerance = options_.tolerance;
    asked.seconds = options_.time_limit;
    asked.strict = strict_;
    asked.witness = witness_.path();
    asked.stop = stop_;
    asked.inputs.dims.clear();
    asked.inputs.bounds = without_usual(spec_.bounds, deciders_);
    const auto [outcome, settled, departed] = run_and_settle(ctx_, runtime_, asked);
    const bool known = result_.verdict == Agreement::kDifferent;
    if (!outcome) {
      if (!known) {
        const bool refused = outcome.failure().kind == runtime::FailureKind::kRefused;
        // Nobody judged shares next to nothing.
        const bool seen = result_.inputs_tried > 0 && shares_.empty();
        decide(refused && seen ? Agreement::kTested : Agreement::kUndecided);
        of_sizes_ = say_sizes_decide(a_, left_, b_, right_);
        result_.detail = "on more inputs the runtime gave no answer: " + outcome.failure().message;
      }
      return;
    }
    const runtime::TrialReport& report = *outcome;
    if (known && report.found) keep(witness_);
    if (known) return;
    result_.inputs_tried += report.ran;
    result_.ways = report.ways;
    if (!report.sizes.empty()) result_.sizes = report.sizes;
    result_.max_relative_error = std::max(result_.max_relative_error, report.worst);
    const std::string where = say_where(report, info_.runtime + " " + info_.version);
    result_.method =
        not_compared_ +
        fmt::format("tested in {} on {}{}, largest error {:.3g} of what an element is computed from", where,
                    say_tried(report), say_left_out(report), result_.max_relative_error);
    if (settled.agreed > 0)
      result_.method += fmt::format("; at {} of them {} alone tells them apart, not the interpreter",
                                    settled.agreed, report.evaluated ? kEvaluator : info_.runtime);
    if (departed > 0)
      result_.method +=
          fmt::format("; at {} others {} alone told them apart, neither ONNX nor the interpreter", departed,
                      info_.runtime);
    result_.scope = say_tried(report);
    if (report.found && report.evaluated && (settled.agreed > 0 || stop_.requested())) {
      decide(Agreement::kUndecided);
      result_.detail = fmt::format("{}, by {} alone: {}", say_difference(report), kEvaluator,
                                   settled.agreed > 0 ? "by the interpreter both have the same outputs there"
                                                      : "the interpreter was not asked");
    } else if (report.found) {
      decide(Agreement::kDifferent);
      result_.method =
          not_compared_ + fmt::format("found in {} after {} sets of inputs", where, result_.inputs_tried);
      result_.detail = say_difference(report);
      if (!report.evaluated) place_of(report);
      keep(witness_);
    } else {
      weigh(asked, report, settled);
    }
  }

  /// Nothing that was tried told them apart.
  void weigh(const RunsAsked& asked, const runtime::TrialReport& report, const Settled& settled) {
    decide(Agreement::kUndecided);
    const auto beyond = report.notes.find("beyond");
    if (std::string open = say_unsettled(settled, report.evaluated ? kEvaluator : info_.runtime);
        !open.empty()) {
      result_.detail = std::move(open);
    } else if (beyond != report.notes.end()) {
      result_.detail =
          "they agree, but beside inputs that the first turns infinite or NaN: " + beyond->second;
    } else if (std::string unseen = say_unseen(report, asked); !unseen.empty()) {
      result_.detail = std::move(unseen);
    } else {
      decide(Agreement::kTested);
      unmet_ = say_unmet(report);
      result_.detail = say_still(report, asked);
      of_sizes_ = say_unmet_sizes(report);
      if (of_sizes_.empty()) of_sizes_ = say_hidden_conditions(a_, left_, b_, right_);
      const bool all = report.all_inputs > 0 && report.same_bits && !report.evaluated;
      if (all && random_.empty()) exhausted(report);
      if (const auto other = report.notes.find("kinds"); other != report.notes.end())
        result_.detail = "not finite in other ways: " + other->second;
    }
    if (const auto it = report.notes.find("overflow"); it != report.notes.end())
      result_ =
          but_for(std::move(result_), Except::kOverflow,
                  "what the first turns infinite or NaN and the second does not: " + it->second, strict_);
  }

  Leeway loosely() const { return {kLoosely * allowed_, shares_}; }

  bool may_be_held() const { return random_.empty() && larger_weight_bytes(left_, right_) <= kProofBytes; }

  /// Whether the runtime, which reads the files itself, computes what was read, and what that makes of a
  /// proof.
  void hold_to_runtime() {
    ReadAndRun seen = run_what_was_read(runtime_, {ctx_, a_, b_, left_, right_, spec_, sets_, branches_,
                                                   load_, loosely(), start_seconds(options_), stop_});
    const std::string name = info_.runtime + " " + info_.version;
    if (seen.apart.empty() && seen.departs.empty()) {
      result_.method +=
          seen.held > 0
              ? fmt::format("; {} computes what was read of both, on {} sets of inputs", name, seen.held)
          : seen.ran > 0 ? fmt::format("; {} gives the same on {} sets of inputs", name, seen.ran)
          : result_.inputs_tried == 0 ? "; no runtime has run them"
                                      : "";
      return;
    }
    result_.error_probability = std::numeric_limits<double>::quiet_NaN();
    result_.scope = "the inputs that were tried";
    decide(seen.apart.empty() ? Agreement::kTested : Agreement::kDifferent);
    result_.detail = seen.apart.empty()
                         ? fmt::format("not proved: of the {} {} computes other values than were read: {}",
                                       seen.of_first ? "first" : "second", info_.runtime, seen.departs)
                         : fmt::format("read alike, but {} tells them apart: {}", info_.runtime, seen.apart);
    keep(seen.shown);
  }

  template <class Shown>
  void keep(const Shown& shown) {
    result_ = with_witness(std::move(result_), options_.witness, shown);
  }

  /// All inputs that there are gave the same bits.
  void exhausted(const runtime::TrialReport& report) {
    exhausted_ = true;
    decide(Agreement::kProved);
    result_.error_probability = 0;
    result_.scope = fmt::format("all {} inputs, in {} {}", report.all_inputs, info_.runtime, info_.version);
    result_.method = "by running them all, to the same bits; " + result_.method;
  }

  void place_of(const runtime::TrialReport& report) {
    if (report.found->output < 0) return;
    runtime::InputSpec spec = spec_;
    spec.npz = witness_.path();
    spec.dims = report.found->sizes;
    runtime::LoadOptions load = load_;
    load.optimisation = "off";
    const Apart about{spec, 1, allowed_, static_cast<size_t>(report.found->output), load, {}};
    const std::string detail = result_.detail;
    find_place(about);
    if (result_.first_difference.value_a.empty()) result_.detail = detail;
  }

  /// A refutation stands; a proof says more than runs.
  void ask_the_interpreter() {
    if (larger_weight_bytes(left_, right_) > kProofBytes) return;
    verify::EquivalenceOptions options = interpreting(options_, stop_);
    if (random_.empty()) {
      options.sample_budget = 100'000;
      options.tolerance = options.rounded_tolerance = std::max(options.tolerance, allowed_);
    }
    const Interpreted seen = interpret_at(ctx_, a_, b_, left_, right_, at_, options);
    take(seen.verdict);
    keep(seen.shown);
    if (seen.same_elements && random_.empty() && result_.equivalent) {
      decide(Agreement::kProved);
      result_.error_probability = 0;
      result_.scope = kEverySize;
      result_.method = fmt::format("{}; {}", kSameElements, result_.method);
    }
    if (goes_on())
      result_ = judge_rounding(
          std::move(result_), ctx_, a_, b_, left_, right_, at_, options, options_.witness,
          {.ran = true, .strict = strict_, .digits = !seen.same_elements && !exhausted_ && random_.empty()});
  }

  void take(const verify::Verdict& v) {
    // At other sizes what a condition of sizes guards may be another thing.
    if (v.kind == verify::VerdictKind::kProved && random_.empty() && !of_sizes_.empty()) return;
    // What has a meaning for the runtime alone is no other program for having no counterpart.
    const bool own_words = random_.empty() && v.kind == verify::VerdictKind::kRefuted &&
                           v.evidence == verify::Evidence::kOperands;
    if (v.kind == verify::VerdictKind::kUnknown || own_words) {
      if (random_.empty()) return;
      decide(Agreement::kUndecided);
      result_.detail = "for equal draws the interpreter cannot compare them: " + v.note;
      return;
    }
    if (!random_.empty() || v.kind == verify::VerdictKind::kRefuted || v.kind == verify::VerdictKind::kProved)
      result_.method = (random_.empty() ? verify::summary(v) + "; " + result_.method
                                        : result_.method + "; for equal draws " + verify::summary(v));
    if (v.kind == verify::VerdictKind::kRefuted) {
      decide(Agreement::kDifferent);
      result_.detail = v.counterexample;
    } else if (v.kind == verify::VerdictKind::kProved && result_.verdict == Agreement::kTested &&
               result_.except == Except::kNothing) {
      decide(Agreement::kProved);
      result_.error_probability = v.error_probability();
      result_.scope = scope_at(kExactly, at_);
    }
  }

  ir::Context& ctx_;
  const std::string &a_, &b_;
  const Program &left_, &right_;
  const CompareOptions& options_;
  StopToken stop_;
  runtime::Wait wait_;
  WitnessFile witness_;
  runtime::OnnxRuntime runtime_;
  runtime::RuntimeInfo info_;
  runtime::InputSpec spec_;
  std::vector<Decider> deciders_;
  std::vector<InputBounds> branches_;  ///< where other branches of Ifs are taken
  runtime::LoadOptions load_;
  std::vector<runtime::Choice> choices_;
  OutputSet random_, shares_;
  double allowed_ = 0;
  bool strict_ = false;                          ///< what overflows in the first alone is a difference
  bool tried_ = false;                           ///< many inputs, since the few did not run
  bool exhausted_ = false;                       ///< all inputs were run
  std::string not_compared_, unmet_, of_sizes_;  ///< unmet conditions that elements decide, that sizes do
  std::vector<SizesAndBounds> sets_;
  std::vector<Sizes> at_;
  CompareResult result_;
};

}  // namespace

namespace {

CompareResult compared(const std::string& a, const std::string& b, const CompareOptions& options,
                       const StopToken& stop) {
  require_not_negative("--tolerance", options.tolerance);
  require_not_negative("--time-limit", options.time_limit);
  is_strict(options);
  const std::array written = {NamedFile{"--witness", options.witness}};
  const std::array read = {NamedFile{"a", a}, NamedFile{"b", b}, NamedFile{"--inputs", options.inputs}};
  check_outputs(written, read);
  ir::Context ctx(ir::standard_ops());
  const Program left = load_program(ctx, a), right = load_program(ctx, b);
  if (!options.inputs.empty() && (left.envelope == nullptr || right.envelope == nullptr))
    throw UsageError("--inputs: only for ONNX models, which a runtime can run");
  check_inputs(options.inputs, std::array{&left, &right},
               Deadline(start_seconds(options), steady_clock(), stop));
  CompareResult result;
  if (std::string difference = interface_difference(left, right); !difference.empty()) {
    result = decided(std::move(result), Agreement::kDifferent);
    result.method = "by their interfaces";
    result.detail = std::move(difference);
    return result;
  }
  if (same_program(left, right)) {
    result = decided(std::move(result), Agreement::kProved);
    result.scope = kEverySize;
    result.method = "the same program: equal operators, attributes and constants";
    result.max_relative_error = 0;
    result.error_probability = 0;
    if (left.envelope == nullptr || right.envelope == nullptr) return result;
    try {
      return InTheRuntime(ctx, a, b, left, right, options, stop).run_the_same(result);
    } catch (const MissingRuntimeError&) {
      return result;
    }
  }
  if (left.envelope == nullptr || right.envelope == nullptr)
    return in_the_interpreter(ctx, a, b, left, right, {}, options, stop);
  return InTheRuntime(ctx, a, b, left, right, options, stop).run();
}

}  // namespace

CompareResult compare(const std::string& a, const std::string& b, const CompareOptions& options,
                      const StopToken& stop) {
  CompareResult result = compared(a, b, options, stop);
  if (!stop.requested() || result.verdict == Agreement::kDifferent) return result;
  // What was not asked any more may refute what was shown by then.
  result = decided(std::move(result), Agreement::kUndecided);
  result.interrupted = true;
  result.error_probability = std::numeric_limits<double>::quiet_NaN();
  if (result.inputs_tried == 0) result.max_relative_error = std::numeric_limits<double>::quiet_NaN();
  if (result.method.empty())
    result.method = result.inputs_tried == 0
                        ? "no inputs were tried"
                        : fmt::format("run on {} sets of inputs, with the same outputs", result.inputs_tried);
  result.detail = "interrupted: that is what was known by then" +
                  (result.detail.empty() ? ", and nothing told them apart" : "; " + result.detail);
  return result;
}

}  // namespace isomer::recipes
