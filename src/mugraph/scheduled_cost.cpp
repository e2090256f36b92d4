#include "mugraph/scheduled_cost.h"

#include <algorithm>
#include <cmath>

#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/schedule.h"
#include "meaning/expansion.h"
#include "mugraph/ir_graph.h"

namespace isomer::mugraph {

ScheduledCost::ScheduledCost(std::unique_ptr<cost::CostModel> others, Target target)
    : others_(std::move(others)), target_(std::move(target)) {}

std::unique_ptr<cost::CostModel> ScheduledCost::fork() const {
  std::unique_ptr<cost::CostModel> others = others_->fork();
  return others ? std::make_unique<ScheduledCost>(std::move(others), target_) : nullptr;
}

double ScheduledCost::cost(const cost::NodeCostQuery& query) {
  if (!ir::has_schedule(query.op.op) || query.operands_are_weights) return others_->cost(query);
  return scheduled(query.op);
}

double ScheduledCost::scheduled(const ir::OpInstance& op) {
  constexpr double kMilliseconds = 1e3;
  if (const MuGraphOrError read = read_kernel(op)) {
    const auto element_bytes = static_cast<int>(std::max<int64_t>(1, ir::byte_size(op.in_dtype(0), 1)));
    auto at = pricing_.find(element_bytes);
    if (at == pricing_.end()) {
      Target target = target_;
      target.memory.element_bytes = element_bytes;
      at = pricing_.try_emplace(element_bytes, std::move(target)).first;
    }
    const double seconds = at->second.price(read.graph).seconds;
    if (std::isfinite(seconds)) return kMilliseconds * seconds;
  }
  const auto definition = meaning::expand(op);
  return definition ? cost::graph_cost(*others_, *definition) : others_->cost({op});
}

std::unique_ptr<cost::CostModel> with_schedules(std::unique_ptr<cost::CostModel> model) {
  const auto* roofline = dynamic_cast<const cost::RooflineCost*>(model.get());
  if (roofline == nullptr) return model;
  const auto choices = target_choices();
  const auto at = std::ranges::find(choices, roofline->profile().name, &TargetChoice::name);
  if (at == choices.end()) return model;
  return std::make_unique<ScheduledCost>(std::move(model), at->make());
}

}  // namespace isomer::mugraph
