// Devices whose kernels of convolutions and pools compute in one data layout: what comes or goes in another
// is converted on the way, as cuDNN does for tensor cores (channels last) and oneDNN and ONNX Runtime's MLAS
// for vector units (blocks of channels). So a layout is worth choosing only together with its neighbours'.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "cost/cost_model.h"

namespace isomer::cost {

/// A cost model's name in its parts: "roofline:a100+nhwc" is model "roofline:a100", layout "nhwc", block 0.
struct NamedLayout {
  std::string_view model, layout;
  int64_t block = 0;  ///< the attribute of layout.to
};
/// Nothing where the name has no layout that is known.
std::optional<NamedLayout> layout_of(std::string_view cost);

/// Convolutions and pools, those of layout.* (ir/ops/layout.cpp) too, cost what `inner` says of the operator
/// on images in the usual order; in any other layout than the native one, what it says of converting image
/// and result as well. Images whose channels do not divide into native blocks are not converted. All else is
/// `inner`'s.
class LayoutCost final : public CostModel {
 public:
  LayoutCost(std::unique_ptr<CostModel> inner, const NamedLayout& native);
  std::string name() const override { return inner_->name() + "+" + name_; }
  double cost(const NodeCostQuery& query) override;
  bool asks_operands() const override { return inner_->asks_operands(); }
  std::unique_ptr<CostModel> fork() const override;

 private:
  enum class Way : uint8_t { kInto, kOutOf };
  /// Between an image in the usual order and the native layout.
  double conversion(ir::Context& ctx, Way way, ir::TypeId image);
  std::unique_ptr<CostModel> inner_;
  int64_t native_;
  std::string name_;
};

}  // namespace isomer::cost
