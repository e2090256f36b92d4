#include "mugraph/scheduled_cost.h"

#include <algorithm>
#include <cmath>

#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/schedule.h"
#include "meaning/expansion.h"
#include "mugraph/ir_graph.h"

namespace isomer::mugraph {
namespace {

/// The operator as a program of its own.
ir::Graph alone(const ir::OpInstance& op) {
  ir::Builder b(op.ctx);
  std::vector<ir::ValueId> operands, outputs;
  for (ir::TypeId type : op.inputs) operands.push_back(b.input("", type));
  const ir::ValueId all =
      b.add_typed(op.ctx.ops().at(op.op.name), op.ctx.intern(op.attrs), operands, op.output);
  const size_t results = op.ctx.get(op.output).elements.size();
  for (size_t r = 0; r < results; ++r) outputs.push_back(b.get(all, static_cast<int64_t>(r)));
  if (results == 0) outputs.push_back(all);
  return b.finish(std::move(outputs));
}

}  // namespace

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
  if (const MuGraphOrError read = read_mugraph(alone(op))) {
    Target target = target_;
    target.memory.element_bytes = static_cast<int>(std::max<int64_t>(1, ir::byte_size(op.in_dtype(0), 1)));
    const auto at = pricing_.try_emplace(target.memory.element_bytes, target).first;
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
