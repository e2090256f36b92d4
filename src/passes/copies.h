// Instructions written again with other operands: the body of a call in its caller, a loop's body with
// another state. Copies are made of what is asked for and of what it needs, and of nothing twice.
#pragma once

#include <unordered_map>
#include <utility>
#include <vector>

#include "passes/alternatives.h"

namespace isomer::passes {

class Copies {
 public:
  explicit Copies(Writer& writer) : w_(writer) {}

  /// What stands for an original instead of a copy of it: parameters at least.
  void put(InstructionId original, InstructionId value);
  bool has(InstructionId original) const { return find(original).valid(); }
  /// The copy of an instruction (and of its operands, as far as there are none), in the computation that is
  /// being written. A parameter that nothing stands for is a fault (std::logic_error).
  InstructionId of(InstructionId original);

 private:
  /// Most copies are of a few instructions, which need no table.
  static constexpr size_t kFew = 16;

  /// What stands for it; invalid: nothing yet.
  InstructionId find(InstructionId original) const;
  void make(InstructionId original);

  Writer& w_;
  std::vector<std::pair<InstructionId, InstructionId>> few_;
  std::unordered_map<uint32_t, InstructionId> others_;
};

/// The result of a computation for these arguments, written where the writer writes.
InstructionId written_out(Writer& writer, ComputationId computation,
                          std::span<const InstructionId> arguments);

/// Whether copies of a computation's instructions say what the originals say: no effects, nothing that is
/// ordered by control-dependencies, no channels and asynchronous pairs, no placement on devices, no fusion,
/// whose body belongs to it alone, unless the copy is the only one. What it calls counts.
bool may_be_copied(const AlternativeGraph& graph, ComputationId computation);
/// The same where the original may stay beside its copy.
bool may_be_copied_beside(const Module& module, ComputationId computation);
/// The same of one instruction.
bool may_be_copied(const Module& module, InstructionId id, bool fusions);

/// How many instructions of the module call it.
size_t callers(const AlternativeGraph& graph, ComputationId computation);

/// No size is a bound, that of a part of a tuple neither.
bool is_static(const Module& module, ShapeId shape);

}  // namespace isomer::passes
