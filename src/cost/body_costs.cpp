#include "cost/body_costs.h"

#include "cost/table.h"

namespace isomer::cost {

double BodyCosts::cost(const NodeCostQuery& query) {
  if (!query.op.op.is(ir::Core::kOpaque) || prices_->empty()) return others_->cost(query);
  const auto known = prices_->find(signature(query.op));
  return known == prices_->end() ? others_->cost(query) : known->second;
}

std::unique_ptr<CostModel> BodyCosts::fork() const {
  std::unique_ptr<CostModel> others = others_->fork();
  return others ? std::make_unique<BodyCosts>(std::move(others), prices_) : nullptr;
}

}  // namespace isomer::cost
