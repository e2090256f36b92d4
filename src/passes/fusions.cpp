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

bool stands_in_a_loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose: return true;
    default: return hlo::is_elementwise(opcode);
  }
}

}  // namespace isomer::passes
