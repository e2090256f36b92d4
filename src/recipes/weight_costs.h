// What operators on weights alone cost in a recipe. They are folded away before anything runs, so the cost
// models of devices let them go free; the objectives of TASO and TENSAT pay for them.
#pragma once

#include <memory>
#include <string_view>

#include "cost/cost_model.h"

namespace isomer::recipes {

/// The model of that name (cost::make_cost_model) with operators on weights free, or else charged in full,
/// whatever the model itself does with them; but concatenations of weights cost what the model says (nothing,
/// in TASO as well).
std::unique_ptr<cost::CostModel> cost_model_with_weights(std::string_view name, bool weights_free);
/// Of this model. What is charged in full is asked for as if its operands were computed.
std::unique_ptr<cost::CostModel> cost_model_with_weights(std::shared_ptr<cost::CostModel> model,
                                                         bool weights_free);

}  // namespace isomer::recipes
