#include "cost/body_costs.h"

namespace isomer::cost {

double BodyCosts::cost(const NodeCostQuery& query) {
  const double whole = others_->cost(query);
  if (!query.op.op.is(ir::Core::kOpaque)) return whole;
  const auto known = prices_->find(query.op.s("body"));
  return known == prices_->end() ? whole : whole + known->second;
}

std::unique_ptr<CostModel> BodyCosts::fork() const {
  std::unique_ptr<CostModel> others = others_->fork();
  return others ? std::make_unique<BodyCosts>(std::move(others), prices_) : nullptr;
}

}  // namespace isomer::cost
