// Costs of operators that hold bodies of nodes as text (If, Loop, Scan as a file wrote them): what was found
// out about their bodies, and of all others what another model says.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "cost/cost_model.h"

namespace isomer::cost {

/// Milliseconds by the operator's signature (cost/table.h): a body of one text costs more in more rounds, and
/// on larger operands.
using BodyPrices = std::unordered_map<std::string, double>;

class BodyCosts final : public CostModel {
 public:
  /// `prices` may be added to as long as nobody else asks.
  BodyCosts(std::shared_ptr<CostModel> others, std::shared_ptr<BodyPrices> prices)
      : others_(std::move(others)), prices_(std::move(prices)) {}
  std::string name() const override { return others_->name(); }
  double cost(const NodeCostQuery& query) override;
  bool asks_operands() const override { return others_->asks_operands(); }
  std::unique_ptr<CostModel> fork() const override;

 private:
  std::shared_ptr<CostModel> others_;
  std::shared_ptr<BodyPrices> prices_;
};

}  // namespace isomer::cost
