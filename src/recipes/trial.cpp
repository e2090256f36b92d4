#include "recipes/trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "recipes/agreement.h"
#include "recipes/dims.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

/// Weights of all models that are loaded at once; each holds them again in an order of its own.
constexpr uint64_t kMostTogether = 3 * kVeryLarge;
/// Seconds, where no deadline is sooner.
constexpr double kLongestStart = 120, kLongest = 1200;
/// Of screening: of the time for measuring, and in seconds.
constexpr double kScreenShare = 0.3, kScreenSeconds = 6;
/// Of the time for a timing: when no further load is begun, and when the worker comes to its own end.
constexpr double kRegularShare = 0.75, kOwnEndShare = 0.9;

std::string words(const runtime::Failure& failure) {
  return fmt::format("the runtime {}: {}", runtime::to_string(failure.kind), failure.message);
}
/// By the deadline or the stop, not by the runtime's own fault.
bool ended_early(const runtime::Failure& failure) {
  return failure.kind == runtime::FailureKind::kStopped || failure.kind == runtime::FailureKind::kTimedOut;
}
/// Why there is nothing, or less than there would be.
std::string cut(const Deadline& until) {
  return until.reason() == StopReason::kInterrupted ? "interrupted" : "no time was left";
}

}  // namespace

Trial::Trial(const TrialOptions& options, const Deadline& until, ProgressSink& progress)
    : options_(options), progress_(progress), name_("onnxruntime") {
  const auto info = runtime_.hello(runtime::wait_until(until, kLongestStart));
  if (info) name_ = fmt::format("{} {}", info->runtime, info->version);
}

runtime::InputSpec Trial::inputs() const {
  runtime::InputSpec spec;
  spec.seed = options_.seed;
  spec.npz = options_.inputs_npz;
  spec.dims = options_.dims;
  spec.bounds = options_.bounds;
  return spec;
}

runtime::Wait Trial::wait(const std::string& phase, const Deadline& until) {
  runtime::Wait w = runtime::wait_until(until, kLongest);
  w.progress = [this, phase](double fraction, const std::string& note) {
    Progress p;
    p.phase = phase;
    p.fraction = fraction;
    p.note = note;
    progress_.update(p);
  };
  return w;
}

runtime::TimingOptions Trial::timing(size_t models, const Deadline& until) const {
  runtime::TimingOptions timing;
  timing.load.threads = options_.threads;
  timing.inputs = inputs();
  timing.max_rounds = options_.pairs;
  timing.min_rounds = std::min(options_.pairs, 20);
  timing.max_seconds = 20;
  timing.seed = options_.seed;
  if (options_.weight_bytes * models > kMostTogether) {
    timing.one_at_a_time = true;
    timing.min_rounds = std::min(options_.pairs, 12);
    timing.max_seconds = 60;  // most of it is loading, and six loads alone say little
    timing.warmups = 1;
  }
  timing.deadline_seconds = kOwnEndShare * until.remaining();
  timing.max_seconds = std::min(timing.max_seconds, kRegularShare * until.remaining());
  return timing;
}

size_t Trial::fastest(const std::string& original, const std::vector<std::string>& candidates,
                      const Deadline& until, std::string& why) {
  REQUIRE(!candidates.empty(), "no candidates to choose from");
  screened_.reset();
  if (candidates.size() == 1 || until.passed()) return 0;
  const Deadline short_round = until.part(kScreenShare);
  runtime::TimingOptions timing = this->timing(candidates.size() + 1, short_round);
  timing.loads = 4;
  timing.max_rounds = std::min(options_.pairs, 24);
  timing.min_rounds = std::min(timing.max_rounds, timing.one_at_a_time ? 3 : 8);
  timing.max_seconds = std::min(timing.max_seconds, kScreenSeconds);
  std::vector<std::string> all = {original};
  all.insert(all.end(), candidates.begin(), candidates.end());
  const auto samples = runtime_.time(all, timing, wait("screen", short_round));
  if (!samples) {
    failed_ |= !ended_early(samples.failure());
    why = "not screened: " + words(samples.failure());
    return 0;
  }
  size_t best = 0;
  double most = 0;
  for (size_t i = 0; i < candidates.size(); ++i) {
    const runtime::PairedTiming pair = runtime::pair_up((*samples)[0], (*samples)[i + 1]);
    const double ratio = options_.threads == 1 ? pair.cpu_ratio.median : pair.wall_ratio.median;
    why += fmt::format("{}{:.3f}", i ? ", " : "", ratio);
    if (ratio > most) {
      most = ratio;
      best = i;
      screened_ = pair;
    }
  }
  return best;
}

bool Trial::faster(const std::string& original, const std::string& candidate, const Deadline& until,
                   OptimizeResult& result, std::string& why) {
  if (!until.passed()) {
    const auto outcome = runtime_.time_pair(original, candidate, timing(2, until), wait("measure", until));
    if (outcome) return decide(*outcome, until, result, why);
    if (!ended_early(outcome.failure())) {
      failed_ = true;
      why = "not timed: " + words(outcome.failure());
      return false;
    }
  }
  if (screened_) return decide(*screened_, until, result, why);
  why = fmt::format("not timed: {} before a pair of runs came to its end", cut(until));
  return false;
}

bool Trial::decide(const runtime::PairedTiming& timing, const Deadline& until, OptimizeResult& result,
                   std::string& why) const {
  const bool one_thread = options_.threads == 1;
  const runtime::MedianInterval& ratio = one_thread ? timing.cpu_ratio : timing.wall_ratio;
  const std::string ended = until.reason() == StopReason::kInterrupted ? "interrupted: " : "";
  if (!std::isfinite(ratio.high)) {
    why = fmt::format("{}{} pairs of runs are too few to say which is faster", ended, timing.rounds);
    return false;
  }
  result.latency_before_ms = one_thread ? timing.original.median_cpu_ms : timing.original.median_wall_ms;
  result.latency_after_ms = one_thread ? timing.candidate.median_cpu_ms : timing.candidate.median_wall_ms;
  result.speedup = ratio.median;
  result.speedup_low = ratio.low;
  result.speedup_high = ratio.high;
  why = fmt::format(
      "{}{} {:.3f} (95 %: {:.3f} to {:.3f}) over {} interleaved pairs{}, {} time", ended,
      ratio.low > 1 ? "faster by a median of" : "the median speed-up is not surely above 1:", ratio.median,
      ratio.low, ratio.high, timing.rounds,
      timing.widened ? fmt::format(" in no more than {} loads (so the interval is wider by {:.0f} %)",
                                   timing.loads, 100 * runtime::kLoadLuck)
                     : "",
      one_thread ? "CPU" : "wall");
  return ratio.low > 1;
}

std::optional<std::string> Trial::refuses(const std::string& model, const Deadline& until) {
  runtime::TimingOptions once = timing(1, until);
  once.loads = once.min_rounds = once.max_rounds = once.warmups = 1;
  once.min_sample_ms = 0;
  const auto outcome = runtime_.time({model}, once, wait("measure", until));
  if (outcome || ended_early(outcome.failure())) return std::nullopt;
  return outcome.failure().kind == runtime::FailureKind::kCrashed ? "it crashed: " + outcome.failure().message
                                                                  : outcome.failure().message;
}

bool Trial::failed() { return std::exchange(failed_, false); }

Trial::Agreement Trial::compare(const std::string& original, const std::string& candidate,
                                const Deadline& until, OptimizeResult& result, std::string& how) {
  const int samples = options_.weight_bytes > kVeryLarge ? 1 : 2;
  const Agreement first = compare_on(inputs(), samples, original, candidate, until, result, how);
  if (first != Agreement::kAgree || options_.sizes.empty() || options_.sizes[0].empty()) return first;
  result.verified_sizes = {options_.sizes[0]};
  if (options_.sizes.size() < 2) return first;
  runtime::InputSpec others = inputs();
  others.dims = options_.other_dims;
  others.bounds = options_.other_bounds;
  const double error = result.max_relative_error;
  std::string there;
  const Agreement second = compare_on(others, 1, original, candidate, until, result, there);
  result.max_relative_error = std::max(error, result.max_relative_error);
  how += fmt::format("; at {}: {}", to_text(options_.sizes[1]), there);
  if (second == Agreement::kAgree) result.verified_sizes.push_back(options_.sizes[1]);
  const bool seen = second != Agreement::kNoTime && second != Agreement::kCannotRun;
  return seen ? second : first;  // else shown at the first ones only, as is said
}

Trial::Agreement Trial::compare_on(const runtime::InputSpec& inputs, int samples, const std::string& original,
                                   const std::string& candidate, const Deadline& until,
                                   OptimizeResult& result, std::string& how) {
  const Deadline heedless = until.with(StopToken());
  if (heedless.passed()) {
    how = "no time was left for it";
    return Agreement::kNoTime;
  }
  runtime::LoadOptions load;
  load.threads = 0;
  load.optimisation = "basic";
  runtime::CompareExtras extras;
  extras.choices = options_.choices;
  const auto outcome =
      runtime_.compare(original, candidate, inputs, samples, load, wait("verify", heedless), extras);
  if (!outcome) {
    how = words(outcome.failure());
    if (ended_early(outcome.failure())) return Agreement::kNoTime;
    if (outcome.failure().kind != runtime::FailureKind::kRefused) {
      // Which of the two took the runtime down?
      const auto alone =
          runtime_.compare(original, original, inputs, 1, load, wait("verify", heedless), extras);
      if (alone) return Agreement::kDiffer;
      return ended_early(alone.failure()) ? Agreement::kNoTime : Agreement::kCannotRun;
    }
    if (how.find(candidate) == std::string::npos) return Agreement::kCannotRun;
    const auto loaded = runtime_.load(candidate, load, wait("verify", heedless));
    if (!loaded && ended_early(loaded.failure())) return Agreement::kNoTime;
    if (!loaded) how = loaded.failure().message;
    if (loaded) runtime_.unload(*loaded);
    return loaded ? Agreement::kDiffer : Agreement::kRefused;
  }
  runtime::Comparison seen = without_values(*outcome, options_.random);
  if (!seen.agrees(options_.tolerance)) {
    // Operators that nothing is known of may draw random numbers as well: what the original alone does not
    // repeat is no difference.
    const auto again =
        runtime_.compare(original, original, inputs, samples, load, wait("verify", heedless), extras);
    if (!again && ended_early(again.failure())) {
      how = "no time was left to see whether the input model repeats itself";
      return Agreement::kNoTime;
    }
    if (again) unrepeated_.merge(disagreeing(without_values(*again, options_.random), options_.tolerance));
    seen = without_values(std::move(seen), unrepeated_);
  }
  const std::vector<std::string> random = names_of(seen, options_.random),
                                 other = names_of(seen, unrepeated_);
  result.not_compared = random;
  result.not_compared.insert(result.not_compared.end(), other.begin(), other.end());
  result.max_relative_error = seen.max_relative_error();
  if (seen.agrees(options_.tolerance)) {
    how = say_not_compared(random, other);
    if (!how.empty() && result.not_compared.size() == seen.outputs.size()) {
      result.max_relative_error = std::numeric_limits<double>::quiet_NaN();
      return Agreement::kAgree;
    }
    how += how.empty() ? "outputs " : "; the other outputs ";
    how += seen.bit_equal()
               ? fmt::format("bit-equal in {} on {} sets of inputs", name_, outcome->samples)
               : fmt::format("agree in {} on {} sets of inputs, largest error {:.2g} of the largest element",
                             name_, outcome->samples, result.max_relative_error);
    return Agreement::kAgree;
  }
  how = "outputs differ:\n" + describe_differences(seen, options_.tolerance);
  return Agreement::kDiffer;
}

}  // namespace isomer::recipes
