// The program that an e-graph's cheapest selection is: what benches hold to the program that it has grown
// from.
#pragma once

#include <optional>

#include "cost/cost_model.h"
#include "ir/graph.h"
#include "rewrite/tensor_egraph.h"
#include "support/limits.h"

namespace isomer::evaluation {

/// Of an e-graph that has grown from `start`; nothing where none was found in time.
std::optional<ir::Graph> cheapest_program(const ir::Graph& start, const rewrite::EGraph& grown,
                                          cost::CostModel& model, const Limits& limits);

}  // namespace isomer::evaluation
