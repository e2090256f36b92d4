// Rules of the algebraic simplifier about broadcast and iota (TensorRight's numbers in brackets).
#include <algorithm>

#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;

Dims places_of(const Site& s, InstructionId broadcast) {
  return s.list(broadcast, AttributeName::kDimensions);
}

InstructionId broadcast_of_same(const Site& s) {
  const InstructionId a = s.in(0);
  return s.same_shape(a, s.at) && std::ranges::is_sorted(places_of(s, s.at)) ? a : InstructionId{};
}

/// The elements are the same, in the same order.
InstructionId broadcast_is_reshape(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is_static(a) || s.rank(a) == 0 || s.elements(a) != s.elements(s.at)) return {};
  if (s.same_shape(a, s.at) || !std::ranges::is_sorted(places_of(s, s.at))) return {};
  return s.w.reshape(a, s.dims(s.at));
}

InstructionId broadcast_of_iota(const Site& s) {  // [60]
  const InstructionId a = s.in(0);
  if (!s.is(a, kIota)) return {};
  const auto d = static_cast<size_t>(s.number(a, AttributeName::kIotaDimension));
  return s.w.iota(s.element(a), s.dims(s.at), places_of(s, s.at)[d]);
}

InstructionId broadcast_twice(const Site& s) {  // [61]
  const InstructionId a = s.in(0);
  if (!s.is(a, kBroadcast)) return {};
  const Dims outer = places_of(s, s.at);
  Dims places;
  for (const int64_t p : places_of(s, a)) places.push_back(outer[static_cast<size_t>(p)]);
  return s.w.broadcast(s.in(a, 0), s.dims(s.at), places);
}

/// Dimensions of size 1 are left out of what is broadcast.
InstructionId broadcast_of_thin(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is_static(a) || s.elements(a) == s.elements(s.at)) return {};
  const Dims dims = s.dims(a), places = places_of(s, s.at);
  if (std::ranges::count(dims, 1) == 0) return {};
  Dims thin_dims, thin_places;
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d] != 1) {
      thin_dims.push_back(dims[d]);
      thin_places.push_back(places[d]);
    }
  return s.w.broadcast(s.w.reshape(a, thin_dims), s.dims(s.at), thin_places);
}

/// f(bc a, splat c) => bc f(a, splat c): the function is of fewer elements.
InstructionId broadcast_after(const Site& s) {
  for (const size_t i : {0, 1}) {
    const InstructionId wide = s.in(i);
    const auto scalar = s.splat_of(s.in(1 - i));
    if (!scalar || !s.is(wide, kBroadcast)) continue;
    const InstructionId a = s.in(wide, 0);
    if (s.rank(a) == 0 || s.elements(a) >= s.elements(s.at)) continue;
    const Dims small = s.dims(a), dims = s.dims(s.at), places = places_of(s, wide);
    const InstructionId c = s.w.splat(*scalar, small);
    const ShapeId shape = s.w.array(s.element(s.at), small);
    const InstructionId both[] = {i == 0 ? a : c, i == 0 ? c : a};
    return s.w.broadcast(s.w.again(s.at, shape, both), dims, places);
  }
  return {};
}

/// f(bc a, bc b) => bc f(a, b), both spread alike. [54, 55]
InstructionId broadcast_after_both(const Site& s) {
  const InstructionId x = s.in(0), y = s.in(1);
  if (!s.is(x, kBroadcast) || !s.is(y, kBroadcast)) return {};
  const InstructionId a = s.in(x, 0), b = s.in(y, 0);
  const Dims places = places_of(s, x), small = s.dims(a), dims = s.dims(s.at);
  if (!s.same_shape(a, b) || places != places_of(s, y) || s.elements(a) >= s.elements(s.at)) return {};
  if (s.is_constant(a) || s.is_constant(b)) return {};
  return s.w.broadcast(s.w.again(s.at, s.w.array(s.element(s.at), small), {a, b}), dims, places);
}

/// f(bc a) => bc f(a)
InstructionId broadcast_after_one(const Site& s) {
  const InstructionId wide = s.in(0);
  if (!s.is(wide, kBroadcast)) return {};
  const InstructionId a = s.in(wide, 0);
  if (s.elements(a) >= s.elements(s.at)) return {};
  const Dims small = s.dims(a), dims = s.dims(s.at), places = places_of(s, wide);
  return s.w.broadcast(s.w.again(s.at, s.w.array(s.element(s.at), small), {a}), dims, places);
}

/// select(splat p, splat x, splat y) => splat select(p, x, y)
InstructionId splat_after_select(const Site& s) {
  InstructionId scalars[3];
  for (size_t i = 0; i < 3; ++i) {
    const auto scalar = s.splat_of(s.in(i));
    if (!scalar) return {};
    scalars[i] = *scalar;
  }
  const Dims dims = s.dims(s.at);
  return s.w.splat(s.w.select(scalars[0], scalars[1], scalars[2]), dims);
}

InstructionId constant_is_splat(const Site& s) {
  if (!s.is_constant(s.at) || s.elements(s.at) < 2) return {};
  if (!s.has_equal_elements(s.at)) return {};
  const hlo::Literal& literal = s.m.literal(s.at);
  const auto width = static_cast<ptrdiff_t>(hlo::row(s.element(s.at)).bytes);
  std::vector<std::byte> one(literal.bytes.begin(), literal.bytes.begin() + width);
  const Dims dims = s.dims(s.at);
  const ShapeId scalar = s.w.array(s.element(s.at), {});
  return s.w.splat(s.w.constant(scalar, std::move(one)), dims);
}

InstructionId constant_is_iota(const Site& s) {
  if (!s.is_constant(s.at) || s.rank(s.at) != 1 || s.elements(s.at) < 2 || !s.is_integral(s.at)) return {};
  const int64_t count = s.elements(s.at);
  for (int64_t i = 0; i < count; ++i)
    if (s.element_of(s.at, i) != static_cast<double>(i)) return {};
  return s.w.iota(s.element(s.at), s.dims(s.at), 0);
}

InstructionId iota_of_one(const Site& s) {  // [69]
  const auto d = static_cast<size_t>(s.number(s.at, AttributeName::kIotaDimension));
  if (!s.is_static(s.at) || s.dims(s.at)[d] != 1) return {};
  return s.all(s.at, 0);
}

constexpr Rule kAlgebraBroadcastsRules[] = {
    {kBroadcast, "broadcast-of-same", broadcast_of_same},
    {kBroadcast, "broadcast-is-reshape", broadcast_is_reshape},
    {kBroadcast, "broadcast-of-iota", broadcast_of_iota},
    {kBroadcast, "broadcast-twice", broadcast_twice},
    {kBroadcast, "broadcast-of-thin", broadcast_of_thin},
    {kAdd, "broadcast-after", broadcast_after},
    {kSubtract, "broadcast-after", broadcast_after},
    {kMultiply, "broadcast-after", broadcast_after},
    {kDivide, "broadcast-after", broadcast_after},
    {kMaximum, "broadcast-after", broadcast_after},
    {kMinimum, "broadcast-after", broadcast_after},
    {kPower, "broadcast-after", broadcast_after},
    {kRemainder, "broadcast-after", broadcast_after},
    {kAnd, "broadcast-after", broadcast_after},
    {kOr, "broadcast-after", broadcast_after},
    {kXor, "broadcast-after", broadcast_after},
    {kCompare, "broadcast-after", broadcast_after},
    {kSelect, "splat-after-select", splat_after_select},
    {kConstant, "constant-is-splat", constant_is_splat},
    {kConstant, "constant-is-iota", constant_is_iota},
    {kAdd, "broadcast-after-both", broadcast_after_both},
    {kMultiply, "broadcast-after-both", broadcast_after_both},
    {kNegate, "broadcast-after-one", broadcast_after_one},
    {kExp, "broadcast-after-one", broadcast_after_one},
    {kLog, "broadcast-after-one", broadcast_after_one},
    {kSqrt, "broadcast-after-one", broadcast_after_one},
    {kRsqrt, "broadcast-after-one", broadcast_after_one},
    {kTanh, "broadcast-after-one", broadcast_after_one},
    {kAbs, "broadcast-after-one", broadcast_after_one},
    {kNot, "broadcast-after-one", broadcast_after_one},
    {kConvert, "broadcast-after-one", broadcast_after_one},
    {kIota, "iota-of-one", iota_of_one},
};

}  // namespace

std::span<const Rule> algebra_of_broadcasts() { return kAlgebraBroadcastsRules; }

}  // namespace isomer::passes
