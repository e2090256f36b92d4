// What a loop nest reads, as arrays over its variables: an index map is a slice, a reversal, padding, a
// transpose and a broadcast where each dimension of the operand goes by one variable; any other (windows,
// digits of a product, places that are data) is a gather at places that are computed.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "meaning/nest.h"
#include "passes/writer.h"

namespace isomer::passes {

/// Dimension i goes by variable vars[i]; variables that are not there do not matter.
struct ByVariables {
  InstructionId array;
  std::vector<int> vars;
};

/// Variables, ascending, that arrays have a dimension for; any other that occurs has one value alone.
struct Frame {
  std::vector<int> vars;
  Dims dims;
  size_t rank() const { return vars.size(); }
};

class NestReads {
 public:
  /// `operands`: arrays, one for each operand of the operator.
  NestReads(Writer& writer, const meaning::CompiledNest& nest, std::span<const InstructionId> operands)
      : w_(writer), nest_(nest), operands_(operands) {}

  /// Of read `n` where its index map is plain: each dimension of the operand goes by at most one variable,
  /// each variable along one dimension.
  std::optional<ByVariables> plain(int n);
  /// The element, and whether it is in bounds (pred).
  InstructionId element(int n, const Frame& frame) { return over(plain(n), n, frame, false); }
  InstructionId valid(int n, const Frame& frame) { return over(plain_validity(n), n, frame, true); }
  /// The place along variable `v`, in s64.
  InstructionId place(int v, const Frame& frame);

  /// The output's variables; and what reductions combine: the variables of several values among them, and the
  /// reduction's.
  Frame outputs() const;
  Frame combined() const;
  const meaning::CompiledRead& read(int n) const { return nest_.reads[static_cast<size_t>(n)]; }
  InstructionId operand(int n) const { return operands_[static_cast<size_t>(read(n).input)]; }
  /// The number that is read out of bounds.
  InstructionId fill(int n);
  InstructionId spread(ByVariables x, const Frame& frame);
  /// `x`, cut or padded to what the variables reach, dimension by dimension.
  std::optional<ByVariables> along(const meaning::CompiledRead& read, InstructionId x, InstructionId fill);

 private:
  std::optional<ByVariables> plain_validity(int n);
  InstructionId over(const std::optional<ByVariables>& simple, int n, const Frame& frame, bool validity);
  InstructionId gathered(int n, const Frame& frame, bool validity);
  InstructionId index(const ir::IndexExpr& e, const Frame& frame);
  InstructionId whole(int64_t value, const Frame& frame);
  InstructionId floored(InstructionId a, InstructionId b, const Frame& frame, bool quotient);

  Writer& w_;
  const meaning::CompiledNest& nest_;
  std::span<const InstructionId> operands_;
};

}  // namespace isomer::passes
