#include "passes/fusions.h"

namespace isomer::passes {

std::vector<bool> within_kernels(const AlternativeGraph& graph) {
  const Module& m = graph.module();
  std::vector<bool> out(m.computations.size(), false);
  std::vector<ComputationId> called;
  for (uint32_t i = 0; i < graph.originals(); ++i) {
    const Opcode opcode = m.instructions[i].opcode;
    if (opcode == Opcode::kCall || opcode == Opcode::kWhile || opcode == Opcode::kConditional) continue;
    called.clear();
    m.called(InstructionId(i), called);
    for (const ComputationId callee : called) out[callee.v] = true;
  }
  return out;
}

}  // namespace isomer::passes
