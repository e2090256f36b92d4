#include "recipes/trial.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

#include "support/errors.h"

#include "recipes/agreement.h"

namespace isomer::recipes {
namespace {

constexpr uint64_t kLarge = uint64_t{1} << 30;
/// Weights of all models that are loaded at once; each holds them again in an order of its own.
constexpr uint64_t kMostTogether = 3 * kLarge;

}  // namespace

Trial::Trial(const TrialOptions& options, const StopToken& stop, ProgressSink& progress)
    : options_(options), stop_(stop), progress_(progress) {
  const runtime::RuntimeInfo info = runtime_.info();
  name_ = fmt::format("{} {}", info.runtime, info.version);
}

runtime::InputSpec Trial::inputs() const {
  runtime::InputSpec spec;
  spec.seed = options_.seed;
  spec.npz = options_.inputs_npz;
  spec.dims = options_.dims;
  spec.bounds = options_.bounds;
  return spec;
}

runtime::Wait Trial::wait(const std::string& phase, const StopToken& stop) {
  runtime::Wait w;
  w.timeout_seconds = 1200;
  w.stop = stop;
  w.progress = [this, phase](double fraction, const std::string& note) {
    Progress p;
    p.phase = phase;
    p.fraction = fraction;
    p.note = note;
    progress_.update(p);
  };
  return w;
}

runtime::TimingOptions Trial::timing(size_t models) const {
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
  return timing;
}

size_t Trial::fastest(const std::string& original, const std::vector<std::string>& candidates,
                      std::string& why) {
  REQUIRE(!candidates.empty(), "no candidates to choose from");
  if (candidates.size() == 1) return 0;
  runtime::TimingOptions timing = this->timing(candidates.size() + 1);
  timing.loads = 4;
  timing.max_rounds = std::min(options_.pairs, 24);
  timing.min_rounds = std::min(timing.max_rounds, timing.one_at_a_time ? 3 : 8);
  timing.max_seconds = 6;
  std::vector<std::string> all = {original};
  all.insert(all.end(), candidates.begin(), candidates.end());
  const auto samples = runtime_.time(all, timing, wait("screen", stop_));
  if (!samples) {
    failed_ |= samples.failure().kind != runtime::FailureKind::kStopped;
    why = fmt::format("not screened: the runtime {}: {}", runtime::to_string(samples.failure().kind),
                      samples.failure().message);
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
    }
  }
  return best;
}

bool Trial::faster(const std::string& original, const std::string& candidate, OptimizeResult& result,
                   std::string& why) {
  const auto outcome = runtime_.time_pair(original, candidate, timing(2), wait("measure", stop_));
  if (!outcome) {
    failed_ |= outcome.failure().kind != runtime::FailureKind::kStopped;
    why = fmt::format("not timed: the runtime {}: {}", runtime::to_string(outcome.failure().kind),
                      outcome.failure().message);
    return false;
  }
  const bool one_thread = options_.threads == 1;
  const runtime::MedianInterval& ratio = one_thread ? outcome->cpu_ratio : outcome->wall_ratio;
  result.latency_before_ms = one_thread ? outcome->original.median_cpu_ms : outcome->original.median_wall_ms;
  result.latency_after_ms = one_thread ? outcome->candidate.median_cpu_ms : outcome->candidate.median_wall_ms;
  result.speedup = ratio.median;
  result.speedup_low = ratio.low;
  result.speedup_high = ratio.high;
  why = fmt::format("{} {:.3f} (95 %: {:.3f} to {:.3f}) over {} interleaved pairs, {} time",
                    ratio.low > 1 ? "faster by a median of" : "the median speed-up is not surely above 1:",
                    ratio.median, ratio.low, ratio.high, outcome->rounds, one_thread ? "CPU" : "wall");
  return ratio.low > 1;
}

std::optional<std::string> Trial::refuses(const std::string& model) {
  runtime::TimingOptions once = timing(1);
  once.loads = once.min_rounds = once.max_rounds = once.warmups = 1;
  once.min_sample_ms = 0;
  const auto outcome = runtime_.time({model}, once, wait("measure", stop_));
  if (outcome || outcome.failure().kind == runtime::FailureKind::kStopped ||
      outcome.failure().kind == runtime::FailureKind::kTimedOut)
    return std::nullopt;
  return outcome.failure().kind == runtime::FailureKind::kCrashed ? "it crashed: " + outcome.failure().message
                                                                  : outcome.failure().message;
}

bool Trial::failed() { return std::exchange(failed_, false); }

Trial::Agreement Trial::compare(const std::string& original, const std::string& candidate,
                                OptimizeResult& result, std::string& how) {
  runtime::LoadOptions load;
  load.threads = 0;
  load.optimisation = "basic";
  const int samples = options_.weight_bytes > kLarge ? 1 : 2;
  runtime::CompareExtras extras;
  extras.choices = options_.choices;
  const auto outcome =
      runtime_.compare(original, candidate, inputs(), samples, load, wait("verify", StopToken()), extras);
  if (!outcome) {
    how = fmt::format("the runtime {}: {}", runtime::to_string(outcome.failure().kind),
                      outcome.failure().message);
    if (outcome.failure().kind != runtime::FailureKind::kRefused) return Agreement::kDiffer;
    if (how.find(candidate) == std::string::npos) return Agreement::kCannotRun;
    const auto loaded = runtime_.load(candidate, load, wait("verify", StopToken()));
    if (!loaded) how = loaded.failure().message;
    if (loaded) runtime_.unload(*loaded);
    return loaded ? Agreement::kDiffer : Agreement::kRefused;
  }
  runtime::Comparison seen = without_values(*outcome, options_.random);
  if (!seen.agrees(options_.tolerance)) {
    // Operators that nothing is known of may draw random numbers as well: what the original alone does not
    // repeat is no difference.
    const auto again =
        runtime_.compare(original, original, inputs(), samples, load, wait("verify", StopToken()), extras);
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
