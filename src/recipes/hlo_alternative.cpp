#include "recipes/hlo_alternative.h"

#include <string>
#include <utility>

#include "formats/hlo_graph.h"
#include "passes/rebuild.h"

namespace isomer::recipes {
namespace {

/// The computation of an instruction, with another root, as a program.
ir::Graph program_of(ir::Context& ctx, const passes::AlternativeGraph& graph, passes::InstructionId target,
                     passes::InstructionId root) {
  hlo::Module module = graph.module();
  module.header = {};  // of the results that it had
  module.entry = graph.computation_of(target);
  module.computations[module.entry.v].root = root;
  return formats::hlo_graph(ctx, passes::rebuilt(module, {}));
}

/// Its inputs are the variables.
rewrite::ExactFragment fragment_of(const ir::Graph& program) {
  rewrite::ExactFragment out;
  uint32_t variables = 0;
  for (uint32_t i = 0; i < program.size(); ++i) {
    const ir::ValueId v(i);
    rewrite::FragmentNode node;
    node.is_variable = program.def(v).is(ir::Core::kInput);
    if (node.is_variable)
      node.variable = variables++;  // inputs are added in their order
    else
      node.op = program.op(v);
    for (const ir::ValueId operand : program.operands(v)) node.children.push_back(operand.v);
    out.payloads.push_back(node.is_variable ? ir::PayloadId() : program.payload(v));
    out.fragment.nodes.push_back(std::move(node));
  }
  for (const ir::ValueId v : program.outputs()) out.fragment.roots.push_back(v.v);
  return out;
}

}  // namespace

rewrite::StatedSource stated(ir::Context& ctx, const passes::AlternativeGraph& graph,
                             const passes::Alternative& way) {
  const ir::Graph before = program_of(ctx, graph, way.target, way.target);
  const ir::Graph after = program_of(ctx, graph, way.target, way.value);
  rewrite::Equation equation;
  equation.title = graph.rule(way);
  for (const ir::ValueId v : before.inputs()) {
    equation.names.push_back(before.name(v));
    equation.tensors.emplace_back().type = before.type_id(v);
  }
  equation.before = fragment_of(before);
  equation.after = fragment_of(after);
  return {std::string(graph.rule(way)), "hlo", std::move(equation)};
}

}  // namespace isomer::recipes
