#include "recipes/hlo_noise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "hlo/print.h"
#include "hlo/verify.h"
#include "runtime/xla.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

constexpr double kShare = 0.999;
constexpr double kNormalQuantile = 3.2905;  // of kShare

/// Linear between the two nearest; `sorted` is.
double quantile(const std::vector<double>& sorted, double share) {
  const double at = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(at);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// The largest share c with P(at least c of all lies between least and largest) >= 95 %: 1 - n c^(n-1) +
/// (n-1) c^n.
double tolerance_share(size_t count) {
  const auto n = static_cast<double>(count);
  double low = 0, high = 1;
  for (int i = 0; i < 60; ++i) {
    const double c = (low + high) / 2;
    const double confidence = 1 - n * std::pow(c, n - 1) + (n - 1) * std::pow(c, n);
    (confidence >= 0.95 ? low : high) = c;
  }
  return count < 2 ? 0 : low;
}

}  // namespace

NoiseSummary noise_of(std::vector<double> ratios) {
  REQUIRE(!ratios.empty(), "expected at least one ratio");
  std::ranges::sort(ratios);
  NoiseSummary out;
  out.ratios = ratios.size();
  out.least = ratios.front();
  out.largest = ratios.back();
  out.median = quantile(ratios, 0.5);
  out.p1 = quantile(ratios, 0.01);
  out.p99 = quantile(ratios, 0.99);
  out.observed = ratios.size() >= kEnoughRatios;
  out.low = out.observed ? quantile(ratios, (1 - kShare) / 2) : out.least;
  out.high = out.observed ? quantile(ratios, (1 + kShare) / 2) : out.largest;
  double sum = 0, squares = 0;
  for (const double r : ratios) {
    sum += std::log(r);
    squares += std::log(r) * std::log(r);
  }
  const auto n = static_cast<double>(ratios.size());
  const double mean = sum / n, spread = std::sqrt(std::max(0.0, squares / n - mean * mean));
  out.normal_low = std::exp(mean - kNormalQuantile * spread);
  out.normal_high = std::exp(mean + kNormalQuantile * spread);
  out.covered = tolerance_share(ratios.size());
  return out;
}

HloNoise hlo_noise(const hlo::Module& module, const HloNoiseOptions& options) {
  hlo::require_contents(module);
  const std::string text = hlo::print(module, hlo::Dialect::kShort);
  const double end = wall_seconds() + options.time_limit;
  HloNoise out;
  for (int load = 0; load < options.loads; ++load) {
    const double left = end - wall_seconds();
    if (!out.ratios.empty() && (left <= 0 || options.stop.requested())) break;
    const int wanted = options.ratios * (load + 1) / options.loads - options.ratios * load / options.loads;
    if (wanted == 0) continue;
    options.progress->update({.phase = "time it against itself",
                              .fraction = static_cast<double>(load) / options.loads,
                              .seconds_left = std::max(0.0, left),
                              .note = fmt::format("{} ratios", out.ratios.size())});
    runtime::XlaOptions limits;
    limits.threads = options.threads;
    limits.rounds = wanted * options.rounds;
    limits.seconds = std::max(1.0, left / (options.loads - load));
    limits.seed = options.seed;
    limits.stop = options.stop;
    const auto ran = runtime::Xla().race({text, text}, limits);
    if (options.stop.requested() && !(ran[0].ran() && ran[1].ran())) break;
    if (!ran[0].ran() || !ran[1].ran())
      throw InputError("XLA does not run the module: " + (ran[0].ran() ? ran[1] : ran[0]).error);
    const std::vector<double>&a = ran[0].samples.wall_ms, &b = ran[1].samples.wall_ms;
    const auto size = static_cast<std::ptrdiff_t>(options.rounds);
    for (std::ptrdiff_t at = 0; at + size <= static_cast<std::ptrdiff_t>(std::min(a.size(), b.size()));
         at += size)
      out.ratios.push_back(*std::min_element(a.begin() + at, a.begin() + at + size) /
                           *std::min_element(b.begin() + at, b.begin() + at + size));
    out.runtime_us =
        out.runtime_us == 0 ? ran[0].asynchronous_us : std::min(out.runtime_us, ran[0].asynchronous_us);
  }
  if (out.ratios.empty() && !options.stop.requested())
    throw InputError(fmt::format("no time for a ratio of {} calls each within {:.3g} s", options.rounds,
                                 options.time_limit));
  return out;
}

}  // namespace isomer::recipes
