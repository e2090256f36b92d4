// Operators that go step by step as HLO, which has an opcode for each kind of them: what is a procedure
// (ir/procedure.h) sorts by a comparator, reduces several arrays at once, or runs computations in loops and
// branches; what combines elements in an order is a scatter, or a reduction by a computation. Which one it is
// hangs on the operator, since an evaluator does not show what it does: this is the one list of operators
// that writing programs has. Regions become computations, written as any program is (program_writer.h).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/op.h"
#include "passes/writer.h"

namespace isomer::passes {

class StepwiseWriter {
 public:
  using Values = std::vector<InstructionId>;

  StepwiseWriter(Writer& writer, const ir::OpInstance& op, std::span<const InstructionId> operands)
      : w_(writer), op_(op), operands_(operands) {}

  /// The results; none where HLO has no opcode for the operator, or cannot say what it repeats (`why`).
  Values run();
  const std::string& why() const { return why_; }

 private:
  using Body = std::function<Values(const Values&)>;

  Values refuse(std::string why);
  Values place_of(bool largest);
  Values greatest();
  Values sorted();
  Values repeated();
  Values chosen();
  Values looped();
  Values scanned();
  Values scattered_tuples();
  Values scattered_elements();
  Values reduced();
  Values reduced_in_windows();

  /// A loop over rounds: `body` gives the next of each state; it goes on while `condition` gives a pred.
  Values loop(const Values& states, const Body& condition, const Body& body);
  /// Updates go to the places that the last dimension of `places` holds: of the first dimensions of operand
  /// 0, of which the updates have the others.
  Values scattered(InstructionId places);
  /// Places, i64, from the start, of dimensions of operand 0 from `first` on, one for each in the last
  /// dimension.
  InstructionId from_the_start(InstructionId places, size_t first);
  /// Of half the operands each a scalar that it begins with.
  Values by_combiner(Opcode opcode, DimsView result, AttributeValue how);
  /// What the region of that role computes of these.
  Values region(ir::AttrRole role, const Values& inputs);
  /// Of single parameters, or of parts of one tuple.
  ComputationId computation(std::string_view name, std::span<const ShapeId> parameters,
                            const std::function<InstructionId(const Values&)>& of);
  ComputationId of_tuple(std::string_view name, ShapeId tuple, const Body& of, bool as_tuple);
  InstructionId tuple(const Values& parts);
  Values parts(InstructionId tuple, size_t count);
  /// Zeros of a result's type, into which each round writes.
  InstructionId nothing_yet(size_t result);
  InstructionId element(InstructionId from, int64_t axis, InstructionId at);
  InstructionId with_element(InstructionId into, int64_t axis, InstructionId at, InstructionId element);
  /// Index operands: `at` along `axis`, else 0.
  Values starts(InstructionId array, int64_t axis, InstructionId at);
  /// Whether a stands before b where the largest (or smallest) is first; NaN is the greatest number.
  InstructionId precedes(InstructionId a, InstructionId b, bool largest);

  Writer& w_;
  const ir::OpInstance& op_;
  std::span<const InstructionId> operands_;
  std::string why_;
};

}  // namespace isomer::passes
