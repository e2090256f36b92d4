#include "recipes/kernel_trials.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <set>

#include "support/rng.h"

namespace isomer::recipes {
namespace {

struct Priced {
  double seconds = 0;
  const mugraph::MuGraph* graph = nullptr;
  bool first = false;  ///< of its structure
  size_t index = 0;
  double estimated = std::numeric_limits<double>::infinity();  ///< of its loops
};

/// All schedules, the cheapest first.
std::vector<Priced> priced(const mugraph::SearchResult& found) {
  std::vector<Priced> all;
  for (const mugraph::FoundMuGraph& f : found.found)
    for (size_t i = 0; i < f.schedules.size(); ++i) all.push_back({f.costs[i], &f.schedules[i], i == 0, 0});
  std::ranges::stable_sort(all, {}, &Priced::seconds);
  for (size_t i = 0; i < all.size(); ++i) all[i].index = i;
  return all;
}

/// So many of them, each as likely as any other; in their order.
std::vector<Priced> drawn(const mugraph::SearchResult& found, size_t most, uint64_t seed) {
  std::vector<Priced> out = priced(found);
  Rng rng(seed);
  while (out.size() > most) out.erase(out.begin() + static_cast<std::ptrdiff_t>(rng.below(out.size())));
  return out;
}

/// The cheapest of all, and the cheapest of each structure.
std::vector<Priced> chosen(const mugraph::SearchResult& found, size_t most) {
  const std::vector<Priced> all = priced(found);
  std::vector<Priced> firsts;
  std::ranges::copy_if(all, std::back_inserter(firsts), &Priced::first);
  std::vector<Priced> out;
  std::set<const mugraph::MuGraph*> taken;
  const auto take = [&](const std::vector<Priced>& from, size_t up_to) {
    for (const Priced& p : from)
      if (out.size() < up_to && taken.insert(p.graph).second) out.push_back(p);
  };
  take(all, most / 2);
  take(firsts, most);
  take(all, most);
  std::ranges::stable_sort(out, {}, &Priced::index);
  return out;
}

/// Those with the least estimate, or those that are drawn, the least estimate first.
std::vector<Priced> by_estimate(const mugraph::SearchResult& found, const KernelTrialOptions& options,
                                const std::function<double(const mugraph::MuGraph&)>& estimated) {
  std::vector<Priced> all = options.drawn ? drawn(found, options.most, options.seed)
                                          : chosen(found, std::max(options.looked_at, options.most));
  for (Priced& p : all) {
    if (options.watch != nullptr && options.watch->check_now() != StopReason::kRunning) break;
    p.estimated = estimated(*p.graph);
  }
  std::ranges::stable_sort(all, {}, &Priced::estimated);
  if (all.size() > options.most) all.resize(options.most);
  return all;
}

/// Gives each that runs its least time of all rounds.
void time_all(CompiledRace& race, const std::vector<size_t>& numbers, int rounds,
              std::vector<TriedKernel>& tried) {
  for (const std::vector<double>& times : race.rounds(numbers, rounds))
    for (size_t i = 0; i < tried.size(); ++i)
      if (times[i] > 0) tried[i].run.run_seconds = std::min(tried[i].run.run_seconds, times[i]);
}

std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::stable_sort(order, {}, [&](size_t i) { return values[i]; });
  std::vector<double> out(values.size());
  for (size_t i = 0; i < order.size();) {
    size_t j = i;
    while (j < order.size() && values[order[j]] == values[order[i]]) ++j;
    for (size_t k = i; k < j; ++k) out[order[k]] = static_cast<double>(i + j - 1) / 2;
    i = j;
  }
  return out;
}

}  // namespace

double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 3) return std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> x = ranks(a), y = ranks(b);
  const double mean = static_cast<double>(a.size() - 1) / 2;
  double xy = 0, xx = 0, yy = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xy / std::sqrt(xx * yy);
}

KernelTrials try_kernels(const ir::Graph& plain,
                         const std::function<ir::Graph(const mugraph::MuGraph&)>& stated,
                         const mugraph::SearchResult& found, const KernelTrialOptions& options) {
  const Example example = example_of(plain, options.seed);
  CompiledRace race(example, options.race);
  const size_t itself = race.enter(plain);
  KernelTrials out;
  const std::vector<Priced> all =
      by_estimate(found, options, [&](const mugraph::MuGraph& m) { return race.estimated(stated(m)); });
  std::vector<size_t> numbers;
  for (const Priced& p : all) {
    if (options.watch != nullptr && options.watch->check_now() != StopReason::kRunning) break;
    numbers.push_back(race.enter(stated(*p.graph)));
    out.tried.push_back({p.graph, p.index, p.seconds, p.estimated, race.runner(numbers.back())});
    if (options.progress) options.progress(out.tried.size(), all.size());
  }
  out.plain = race.runner(itself);
  if (options.drawn) time_all(race, numbers, options.rounds, out.tried);
  std::vector<size_t> order;  // of those that run, the fastest first
  std::vector<double> estimated, measured;
  for (size_t i = 0; i < out.tried.size(); ++i) {
    if (!out.tried[i].run.failure.empty()) continue;
    order.push_back(i);
    estimated.push_back(out.tried[i].estimated);
    measured.push_back(out.tried[i].run.run_seconds);
  }
  out.rank_correlation = rank_correlation(estimated, measured);
  std::ranges::stable_sort(order, {}, [&](size_t i) { return out.tried[i].run.run_seconds; });
  for (size_t k = static_cast<size_t>(options.finalists); k < order.size(); ++k) race.drop(numbers[order[k]]);
  if (order.size() > static_cast<size_t>(options.finalists))
    order.resize(static_cast<size_t>(options.finalists));
  if (order.empty() || !out.plain.failure.empty()) {
    if (!order.empty()) out.best = order[0];
    return out;
  }
  // Chosen in some rounds, and measured in others: the fastest of several was lucky, too.
  std::vector<size_t> contestants = {itself};
  for (const size_t i : order) contestants.push_back(numbers[i]);
  const auto rounds = race.rounds(contestants, (options.rounds + 1) / 2);
  size_t best = 0;
  for (size_t k = 1; k < order.size(); ++k)
    if (ratio_of(rounds, 0, k + 1).median > ratio_of(rounds, 0, best + 1).median) best = k;
  const size_t both[] = {itself, numbers[order[best]]};
  out.best = order[best];
  out.gain = ratio_of(race.rounds(both, options.rounds), 0, 1);
  return out;
}

KernelTrials estimate_kernels(const ir::Graph& plain,
                              const std::function<ir::Graph(const mugraph::MuGraph&)>& stated,
                              const mugraph::SearchResult& found, const KernelTrialOptions& options) {
  const auto seconds = [&](const ir::Graph& graph) { return estimated_seconds(graph, options.race.gpu); };
  KernelTrials out;
  out.plain.run_seconds = seconds(plain);
  out.rank_correlation = std::numeric_limits<double>::quiet_NaN();
  for (const Priced& p :
       by_estimate(found, options, [&](const mugraph::MuGraph& m) { return seconds(stated(m)); })) {
    if (!std::isfinite(p.estimated)) break;
    TriedKernel& tried = out.tried.emplace_back();
    tried = {p.graph, p.index, p.seconds, p.estimated, {}};
    tried.run.run_seconds = p.estimated;
  }
  if (out.tried.empty()) return out;
  out.best = 0;
  const double gain = out.plain.run_seconds / out.tried[0].estimated;
  out.gain = {gain, gain, gain};
  return out;
}

}  // namespace isomer::recipes
