#include "api/workspace.h"

#include "support/errors.h"
#include "support/progress.h"

namespace isomer::api {

cost::CostModel& Workspace::cost_model(const std::string& name) {
  const auto known = costs_.find(name);
  if (known != costs_.end()) return *known->second.model;
  const recipes::CostSource cost = recipes::cost_source(name);
  if (cost.is_measured())
    throw UsageError("cost " + name + ": only programs are measured, not e-graphs; try roofline:local");
  recipes::CostChoice choice = recipes::choose_cost(cost, 1, formats::Dialect(0), 0, {}, silent_progress());
  return *costs_.emplace(name, std::move(choice)).first->second.model;
}

std::shared_ptr<problems::RuleMatcher> Workspace::matcher(
    const std::shared_ptr<const rewrite::RuleSet>& rules) {
  constexpr size_t kKept = 16;
  for (const auto& [of, matcher] : matchers_)
    if (of == rules) return matcher;
  if (matchers_.size() == kKept) matchers_.pop_front();
  matchers_.emplace_back(rules, std::make_shared<problems::RuleMatcher>(ctx_, *rules));
  return matchers_.back().second;
}

}  // namespace isomer::api
