// An analytic cost over TASO's operators in which TENSAT and TASO themselves were once measured, kept exactly
// so that results can be set side by side with theirs. Milliseconds, float32: t = 0.005 + max(F / 8e9, B /
// 3e8) with F in flop and B in bytes, where
//
//   conv2d          F = 2 outputs (channels per group) kh kw   B = 4 (x + w + out)
//   matmul          F = 2 outputs k                            B = 4 (a + b + out)
//   pools           F = outputs kh kw                          B = 4 (x + out)
//   add, mul        F = outputs                                B = 4 (a + b + out)
//   relu, sigmoid, tanh   F = outputs                          B = 8 outputs
//   batch_norm      F = 2 outputs                              B = 8 outputs
//   enlarge                                                    B = 4 (x + out)
//   concat          0.005 + 8 (inputs) / 3e8; 0 when all inputs are weights
//
// with operand names standing for their element counts; everything else is 0. Operators on weights are
// charged in full unless `fold_weights`, as TENSAT's objective does.
#pragma once

#include "cost/cost_model.h"

namespace isomer::cost {

class AnchorCost final : public CostModel {
 public:
  explicit AnchorCost(bool fold_weights = false) : fold_weights_(fold_weights) {}
  std::string name() const override { return "anchor"; }
  /// REQUIREs static shapes.
  double cost(const NodeCostQuery& query) override;
  bool asks_operands() const override { return false; }
  std::unique_ptr<CostModel> fork() const override { return std::make_unique<AnchorCost>(fold_weights_); }

 private:
  bool fold_weights_;
};

}  // namespace isomer::cost
