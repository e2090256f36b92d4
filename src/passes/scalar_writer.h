// Scalar programs (meaning/scalar_program.h) as HLO: each scalar operator is an opcode of whole arrays, so
// that any operator of the IR that works element by element has its HLO from its one meaning, and no list of
// operators says it again.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ir/op.h"
#include "ir/scalar_table.h"
#include "meaning/scalar_program.h"
#include "passes/writer.h"

namespace isomer::passes {

/// What the leaves of a program are, as arrays of `dims`.
struct ScalarLeaves {
  Dims dims;
  std::function<InstructionId(int)> read, valid, acc, var;
};

/// The element types that programs compute in: of numbers, of integers.
struct ScalarTypes {
  Primitive number = Primitive::kF32, whole = Primitive::kS64;
};

class ScalarWriter {
 public:
  ScalarWriter(Writer& writer, ScalarTypes types, const ScalarLeaves& leaves)
      : w_(writer), types_(types), leaves_(leaves) {}

  /// The result, in whatever type it came to; invalid where HLO has no opcode (`why`).
  InstructionId run(const meaning::ScalarProgram& program);
  const std::string& why() const { return why_; }

 private:
  using Instr = meaning::ScalarProgram::Instr;

  InstructionId instruction(const Instr& in);
  InstructionId leaf(const Instr& in);
  InstructionId arithmetic(const Instr& in);
  /// A function that its row says in others; invalid where it does not, or HLO lacks one of them.
  InstructionId expression(const ir::ScalarRow& row, std::span<const InstructionId> args);
  InstructionId transcendental(ir::ScalarOp op, InstructionId x);
  InstructionId compared(const Instr& in);
  InstructionId floored_remainder(InstructionId a, InstructionId b);
  InstructionId logical(const Instr& in);
  InstructionId as_sort(int32_t reg, meaning::Sort sort);
  InstructionId all(Primitive type, double value);

  Writer& w_;
  ScalarTypes types_;
  const ScalarLeaves& leaves_;
  std::vector<InstructionId> registers_;
  std::string why_;
};

/// x in elements of the type: of pred "is not zero", as a cast has it.
InstructionId converted(Writer& writer, InstructionId x, Primitive type);
/// A scalar of an integer type, or pred, by its lowest bits.
InstructionId whole(Writer& writer, Primitive type, int64_t value);
/// What a reduction begins with so that it counts as nothing.
InstructionId neutral(Writer& writer, ir::Combiner combiner, Primitive type);
/// Padded, where there is something to pad: low, high and interior of each dimension.
InstructionId padded(Writer& writer, InstructionId x, InstructionId fill, DimsView padding);
/// A scalar in each element of an array of these dimensions.
InstructionId filled(Writer& writer, InstructionId scalar, DimsView dims);
/// The element type of an array.
Primitive element_of(const Module& module, InstructionId array);
Dims dims_of(const Module& module, InstructionId array);
/// What XLA calls the element type; nothing where it has none.
std::optional<Primitive> primitive_of(ir::DType type);

}  // namespace isomer::passes
