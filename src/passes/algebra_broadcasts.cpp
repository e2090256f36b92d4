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

bool is_elementwise(Opcode opcode) {
  switch (opcode) {
    case kAdd:
    case kSubtract:
    case kMultiply:
    case kDivide:
    case kMaximum:
    case kMinimum:
    case kPower:
    case kRemainder:
    case kAnd:
    case kOr:
    case kXor:
    case kCompare: return true;
    default: return false;
  }
}

/// f(bc a, splat c) => bc f(a, splat c): the function is of fewer elements.
InstructionId broadcast_after(const Site& s) {
  if (!is_elementwise(s.op(s.at)) || s.arity(s.at) != 2) return {};
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

InstructionId iota_of_one(const Site& s) {  // [69]
  const auto d = static_cast<size_t>(s.number(s.at, AttributeName::kIotaDimension));
  if (!s.is_static(s.at) || s.dims(s.at)[d] != 1) return {};
  return s.all(s.at, 0);
}

constexpr Rule kRules[] = {
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
    {kIota, "iota-of-one", iota_of_one},
};

}  // namespace

std::span<const Rule> algebra_of_broadcasts() { return kRules; }

}  // namespace isomer::passes
