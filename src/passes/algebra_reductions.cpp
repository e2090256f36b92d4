// Rules of the algebraic simplifier about reduce (TensorRight's numbers in brackets).
#include <algorithm>
#include <cmath>

#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;

/// What leaves the other operand as it is. XLA takes either zero for that of a sum.
bool is_identity(const Site& s, Opcode combiner, InstructionId initial) {
  const Primitive type = s.element(initial);
  switch (combiner) {
    case kAdd:
    case kXor: return s.is_all(initial, 0);
    case kOr: return s.is_all(initial, 0);
    case kMultiply: return s.is_all(initial, 1);
    case kMaximum: return s.is_all(initial, s.lowest(type));
    case kMinimum: return s.is_all(initial, s.highest(type));
    case kAnd: return type == Primitive::kPred ? s.is_all(initial, 1) : false;
    default: return false;
  }
}

Dims reduced(const Site& s, InstructionId reduce) { return s.list(reduce, AttributeName::kDimensions); }
bool is_single(const Site& s, InstructionId id) { return s.is(id, kReduce) && s.arity(id) == 2; }

ComputationId called(const Site& s, InstructionId reduce) {
  return ComputationId(static_cast<uint32_t>(s.number(reduce, AttributeName::kToApply)));
}

/// Over dimensions of size 1 only, or over none. [108, 109]
InstructionId reduce_of_thin(const Site& s) {
  if (!is_single(s, s.at) || !s.is_static(s.in(0)) || s.elements(s.in(0)) != s.elements(s.at)) return {};
  const auto combiner = s.combiner(s.at);
  if (!combiner || s.elements(s.at) == 0) return {};
  const Dims dims = s.dims(s.at);
  const InstructionId initial = s.in(1);
  const bool identity = is_identity(s, *combiner, initial);
  const InstructionId a = s.w.reshape(s.in(0), dims);
  if (identity) return a;
  return s.w.binary(*combiner, a, dims.empty() ? initial : s.w.splat(initial, dims));
}

InstructionId reduce_of_nothing(const Site& s) {
  if (!is_single(s, s.at) || !s.is_static(s.in(0)) || s.elements(s.in(0)) != 0) return {};
  const Dims dims = s.dims(s.at);
  return dims.empty() ? s.in(1) : s.w.splat(s.in(1), dims);
}

/// One reduction over the dimensions of both. [106]
InstructionId reduce_twice(const Site& s) {
  const InstructionId inner = s.in(0);
  if (!is_single(s, s.at) || !is_single(s, inner)) return {};
  const auto combiner = s.combiner(s.at);
  if (!combiner || combiner != s.combiner(inner) || !is_identity(s, *combiner, s.in(inner, 1))) return {};
  Dims all = reduced(s, inner), left;
  for (size_t d = 0; d < s.rank(s.in(inner, 0)); ++d)
    if (std::ranges::count(all, static_cast<int64_t>(d)) == 0) left.push_back(static_cast<int64_t>(d));
  for (const int64_t d : reduced(s, s.at)) all.push_back(left[static_cast<size_t>(d)]);
  std::ranges::sort(all);
  return s.w.reduce(s.in(inner, 0), s.in(1), all, called(s, s.at));
}

/// A sum of negated elements is a negated sum.
InstructionId sum_of_negated(const Site& s) {
  if (!is_single(s, s.at) || s.combiner(s.at) != kAdd || !s.is(s.in(0), kNegate)) return {};
  if (!s.is_all(s.in(1), 0)) return {};
  const InstructionId sum = s.w.reduce(s.in(s.in(0), 0), s.in(1), reduced(s, s.at), called(s, s.at));
  return s.w.unary(kNegate, sum);
}

/// The order of what is reduced does not matter if that of what is left stays. [105]
InstructionId reduce_of_transpose(const Site& s) {
  const InstructionId a = s.in(0);
  if (!is_single(s, s.at) || !s.is(a, kTranspose) || !s.combiner(s.at)) return {};
  const Dims permutation = s.list(a, AttributeName::kDimensions), dims = reduced(s, s.at);
  Dims moved, left;
  for (size_t d = 0; d < permutation.size(); ++d)
    (std::ranges::count(dims, static_cast<int64_t>(d)) > 0 ? moved : left).push_back(permutation[d]);
  if (!std::ranges::is_sorted(left)) return {};
  std::ranges::sort(moved);
  return s.w.reduce(s.in(a, 0), s.in(1), moved, called(s, s.at));
}

/// What is broadcast is reduced before; a sum over copies is a multiple.
InstructionId reduce_of_broadcast(const Site& s) {
  const InstructionId wide = s.in(0);
  if (!is_single(s, s.at) || !s.is(wide, kBroadcast) || !s.is_static(wide) || s.elements(wide) == 0)
    return {};
  const auto combiner = s.combiner(s.at);
  if (!combiner || *combiner == kMultiply || *combiner == kXor || !is_identity(s, *combiner, s.in(1)))
    return {};
  const Dims dims = s.dims(wide), out = s.dims(s.at), over = reduced(s, s.at);
  const Dims places = s.list(wide, AttributeName::kDimensions);
  Dims inner, kept_places;
  double copies = 1;
  Dims new_place(dims.size(), -1);
  for (size_t d = 0, next = 0; d < dims.size(); ++d) {
    if (std::ranges::count(over, static_cast<int64_t>(d)) == 0)
      new_place[d] = static_cast<int64_t>(next++);
    else if (std::ranges::count(places, static_cast<int64_t>(d)) == 0)
      copies *= static_cast<double>(dims[d]);
  }
  for (size_t i = 0; i < places.size(); ++i)
    if (const int64_t place = new_place[static_cast<size_t>(places[i])]; place < 0)
      inner.push_back(static_cast<int64_t>(i));
    else
      kept_places.push_back(place);
  // A number of copies that the type does not hold is no factor; integers wrap as their sums do.
  if (s.is_floating(s.at) && copies > std::ldexp(1.0, hlo::row(s.element(s.at)).format.mantissa_bits))
    return {};
  InstructionId a = s.in(wide, 0);
  if (!inner.empty()) a = s.w.reduce(a, s.in(1), inner, called(s, s.at));
  if (*combiner == kAdd && copies != 1) a = s.w.binary(kMultiply, a, s.all(a, copies));
  return s.same_shape(a, s.at) && std::ranges::is_sorted(kept_places) ? a
                                                                      : s.w.broadcast(a, out, kept_places);
}

/// Dimensions of size 1 come or go after the reduction as well.
InstructionId reduce_of_thin_reshape(const Site& s) {
  const InstructionId a = s.in(0);
  if (!is_single(s, s.at) || !s.is(a, kReshape) || !s.is_static(a) || !s.combiner(s.at)) return {};
  const Dims before = s.dims(s.in(a, 0)), after = s.dims(a), over = reduced(s, s.at), out = s.dims(s.at);
  Dims dims;
  size_t from = 0;
  for (size_t d = 0; d < after.size(); ++d) {
    if (after[d] == 1) continue;
    while (from < before.size() && before[from] == 1) ++from;
    if (from == before.size() || before[from] != after[d]) return {};
    if (std::ranges::count(over, static_cast<int64_t>(d)) > 0) dims.push_back(static_cast<int64_t>(from));
    ++from;
  }
  if (dims.empty() || dims.size() != over.size()) return {};
  const InstructionId sum = s.w.reduce(s.in(a, 0), s.in(1), dims, called(s, s.at));
  return s.same_shape(sum, s.at) ? sum : s.w.reshape(sum, out);
}

/// All elements, in whichever shape.
InstructionId reduce_of_reshape(const Site& s) {
  const InstructionId a = s.in(0);
  if (!is_single(s, s.at) || !s.is(a, kReshape) || s.rank(s.at) != 0 || !s.combiner(s.at)) return {};
  Dims all;
  for (size_t d = 0; d < s.rank(s.in(a, 0)); ++d) all.push_back(static_cast<int64_t>(d));
  return s.w.reduce(s.in(a, 0), s.in(1), all, called(s, s.at));
}

constexpr Rule kAlgebraReductionsRules[] = {
    {kReduce, "reduce-of-nothing", reduce_of_nothing},
    {kReduce, "reduce-of-thin", reduce_of_thin},
    {kReduce, "reduce-of-transpose", reduce_of_transpose},
    {kReduce, "reduce-twice", reduce_twice},
    {kReduce, "sum-of-negated", sum_of_negated},
    {kReduce, "reduce-of-broadcast", reduce_of_broadcast},
    {kReduce, "reduce-of-thin-reshape", reduce_of_thin_reshape},
    {kReduce, "reduce-of-reshape", reduce_of_reshape},
};

}  // namespace

std::span<const Rule> algebra_of_reductions() { return kAlgebraReductionsRules; }

}  // namespace isomer::passes
