#include "recipes/weight_costs.h"

#include <string>
#include <utility>

namespace isomer::recipes {
namespace {

class WithWeights final : public cost::CostModel {
 public:
  WithWeights(std::shared_ptr<cost::CostModel> inner, bool free) : inner_(std::move(inner)), free_(free) {}
  std::string name() const override { return inner_->name(); }
  double cost(const cost::NodeCostQuery& query) override {
    if (free_ && query.operands_are_weights) return 0;
    if (!query.operands_are_weights) return inner_->cost(query);
    // TASO's one of weights alone, done once when the result is written, is no kernel.
    const ir::OpDef& def = query.op.op;
    const bool joins = def.kind == ir::MeaningKind::kComposite && def.range_kind() == ir::RangeKind::kUnion;
    return inner_->cost({query.op, joins, {}});
  }
  bool asks_operands() const override { return inner_->asks_operands(); }
  std::unique_ptr<cost::CostModel> fork() const override {
    std::unique_ptr<cost::CostModel> inner = inner_->fork();
    return inner ? std::make_unique<WithWeights>(std::move(inner), free_) : nullptr;
  }

 private:
  std::shared_ptr<cost::CostModel> inner_;
  bool free_;
};

}  // namespace

std::unique_ptr<cost::CostModel> cost_model_with_weights(std::string_view name, bool weights_free) {
  return cost_model_with_weights(std::shared_ptr(cost::make_cost_model(name)), weights_free);
}

std::unique_ptr<cost::CostModel> cost_model_with_weights(std::shared_ptr<cost::CostModel> model,
                                                         bool weights_free) {
  return std::make_unique<WithWeights>(std::move(model), weights_free);
}

}  // namespace isomer::recipes
