#include "runtime/timing_statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "support/errors.h"

namespace isomer::runtime {
namespace {

// Largest k with 2 P(Binomial(n, 1/2) < k) <= 0.05; 0 when even k = 1 is too much (n < 6).
size_t order_statistic(size_t n) {
  double term = std::exp2(-static_cast<double>(n));  // P(B = 0)
  if (term == 0) {                                   // n > 1074: the normal approximation is exact enough
    const double k = (static_cast<double>(n) - 1.959964 * std::sqrt(static_cast<double>(n))) / 2;
    return static_cast<size_t>(k);
  }
  double below = 0;
  for (size_t k = 0; k < n; ++k) {
    below += term;  // P(B < k + 1)
    if (2 * below > 0.05) return k;
    term *= static_cast<double>(n - k) / static_cast<double>(k + 1);
  }
  return n / 2;
}

// One ratio a load: the median of its rounds.
std::vector<double> load_ratios(const std::vector<double>& original, const std::vector<double>& candidate,
                                const std::vector<int>& load) {
  std::map<int, std::vector<double>> by_load;
  for (size_t i = 0; i < original.size(); ++i)
    if (original[i] > 0 && candidate[i] > 0)
      by_load[load.empty() ? static_cast<int>(i) : load[i]].push_back(original[i] / candidate[i]);
  std::vector<double> out;
  for (const auto& [number, ratios] : by_load) out.push_back(median(ratios));
  return out;
}

/// A ratio a round.
std::vector<double> round_ratios(const std::vector<double>& original, const std::vector<double>& candidate) {
  return load_ratios(original, candidate, {});
}

MedianInterval interval_of(const std::vector<double>& ratios) {
  if (ratios.empty()) return {1, 0, std::numeric_limits<double>::infinity()};
  return median_interval(ratios);
}

/// Of few loads: the medians are theirs, the interval is that of the rounds, and wider.
MedianInterval widened(const std::vector<double>& of_loads, const std::vector<double>& of_rounds) {
  const MedianInterval rounds = interval_of(of_rounds);
  return {interval_of(of_loads).median, rounds.low * (1 - kLoadLuck), rounds.high * (1 + kLoadLuck)};
}

}  // namespace

double median(std::span<const double> values) {
  REQUIRE(!values.empty(), "the median of nothing was asked for");
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const size_t half = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

MedianInterval median_interval(std::span<const double> values) {
  MedianInterval out{median(values), 0, std::numeric_limits<double>::infinity()};
  const size_t k = order_statistic(values.size());
  if (k == 0) return out;
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  out.low = sorted[k - 1];
  out.high = sorted[sorted.size() - k];
  return out;
}

TargetSummary summarize(const Samples& samples) {
  REQUIRE(!samples.wall_ms.empty() && samples.cpu_ms.size() == samples.wall_ms.size(),
          "no samples, or not in pairs");
  return {*std::min_element(samples.wall_ms.begin(), samples.wall_ms.end()), median(samples.wall_ms),
          *std::min_element(samples.cpu_ms.begin(), samples.cpu_ms.end()), median(samples.cpu_ms)};
}

PairedTiming pair_up(const Samples& original, const Samples& candidate) {
  REQUIRE(original.wall_ms.size() == candidate.wall_ms.size(),
          "timings of different lengths cannot be paired");
  PairedTiming out;
  out.original = summarize(original);
  out.candidate = summarize(candidate);
  const std::vector<double> wall = load_ratios(original.wall_ms, candidate.wall_ms, original.load);
  const std::vector<double> cpu = load_ratios(original.cpu_ms, candidate.cpu_ms, original.load);
  out.loads = static_cast<int>(wall.size());
  out.widened = order_statistic(wall.size()) == 0;
  if (out.widened) {
    out.wall_ratio = widened(wall, round_ratios(original.wall_ms, candidate.wall_ms));
    out.cpu_ratio = widened(cpu, round_ratios(original.cpu_ms, candidate.cpu_ms));
  } else {
    out.wall_ratio = interval_of(wall);
    out.cpu_ratio = interval_of(cpu);
  }
  out.rounds = static_cast<int>(original.wall_ms.size());
  return out;
}

}  // namespace isomer::runtime
