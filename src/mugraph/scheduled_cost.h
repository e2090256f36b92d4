// What a program's operators with a schedule (`kernel`) cost: as muGraphs do (kernel_cost.h), by the tiles
// that they load, their barriers and the blocks that a multiprocessor holds, not by what their definition
// computes tensor by tensor. All other operators are priced by another model.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "cost/cost_model.h"
#include "mugraph/kernel_cost.h"

namespace isomer::mugraph {

class ScheduledCost final : public cost::CostModel {
 public:
  /// `target`: where its name is that of `others`'s device.
  ScheduledCost(std::unique_ptr<cost::CostModel> others, Target target);
  std::string name() const override { return others_->name(); }
  /// Of a kernel in milliseconds, with the launch; elements are as wide as those of its first operand. One
  /// that does not fit on the device costs what the operators of its definition do, one by one.
  double cost(const cost::NodeCostQuery& query) override;
  bool asks_operands() const override { return others_->asks_operands(); }
  std::unique_ptr<cost::CostModel> fork() const override;

 private:
  double scheduled(const ir::OpInstance& op);

  std::unique_ptr<cost::CostModel> others_;
  Target target_;
  std::map<int, Pricing> pricing_;  ///< by bytes of an element
};

/// The model, where it is a roofline of a device that kernels can be priced for with these; else as it is.
std::unique_ptr<cost::CostModel> with_schedules(std::unique_ptr<cost::CostModel> model);

}  // namespace isomer::mugraph
