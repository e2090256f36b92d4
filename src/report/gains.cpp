#include "report/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

namespace isomer::report {
namespace {

/// Of all that was saved; what some groups cost more counts against it.
double share(const Gain& gain, double all) { return gain.saved / all; }

std::string counted(const Gain& gain) {
  return fmt::format("{} step{}", gain.steps, gain.steps == 1 ? "" : "s");
}

}  // namespace

std::vector<Gain> gains(const std::vector<RewriteEntry>& chain, double cost_before) {
  std::vector<Gain> out;
  std::map<std::string, size_t> index;
  double before = cost_before;
  for (const RewriteEntry& step : chain) {
    const std::string what = step.aim.empty() ? "the rule " + step.rule + " is applied" : step.aim;
    const auto [at, fresh] = index.try_emplace(what, out.size());
    if (fresh) out.emplace_back().what = what;
    Gain& gain = out[at->second];
    ++gain.steps;
    gain.saved += before - step.cost;
    if (std::ranges::find(gain.rules, step.rule) == gain.rules.end()) gain.rules.push_back(step.rule);
    before = step.cost;
  }
  std::ranges::stable_sort(out, [](const Gain& a, const Gain& b) {
    if (std::isnan(a.saved) || std::isnan(b.saved)) return !std::isnan(a.saved) && std::isnan(b.saved);
    return a.saved > b.saved;
  });
  return out;
}

std::string why(const std::vector<Gain>& gains) {
  if (gains.empty()) return {};
  double all = 0;
  for (const Gain& g : gains) all += g.saved;
  std::string first = gains.front().what;
  first[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(first[0])));
  if (!(all > 0)) return fmt::format("{} ({})", first, counted(gains.front()));
  constexpr double kAlsoNamed = 0.2;
  std::string out = fmt::format("{} ({}; {:.0f} % of what was saved)", first, counted(gains.front()),
                                100 * share(gains.front(), all));
  if (gains.size() > 1 && share(gains[1], all) >= kAlsoNamed)
    out += fmt::format("; {} ({}; {:.0f} %)", gains[1].what, counted(gains[1]), 100 * share(gains[1], all));
  return out;
}

OptimizeResult with_gains(OptimizeResult result, const RunRecord& record) {
  result.gains = gains(record.chain, result.cost_before);
  result.why = why(result.gains);
  return result;
}

}  // namespace isomer::report
