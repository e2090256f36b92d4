#include "passes/fusions.h"

namespace isomer::passes {

std::vector<bool> within_kernels(const Module& m, uint32_t instructions) {
  std::vector<bool> out(m.computations.size(), false);
  std::vector<ComputationId> called;
  for (uint32_t i = 0; i < instructions; ++i) {
    if (hlo::is_control_flow(m.instructions[i].opcode)) continue;
    called.clear();
    m.called(InstructionId(i), called);
    for (const ComputationId callee : called) out[callee.v] = true;
  }
  return out;
}

}  // namespace isomer::passes
