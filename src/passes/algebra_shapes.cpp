// Rules of the algebraic simplifier about reshape, transpose, reverse, copy and tuples (TensorRight's numbers
// in brackets).
#include <algorithm>

#include "passes/algebraic_simplifier.h"
#include "passes/dots.h"

namespace isomer::passes {
namespace {

using enum Opcode;

InstructionId of_same_shape(const Site& s) {
  const InstructionId a = s.in(0);
  return s.same_shape(a, s.at) ? a : InstructionId{};
}

InstructionId reshape_twice(const Site& s) {
  const InstructionId a = s.in(0);
  return s.is(a, kReshape) ? s.w.reshape(s.in(a, 0), s.dims(s.at)) : InstructionId{};
}

InstructionId reshape_of_splat(const Site& s) {
  const auto scalar = s.splat_of(s.in(0));
  if (!scalar) return {};
  const Dims dims = s.dims(s.at);
  return dims.empty() ? *scalar : s.w.splat(*scalar, dims);
}

InstructionId reshape_of_constant(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is_constant(a)) return {};
  std::vector<std::byte> bytes = s.m.literal(a).bytes;
  return s.w.constant(s.w.array(s.element(a), s.dims(s.at)), std::move(bytes));
}

/// Only dimensions of size 1 come or go.
InstructionId reshape_of_iota(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kIota)) return {};
  const Dims from = s.dims(a), to = s.dims(s.at);
  const auto place = static_cast<size_t>(s.number(a, AttributeName::kIotaDimension));
  Dims x, y;
  std::ranges::copy_if(from, std::back_inserter(x), [](int64_t n) { return n != 1; });
  std::ranges::copy_if(to, std::back_inserter(y), [](int64_t n) { return n != 1; });
  if (x != y || from[place] == 1) return {};
  const auto rank_of = std::count_if(from.begin(), from.begin() + static_cast<ptrdiff_t>(place),
                                     [](int64_t n) { return n != 1; });
  ptrdiff_t seen = 0;
  for (size_t d = 0; d < to.size(); ++d)
    if (to[d] != 1 && seen++ == rank_of) return s.w.iota(s.element(a), to, static_cast<int64_t>(d));
  return {};
}

Dims permutation(const Site& s, InstructionId transpose) {
  return s.list(transpose, AttributeName::kDimensions);
}

InstructionId transpose_identity(const Site& s) {  // [101]
  return std::ranges::is_sorted(permutation(s, s.at)) ? s.in(0) : InstructionId{};
}

InstructionId transpose_twice(const Site& s) {  // [100]
  const InstructionId a = s.in(0);
  if (!s.is(a, kTranspose)) return {};
  const Dims outer = permutation(s, s.at), inner = permutation(s, a);
  Dims both;
  for (const int64_t p : outer) both.push_back(inner[static_cast<size_t>(p)]);
  return s.w.transpose(s.in(a, 0), both);
}

InstructionId transpose_of_splat(const Site& s) {  // [56]
  const auto scalar = s.splat_of(s.in(0));
  if (!scalar) return {};
  const Dims dims = s.dims(s.at);
  return s.w.splat(*scalar, dims);
}

/// (a b)^T => b^T a^T: the product of matrices with its operands exchanged.
InstructionId transpose_of_dot(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kDot) || s.rank(a) != 2 || !s.has_one_user(a)) return {};
  if (permutation(s, s.at) != Dims{1, 0}) return {};
  const Dims left = s.list(a, AttributeName::kLhsContractingDims);
  const Dims right = s.list(a, AttributeName::kRhsContractingDims);
  // One dimension of the result is the left operand's, the other the right one's.
  if (s.rank(s.in(a, 0)) != left.size() + 1 || s.rank(s.in(a, 1)) != right.size() + 1) return {};
  const InstructionId turned =
      s.w.dot(s.in(a, 1), s.in(a, 0), {{}, right, {}, left}, s.element(s.at), precision_of(s, a, true));
  // The real pass keeps the transpose's layout.
  return s.w.again(turned, s.m.shape(s.at), {s.in(a, 1), s.in(a, 0)});
}

InstructionId reverse_of_thin(const Site& s) {  // [96]
  if (!s.is_static(s.at)) return {};
  const Dims dims = s.dims(s.at), turned = s.list(s.at, AttributeName::kDimensions);
  const bool thin = std::ranges::all_of(turned, [&](int64_t d) { return dims[static_cast<size_t>(d)] == 1; });
  return thin ? s.in(0) : InstructionId{};
}

InstructionId reverse_twice(const Site& s) {  // [97, 98]
  const InstructionId a = s.in(0);
  if (!s.is(a, kReverse)) return {};
  const Dims outer = s.list(s.at, AttributeName::kDimensions), inner = s.list(a, AttributeName::kDimensions);
  Dims once;
  for (const int64_t d : inner)
    if (std::ranges::count(outer, d) == 0) once.push_back(d);
  for (const int64_t d : outer)
    if (std::ranges::count(inner, d) == 0) once.push_back(d);
  std::ranges::sort(once);
  return once.empty() ? s.in(a, 0) : s.w.reverse(s.in(a, 0), once);
}

InstructionId reverse_of_splat(const Site& s) {  // [57]
  return s.splat_of(s.in(0)) ? s.in(0) : InstructionId{};
}

InstructionId part_of_tuple(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kTuple)) return {};
  return s.in(a, static_cast<size_t>(s.number(s.at, AttributeName::kIndex)));
}

InstructionId part_of_complex(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kComplex)) return {};
  return s.in(a, s.is(s.at, kReal) ? 0 : 1);
}

constexpr Rule kAlgebraShapesRules[] = {
    {kReshape, "reshape-to-same", of_same_shape},
    {kReshape, "reshape-of-constant", reshape_of_constant},
    {kReshape, "reshape-of-splat", reshape_of_splat},
    {kReshape, "reshape-twice", reshape_twice},
    {kReshape, "reshape-of-iota", reshape_of_iota},
    {kTranspose, "transpose-identity", transpose_identity},
    {kTranspose, "transpose-twice", transpose_twice},
    {kTranspose, "transpose-of-splat", transpose_of_splat},
    {kTranspose, "transpose-of-dot", transpose_of_dot},
    {kReverse, "reverse-of-thin", reverse_of_thin},
    {kReverse, "reverse-twice", reverse_twice},
    {kReverse, "reverse-of-splat", reverse_of_splat},
    {kGetTupleElement, "part-of-tuple", part_of_tuple},
    {kReal, "real-of-complex", part_of_complex},
    {kImag, "imag-of-complex", part_of_complex},
};

}  // namespace

std::span<const Rule> algebra_of_shapes() { return kAlgebraShapesRules; }

}  // namespace isomer::passes
