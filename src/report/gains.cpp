#include "report/gains.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <utility>

namespace isomer::report {
namespace {

/// "25 % higher"; from twice on "2.3 times as high".
std::string rise(double share) {
  const auto digits = [](double v) { return v < 9.95 ? fmt::format("{:.2g}", v) : fmt::format("{:.0f}", v); };
  return share < 1 ? digits(100 * share) + " % higher" : digits(1 + share) + " times as high";
}

/// "9 steps; without them the cost would be 25 % higher".
std::string worth(const Gain& gain, double cost) {
  std::string out = fmt::format("{} step{}", gain.steps, gain.steps == 1 ? "" : "s");
  constexpr double kNothing = 5e-4;
  if (gain.saved > kNothing * cost)
    out += fmt::format("; without {} the cost would be {}", gain.steps == 1 ? "it" : "them",
                       rise(gain.saved / cost));
  return out;
}

std::string sentence(std::string text) {
  text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
  return text;
}

}  // namespace

std::vector<Gain> gains(const RunRecord& record) {
  std::vector<Gain> out;
  std::map<std::string, size_t> index;
  for (const RewriteEntry& step : record.chain) {
    const auto [at, fresh] = index.try_emplace(step.aim, out.size());
    if (fresh) {
      const auto saved = record.numbers.find("saved: " + step.aim);
      out.emplace_back().what = step.aim;
      out.back().saved = saved == record.numbers.end() ? kNotDetermined : saved->second;
    }
    Gain& gain = out[at->second];
    ++gain.steps;
    if (std::ranges::find(gain.rules, step.rule) == gain.rules.end()) gain.rules.push_back(step.rule);
  }
  std::ranges::stable_sort(out, [](const Gain& a, const Gain& b) {
    if (std::isnan(a.saved) || std::isnan(b.saved)) return !std::isnan(a.saved) && std::isnan(b.saved);
    return a.saved > b.saved;
  });
  return out;
}

std::string why(const std::vector<Gain>& gains, double cost) {
  if (gains.empty()) return {};
  std::string out = fmt::format("{} ({})", sentence(gains[0].what), worth(gains[0], cost));
  constexpr double kAlsoNamed = 0.2;
  if (gains.size() > 1 && gains[0].saved > 0 && gains[1].saved >= kAlsoNamed * gains[0].saved)
    out += fmt::format("; {} ({})", gains[1].what, worth(gains[1], cost));
  return out;
}

OptimizeResult with_gains(OptimizeResult result, const RunRecord& record) {
  result.gains = gains(record);
  result.why = why(result.gains, result.cost_candidate);
  return result;
}

}  // namespace isomer::report
