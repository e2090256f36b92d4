#include "recipes/rule_priors.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "support/hash.h"

namespace isomer::recipes {
namespace {

constexpr const char* kSpace = "rule statistics";

using Json = nlohmann::json;

std::string text_of(const RuleStatistics& statistics) {
  Json rules = Json::object();
  for (const auto& [name, of] : statistics.rules) rules[name] = {of.rollouts, of.reward, of.on_best};
  const Json all = {{"rollouts", statistics.rollouts}, {"reward", statistics.reward}, {"rules", rules}};
  return all.dump();
}

}  // namespace

void observe_rollouts(problems::BuildEGraph& problem, double start_cost, RuleStatistics& into) {
  problem.on_rollout([&problem, &into, start_cost](std::span<const uint32_t> path, double reward) {
    const double share = start_cost > 0 ? reward / start_cost : 0;
    ++into.rollouts;
    into.reward += share;
    for (size_t i = 0; i < path.size(); ++i) {
      if (std::ranges::find(path.first(i), path[i]) != path.begin() + static_cast<std::ptrdiff_t>(i))
        continue;
      RuleStatistics::Of& of = into.rules[problem.rule(path[i]).rule->name];
      ++of.rollouts;
      of.reward += share;
    }
  });
}

void note_best_path(const problems::BuildEGraph& problem, std::span<const uint32_t> actions,
                    RuleStatistics& into) {
  for (uint32_t a : actions) ++into.rules[problem.rule(a).rule->name].on_best;
}

bool keep(Store& store, const std::string& cost, const LearnedFrom& from, const RuleStatistics& statistics) {
  return store.put(kSpace, cost + "\n" + from.program + "\n" + from.inputs, text_of(statistics));
}

std::vector<RuleStatistics> of_others(const std::map<LearnedFrom, RuleStatistics>& kept,
                                      const LearnedFrom& than) {
  std::vector<RuleStatistics> out;
  for (const auto& [from, statistics] : kept)
    if (from.program != than.program && from.inputs != than.inputs) out.push_back(statistics);
  return out;
}

uint64_t hash_of(std::span<const RuleStatistics> searches) {
  uint64_t hash = 0;
  for (const RuleStatistics& s : searches) hash = hash_string(text_of(s), hash);
  return hash;
}

std::map<LearnedFrom, RuleStatistics> kept_statistics(Store& store, const std::string& cost) {
  std::map<LearnedFrom, RuleStatistics> out;
  for (const auto& [key, value] : store.all(kSpace, cost + "\n")) {
    try {
      const Json all = Json::parse(value);
      RuleStatistics s;
      s.rollouts = all.at("rollouts");
      s.reward = all.at("reward");
      for (const auto& [name, of] : all.at("rules").items()) s.rules[name] = {of.at(0), of.at(1), of.at(2)};
      const std::string from = key.substr(cost.size() + 1);
      const size_t end = from.rfind('\n');
      if (end == std::string::npos) continue;  // as earlier versions named them
      out.emplace(LearnedFrom{from.substr(0, end), from.substr(end + 1)}, std::move(s));
    } catch (const Json::exception&) {
      continue;  // of another version: learned again
    }
  }
  return out;
}

std::vector<double> priors_from(std::span<const RuleStatistics> searches, const rewrite::RuleSet& rules) {
  constexpr double kSure = 20;      // rollouts after which half of what is seen is believed
  constexpr double kSharpness = 2;  // of good rules against others
  constexpr double kLeast = 0.05;   // against the best: no rule is given up
  bool any = false;
  std::vector<double> out;
  for (const rewrite::Rule& rule : rules.rules) {
    double sum = 1, weight = 1;  // as good as any, as far as is known
    for (const RuleStatistics& s : searches) {
      if (!(s.reward > 0)) continue;
      any = true;
      const auto it = s.rules.find(rule.name);
      if (it == s.rules.end() || it->second.rollouts == 0) continue;
      const auto n = static_cast<double>(it->second.rollouts);
      const double sure = n / (n + kSure);
      sum += sure * (it->second.reward / n) / (s.reward / static_cast<double>(s.rollouts));
      weight += sure;
    }
    out.push_back(std::pow(sum / weight, kSharpness));
  }
  if (!any) return {};
  const double most = std::ranges::max(out);
  for (double& p : out) p = std::clamp(p / most, kLeast, 1.0);
  return out;
}

}  // namespace isomer::recipes
