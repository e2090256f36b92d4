#include "recipes/hlo_confirm.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isomer::recipes {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

void add_load(runtime::Samples& to, const runtime::Samples& from, int load) {
  to.wall_ms.insert(to.wall_ms.end(), from.wall_ms.begin(), from.wall_ms.end());
  to.cpu_ms.insert(to.cpu_ms.end(), from.cpu_ms.begin(), from.cpu_ms.end());
  to.load.insert(to.load.end(), from.wall_ms.size(), load);
}

}  // namespace

HloCalls call_in_turn(size_t modules, runtime::XlaOptions options, const Deadline& end, const HloRace& race) {
  constexpr double kLeastOfAll = 1;
  const uint64_t seed = options.seed;
  const double most = options.seconds;
  options.rounds = kHloEvaluations / kHloLoads;
  HloCalls out{std::vector<runtime::Samples>(modules), std::vector<double>(modules)};
  for (int load = 0; load < kHloLoads && !end.passed(); ++load) {
    options.seconds = std::min(most, std::max(kLeastOfAll, end.remaining()) / (kHloLoads - load));
    options.seed = seed + static_cast<uint64_t>(load);
    const std::vector<runtime::XlaProgram> ran = race(load, options);
    if (!ran[0].ran() && end.passed()) break;
    for (size_t i = 0; i < modules; ++i) {
      const bool is_known = ran[i].ran() && ran[i].difference;
      out.differences[i] = std::max(out.differences[i], is_known ? *ran[i].difference : kInfinite);
      add_load(out.samples[i], ran[i].samples, load);
    }
    if (std::ranges::count_if(out.differences, [](double d) { return std::isfinite(d); }) < 2) return out;
    out.evaluations += static_cast<int>(ran[0].samples.wall_ms.size());
  }
  // A load that ran out of its share of the time has fewer calls, too.
  if (out.evaluations < kHloEvaluations)
    out.stop_reason = end.stop().requested() ? StopReason::kInterrupted : StopReason::kTimeLimit;
  return out;
}

std::vector<std::optional<runtime::MedianInterval>> speedups(const HloCalls& calls, size_t reference,
                                                             double tolerance) {
  std::vector<std::optional<runtime::MedianInterval>> out(calls.samples.size());
  const auto counts = [&](size_t i) { return calls.evaluations > 0 && calls.differences[i] <= tolerance; };
  for (size_t i = 0; i < out.size(); ++i)
    if (counts(i) && counts(reference))
      out[i] = runtime::pair_up(calls.samples[reference], calls.samples[i]).wall_ratio;
  return out;
}

size_t surely_fastest(const HloCalls& calls, size_t reference, double tolerance) {
  if (calls.evaluations < kHloEvaluations) return reference;
  size_t best = reference;
  double low = 1;
  const auto all = speedups(calls, reference, tolerance);
  for (size_t i = 0; i < all.size(); ++i)
    if (i != reference && all[i] && all[i]->low > low) {
      best = i;
      low = all[i]->low;
    }
  return best;
}

}  // namespace isomer::recipes
