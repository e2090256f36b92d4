// Devices whose kernels of convolutions and pools compute in one data layout: what comes or goes in another
// is converted on the way, as cuDNN does for tensor cores (channels last) and oneDNN and ONNX Runtime's MLAS
// for vector units (blocks of channels). So a layout is worth choosing only together with its neighbours'.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "cost/cost_model.h"

namespace isomer::cost {

/// Convolutions and pools, those of layout.* (ir/ops/layout.cpp) too, cost what `inner` says of the operator
/// on images in the usual order; in any other layout than the native one, what it says of converting image
/// and result as well. Images whose channels do not divide into native blocks are not converted. All else is
/// `inner`'s.
class LayoutCost final : public CostModel {
 public:
  /// `native`: the attribute `block` of layout.to. `name`: "nhwc", "c8", ...
  LayoutCost(std::unique_ptr<CostModel> inner, int64_t native, std::string name);
  std::string name() const override { return inner_->name() + "+" + name_; }
  double cost(const NodeCostQuery& query) override;

 private:
  double conversion(ir::Context& ctx, const char* op, ir::TypeId image);
  std::unique_ptr<CostModel> inner_;
  int64_t native_;
  std::string name_;
};

}  // namespace isomer::cost
