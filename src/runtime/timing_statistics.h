// What paired timings say: medians, and how sure one can be of them, without assuming any distribution.
#pragma once

#include <span>
#include <vector>

namespace isomer::runtime {

/// Times of one target, sample by sample, milliseconds. Sample i belongs to the same round for every target
/// of a request. Within one load of the models the samples share the luck of memory layout
/// (workers/timing.py).
struct Samples {
  std::vector<double> wall_ms;
  std::vector<double> cpu_ms;  ///< CPU time of the whole worker process
  std::vector<int> load;       ///< which load of the models each sample is from; empty: all independent
};

/// A median with its two-sided 95 % confidence interval.
struct MedianInterval {
  double median = 1;
  double low = 0;  ///< 0 and infinity where there are too few values (under 6) for 95 %
  double high = 0;
};

/// Median of `values`; the mean of the middle two for an even number. REQUIREs at least one.
double median(std::span<const double> values);
/// Order-statistics interval (the sign test turned round): [x(k), x(n+1-k)] with the largest k for which
/// 2 P(Binomial(n, 1/2) < k) <= 0.05. Holds for any continuous distribution.
MedianInterval median_interval(std::span<const double> values);

/// A gain that is worth telling from none: more loads settle none that is smaller (workers/timing.py).
inline constexpr double kClearGain = 1.01;
/// Milliseconds of a run of which few can be timed.
inline constexpr double kSlowMs = 200;

struct TargetSummary {
  double min_wall_ms = 0, median_wall_ms = 0, min_cpu_ms = 0, median_cpu_ms = 0;
};
TargetSummary summarize(const Samples& samples);

/// Original against candidate, round by round. Ratios are original / candidate: above 1 the candidate is
/// faster.
struct PairedTiming {
  MedianInterval wall_ratio;
  MedianInterval cpu_ratio;
  TargetSummary original;
  TargetSummary candidate;
  int rounds = 0;
  int loads = 0;         ///< independent pieces of evidence
  bool widened = false;  ///< the intervals are those of rounds, made wider (below)
  bool faster() const { return wall_ratio.low > 1; }
};
/// What the luck of a load may make of a ratio, either way: it is about a per cent (workers/timing.py).
inline constexpr double kLoadLuck = 0.05;

/// REQUIREs equal numbers of samples, at least one. Rounds in which either time is 0 are left out of the
/// ratios. Each load counts once, with the median of its rounds' ratios. Where a timing was ended before it
/// had the six loads that make an interval, the interval is that of its rounds, both ends moved outwards by
/// kLoadLuck; under six rounds it says nothing.
PairedTiming pair_up(const Samples& original, const Samples& candidate);

}  // namespace isomer::runtime
