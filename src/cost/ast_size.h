// The number of nodes, as egg's AstSize counts them: each node 1, leaves included. For tests and toy
// languages.
#pragma once

#include "cost/cost_model.h"

namespace isomer::cost {

class AstSizeCost final : public CostModel {
 public:
  std::string name() const override { return "ast-size"; }
  double cost(const NodeCostQuery&) override { return 1; }
};

}  // namespace isomer::cost
