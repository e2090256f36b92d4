// What the fusions ask: general_fusion.cpp, which leaves decisions to a search, and instruction_fusion.cpp,
// which decides as XLA does.
#pragma once

#include <vector>

#include "passes/copies.h"

namespace isomer::passes {

/// Which computations are part of a kernel: called by one of the first so many instructions that is not of
/// control flow.
std::vector<bool> within_kernels(const Module& module, uint32_t instructions);

/// Whether one loop over the result computes it, whoever decides what is fused.
bool stands_in_a_loop(Opcode opcode);

/// A fusion of these operands whose body `write` writes, of what stands for them in it. The value has the
/// shape of `root`, which it stands for.
template <class Write>
InstructionId loop_fusion(AlternativeGraph& graph, InstructionId root,
                          std::span<const InstructionId> operands, Write&& write) {
  Writer& w = graph.writer();
  w.write_for(graph.computation_of(root));
  const auto first = static_cast<uint32_t>(graph.module().instructions.size());
  w.begin_computation();
  std::vector<InstructionId> parameters;
  Copies inside(w);
  for (const InstructionId operand : operands) {
    parameters.push_back(w.parameter(static_cast<int64_t>(parameters.size()), graph.module().shape(operand)));
    inside.put(operand, parameters.back());
  }
  write(inside);
  const ComputationId body = w.computation("fused_computation", first, parameters);
  return w.add(Opcode::kFusion, graph.module().shape(root), operands,
               {{AttributeName::kKind, {static_cast<int64_t>(hlo::FusionKind::kLoop)}},
                {AttributeName::kCalls, {int64_t{body.v}}}});
}

}  // namespace isomer::passes
