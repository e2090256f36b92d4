#include "evaluation/cheapest_program.h"

#include <utility>

#include "rewrite/tensor_extract.h"

namespace isomer::evaluation {

std::optional<ir::Graph> cheapest_program(const ir::Graph& start, const rewrite::EGraph& grown,
                                          cost::CostModel& model, const Limits& limits) {
  rewrite::TensorEGraph program(start);
  program.graph() = grown;
  rewrite::ExtractOptions pick;
  pick.limits = limits;
  rewrite::TensorExtraction e = rewrite::extract(program, rewrite::Alternatives(program), model, pick);
  if (!e.found) return std::nullopt;
  return std::move(e.graph);
}

}  // namespace isomer::evaluation
