// A muGraph run as it says: block after block, iteration after iteration, tile by tile, over any value
// domain. The engine's evaluation by schedule (eval/scheduled_run.h) of the muGraph as a graph of the IR.
#pragma once

#include <span>
#include <vector>

#include "eval/tensor.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// Values of the outputs. `D`: eval::Float64, eval::PrimeField or the field of the papers' primes. `graph`
/// must pass check_spec.
template <class D>
std::vector<eval::Tensor<typename D::Number>> interpret(
    D& domain, const MuGraph& graph, std::span<const eval::Tensor<typename D::Number>> inputs);

}  // namespace isomer::mugraph
