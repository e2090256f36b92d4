// The roofline model (Williams, Waterman, Patterson, CACM 2009): a kernel takes as long as its arithmetic at
// the device's peak or its traffic at the device's bandwidth, whichever is more, and a fixed time to start
// it. Work is derived from the operators' meanings (flops.h), so new operators are priced without a table.
// Deterministic; no device is needed. What it cannot see: caches, vector widths, how good a kernel is.
#pragma once

#include <memory>
#include <string>

#include "cost/cost_model.h"
#include "cost/flops.h"
#include "machine/device.h"

namespace isomer::cost {

using machine::DeviceProfile;

struct RooflineOptions {
  int64_t nominal_size = kNominalSize;  ///< stands for symbolic dimensions
  bool fold_weights = true;  ///< operators on weights alone cost nothing: they are folded when written
};

/// Milliseconds: overhead (that of a movement once for each operand or result: concat, split) +
/// max(flops / peak, bytes / bandwidth); 0 for leaves, tuples and views.
class RooflineCost final : public CostModel {
 public:
  explicit RooflineCost(DeviceProfile profile, RooflineOptions options = {});
  ~RooflineCost() override;
  std::string name() const override { return "roofline:" + profile_.name; }
  double cost(const NodeCostQuery& query) override;
  bool asks_operands() const override { return false; }
  std::unique_ptr<CostModel> fork() const override {
    return std::make_unique<RooflineCost>(profile_, options_);
  }
  const DeviceProfile& profile() const { return profile_; }

 private:
  struct Memo;
  double compute(const ir::OpInstance& op) const;
  DeviceProfile profile_;
  RooflineOptions options_;
  std::unique_ptr<Memo> memo_;
};

}  // namespace isomer::cost
