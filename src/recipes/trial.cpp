#include "recipes/trial.h"

#include <fmt/format.h>

#include "support/errors.h"

#include "recipes/agreement.h"
#include "recipes/dims.h"

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

Trial::Agreement Trial::compare(const std::string& original, const std::string& candidate,
                                OptimizeResult& result, std::string& how) {
  const int samples = options_.weight_bytes > kLarge ? 1 : 2;
  const Agreement first = compare_on(inputs(), samples, original, candidate, result, how);
  if (first != Agreement::kAgree || options_.other_dims.empty()) return first;
  runtime::InputSpec others = inputs();
  others.dims = options_.other_dims;
  others.bounds = options_.other_bounds;
  const double error = result.max_relative_error;
  std::string there;
  const Agreement second = compare_on(others, 1, original, candidate, result, there);
  result.max_relative_error = std::max(error, result.max_relative_error);
  how += fmt::format("; at {}: {}", to_text(options_.other_dims), there);
  return second;
}

Trial::Agreement Trial::compare_on(const runtime::InputSpec& inputs, int samples, const std::string& original,
                                   const std::string& candidate, OptimizeResult& result, std::string& how) {
  runtime::LoadOptions load;
  load.threads = 0;
  load.optimisation = "basic";
  runtime::CompareExtras extras;
  extras.choices = options_.choices;
  const auto outcome =
      runtime_.compare(original, candidate, inputs, samples, load, wait("verify", StopToken()), extras);
  if (!outcome) {
    how = fmt::format("the runtime {}: {}", runtime::to_string(outcome.failure().kind),
                      outcome.failure().message);
    return outcome.failure().kind == runtime::FailureKind::kRefused &&
                   how.find(candidate) == std::string::npos
               ? Agreement::kCannotRun
               : Agreement::kDiffer;
  }
  result.max_relative_error = outcome->max_relative_error();
  if (outcome->agrees(options_.tolerance)) {
    how = outcome->bit_equal()
              ? fmt::format("outputs bit-equal in {} on {} sets of inputs", name_, outcome->samples)
              : fmt::format(
                    "outputs agree in {} on {} sets of inputs, largest error {:.2g} of the largest element",
                    name_, outcome->samples, result.max_relative_error);
    return Agreement::kAgree;
  }
  how = "outputs differ:\n" + describe_differences(*outcome, options_.tolerance);
  return Agreement::kDiffer;
}

}  // namespace isomer::recipes
