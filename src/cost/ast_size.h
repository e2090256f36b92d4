// The number of nodes, as egg's AstSize counts them: each node 1, leaves included. For tests and toy
// languages.
#pragma once

#include "cost/cost_model.h"

namespace isomer::cost {

class AstSizeCost final : public CostModel {
 public:
  std::string name() const override { return "ast-size"; }
  double cost(const NodeCostQuery&) override { return 1; }
  bool asks_operands() const override { return false; }
  std::unique_ptr<CostModel> fork() const override { return std::make_unique<AstSizeCost>(); }
};

}  // namespace isomer::cost
