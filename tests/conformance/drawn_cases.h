// Cases of single operators (op_cases.h) as graphs and values.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conformance/op_cases.h"
#include "eval/tensor.h"
#include "ir/op_table.h"

namespace isomer::conformance {

/// Values in the operand's range; now and then halves, which make ties.
eval::Value<double> draw_value(const Operand& o, Rng& rng);

/// The one-operator graph of a case, each tensor of its result an output; nothing when the operator's type
/// rule refuses it.
std::optional<ir::Graph> build_case(ir::Context& ctx, const std::string& op, const Case& c);

/// Each operator so many times at random attributes, shapes and types: visit(op, graph, inputs).
template <class Visit>
void for_each_case(Rng& rng, int draws, Visit&& visit) {
  for (const auto& [op, draw] : op_cases())
    for (int n = 0; n < draws; ++n) {
      ir::Context ctx(ir::standard_ops());
      const Case c = draw(rng);
      const auto graph = build_case(ctx, op, c);
      if (!graph) continue;
      std::vector<eval::Value<double>> inputs;
      for (const Operand& o : c.operands) inputs.push_back(draw_value(o, rng));
      visit(op, *graph, std::as_const(inputs));
    }
}

}  // namespace isomer::conformance
