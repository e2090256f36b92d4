// What a loop nest reads, as arrays over its variables: an index map is a slice, a reversal, padding, a transpose and a
// broadcast where each dimension of the operand goes by one variable; any other (windows, digits of a product, places that
// are data) is a gather at places that are computed.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "meaning/nest.h"
#include "passes/writer.h"

namespace isomer::passes {

/// Dimension i goes by variable vars[i], ascending; variables that are not there do not matter.
struct ByVariables {
  InstructionId array;
  std::vector<int> vars;
};

class NestReads {
 public:
  /// `operands`: arrays, one for each operand of the operator.
  NestReads(Writer& writer, const meaning::CompiledNest& nest, std::span<const InstructionId> operands)
      : w_(writer), nest_(nest), operands_(operands) {}

  /// Of read `n` where its index map is plain: each dimension of the operand goes by at most one variable, each
  /// variable along one dimension.
  std::optional<ByVariables> plain(int n);
  /// Over the first `rank` variables: the element, and whether it is in bounds (pred).
  InstructionId element(int n, size_t rank) { return over(plain(n), n, rank, false); }
  InstructionId valid(int n, size_t rank) { return over(plain_validity(n), n, rank, true); }
  /// The place along variable `v`, in s64.
  InstructionId place(int v, size_t rank) { return w_.iota(Primitive::kS64, dims(rank), v); }

  Dims dims(size_t rank) const { return {nest_.extents.begin(), nest_.extents.begin() + static_cast<std::ptrdiff_t>(rank)}; }
  const meaning::CompiledRead& read(int n) const { return nest_.reads[static_cast<size_t>(n)]; }
  InstructionId operand(int n) const { return operands_[static_cast<size_t>(read(n).input)]; }
  /// The number that is read out of bounds.
  InstructionId fill(int n);
  InstructionId spread(const ByVariables& x, size_t rank);
  /// `x`, cut or padded to what the variables reach, dimension by dimension.
  std::optional<ByVariables> along(const meaning::CompiledRead& read, InstructionId x, InstructionId fill);

 private:
  std::optional<ByVariables> plain_validity(int n);
  InstructionId over(const std::optional<ByVariables>& simple, int n, size_t rank, bool validity);
  InstructionId gathered(int n, size_t rank, bool validity);
  InstructionId index(const ir::IndexExpr& e, size_t rank);
  InstructionId whole(int64_t value, size_t rank);
  InstructionId floored(InstructionId a, InstructionId b, size_t rank, bool quotient);

  Writer& w_;
  const meaning::CompiledNest& nest_;
  std::span<const InstructionId> operands_;
};

}  // namespace isomer::passes
