// Rules of the algebraic simplifier about slice, pad and concatenate, with constant and with computed starts
// (TensorRight's numbers in brackets).
#include <algorithm>

#include "passes/algebraic_simplifier.h"

namespace isomer::passes {
namespace {

using enum Opcode;

struct Slice {
  Dims starts, limits, strides;
};

Slice slice_of(const Site& s, InstructionId id) {
  const Dims numbers = s.list(id, AttributeName::kSlice);
  Slice out;
  for (size_t i = 0; i + 2 < numbers.size(); i += 3) {
    out.starts.push_back(numbers[i]);
    out.limits.push_back(numbers[i + 1]);
    out.strides.push_back(numbers[i + 2]);
  }
  return out;
}

bool is_dense(const Slice& slice) {
  return std::ranges::all_of(slice.strides, [](int64_t p) { return p == 1; });
}

InstructionId whole(const Site& s) {  // [70], [84] and alike
  return s.is_static(s.at) && s.same_shape(s.in(0), s.at) ? s.in(0) : InstructionId{};
}

InstructionId part_of_splat(const Site& s) {  // [58, 59, 71]
  const auto scalar = s.splat_of(s.in(0));
  if (!scalar) return {};
  const Dims dims = s.dims(s.at);
  return s.w.splat(*scalar, dims);
}

InstructionId slice_twice(const Site& s) {  // [76]
  const InstructionId a = s.in(0);
  if (!s.is(a, kSlice)) return {};
  const Slice outer = slice_of(s, s.at), inner = slice_of(s, a);
  if (!is_dense(outer) || !is_dense(inner)) return {};
  Dims starts, limits;
  for (size_t d = 0; d < outer.starts.size(); ++d) {
    starts.push_back(inner.starts[d] + outer.starts[d]);
    limits.push_back(inner.starts[d] + outer.limits[d]);
  }
  return s.w.slice(s.in(a, 0), starts, limits, outer.strides);
}

/// The first elements of a reshape that only takes dimensions of size 1 away: sliced before it.
InstructionId slice_of_reshape(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kReshape) || !s.is_static(a)) return {};
  const Slice slice = slice_of(s, s.at);
  if (!is_dense(slice) || std::ranges::any_of(slice.starts, [](int64_t n) { return n != 0; })) return {};
  const InstructionId from = s.in(a, 0);
  const Dims before = s.dims(from), after = s.dims(a), out = s.dims(s.at);
  Dims limits;
  size_t d = 0;
  for (const int64_t n : before) {
    while (d < after.size() && after[d] == 1 && n != 1) ++d;
    if (d < after.size() && after[d] == n) {
      limits.push_back(out[d++]);
    } else if (n == 1) {
      limits.push_back(1);
    } else {
      return {};
    }
  }
  for (; d < after.size(); ++d)
    if (after[d] != 1) return {};
  if (std::ranges::count(out, 0) > 0) return {};
  const Dims zeros(before.size(), 0), ones(before.size(), 1);
  return s.w.reshape(s.w.slice(from, zeros, limits, ones), out);
}

/// A slice along the concatenation that lies within one part. [77, 79, 80]
InstructionId slice_of_concatenation(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kConcatenate)) return {};
  const auto along = static_cast<size_t>(s.list(a, AttributeName::kDimensions)[0]);
  Slice slice = slice_of(s, s.at);
  int64_t offset = 0;
  for (size_t i = 0; i < s.arity(a); ++i) {
    const InstructionId part = s.in(a, i);
    const int64_t size = s.dims(part)[along];
    if (slice.starts[along] >= offset && slice.limits[along] <= offset + size &&
        slice.starts[along] < slice.limits[along]) {
      slice.starts[along] -= offset;
      slice.limits[along] -= offset;
      return s.w.slice(part, slice.starts, slice.limits, slice.strides);
    }
    offset += size;
  }
  return {};
}

/// A slice of a pad that has only what was padded. [75]
InstructionId slice_of_pad(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kPad)) return {};
  Slice slice = slice_of(s, s.at);
  const Dims padding = s.list(a, AttributeName::kPadding), dims = s.dims(s.in(a, 0));
  for (size_t d = 0; d < dims.size(); ++d) {
    const int64_t low = padding[3 * d];
    if (padding[3 * d + 2] != 0) return {};
    slice.starts[d] -= low;
    slice.limits[d] -= low;
    if (slice.starts[d] < 0 || slice.limits[d] > dims[d] || slice.starts[d] > slice.limits[d]) return {};
  }
  return s.w.slice(s.in(a, 0), slice.starts, slice.limits, slice.strides);
}

InstructionId pad_by_nothing(const Site& s) {  // [92]
  const Dims padding = s.list(s.at, AttributeName::kPadding), dims = s.dims(s.at);
  for (size_t d = 0; d < dims.size(); ++d)
    if (padding[3 * d] != 0 || padding[3 * d + 1] != 0 || (padding[3 * d + 2] != 0 && dims[d] > 1)) return {};
  return s.same_shape(s.in(0), s.at) ? s.in(0) : InstructionId{};
}

/// Negative padding is a slice. [95]
InstructionId pad_is_slice(const Site& s) {
  Dims padding = s.list(s.at, AttributeName::kPadding);
  const Dims dims = s.dims(s.in(0));
  Dims starts, limits;
  bool cuts = false;
  for (size_t d = 0; d < dims.size(); ++d) {
    int64_t &low = padding[3 * d], &high = padding[3 * d + 1];
    const int64_t inner = std::max<int64_t>(dims[d] - 1, 0) * padding[3 * d + 2];
    const int64_t wide = dims[d] + inner + std::max<int64_t>(low, 0) + std::max<int64_t>(high, 0);
    starts.push_back(std::max<int64_t>(-low, 0));
    limits.push_back(wide - std::max<int64_t>(-high, 0));
    cuts |= low < 0 || high < 0;
    low = std::max<int64_t>(low, 0);
    high = std::max<int64_t>(high, 0);
    if (starts.back() > limits.back()) return {};
  }
  if (!cuts) return {};
  const bool pads = std::ranges::any_of(padding, [](int64_t n) { return n != 0; });
  const InstructionId padded = pads ? s.w.pad(s.in(0), s.in(1), padding) : s.in(0);
  return s.w.slice(padded, starts, limits, Dims(dims.size(), 1));
}

InstructionId pad_of_nothing(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is_static(a) || s.elements(a) != 0) return {};
  const Dims dims = s.dims(s.at);
  return s.w.splat(s.in(1), dims);
}

InstructionId concatenate_one(const Site& s) { return s.arity(s.at) == 1 ? s.in(0) : InstructionId{}; }

InstructionId concatenate_without_empty(const Site& s) {
  const auto along = s.list(s.at, AttributeName::kDimensions)[0];
  std::vector<InstructionId> kept;
  for (size_t i = 0; i < s.arity(s.at); ++i)
    if (!s.is_static(s.in(i)) || s.dims(s.in(i))[static_cast<size_t>(along)] != 0) kept.push_back(s.in(i));
  if (kept.size() == s.arity(s.at)) return {};
  if (kept.empty()) return s.in(0);
  return kept.size() == 1 ? kept[0] : s.w.concatenate(kept, along);
}

/// Slices of one array that follow on each other. [65]
InstructionId concatenate_slices(const Site& s) {
  const auto along = static_cast<size_t>(s.list(s.at, AttributeName::kDimensions)[0]);
  std::vector<InstructionId> parts;
  bool joined = false;
  for (size_t i = 0; i < s.arity(s.at); ++i) {
    const InstructionId next = s.in(i);
    if (!parts.empty() && s.is(parts.back(), kSlice) && s.is(next, kSlice) &&
        s.in(parts.back(), 0) == s.in(next, 0)) {
      Slice a = slice_of(s, parts.back());
      const Slice b = slice_of(s, next);
      Slice same = b;
      same.starts[along] = a.starts[along];
      same.limits[along] = a.limits[along];
      if (a.limits[along] == b.starts[along] && a.strides[along] == 1 && b.strides[along] == 1 &&
          same.starts == a.starts && same.limits == a.limits && same.strides == a.strides) {
        a.limits[along] = b.limits[along];
        parts.back() = s.w.slice(s.in(next, 0), a.starts, a.limits, a.strides);
        joined = true;
        continue;
      }
    }
    parts.push_back(next);
  }
  if (!joined) return {};
  return parts.size() == 1 ? parts[0] : s.w.concatenate(parts, static_cast<int64_t>(along));
}

/// Starts that are constants, moved to where the slice fits, as XLA does when it runs. [83]
InstructionId dynamic_slice_at_constant(const Site& s) {
  const Dims dims = s.dims(s.in(0)), sizes = s.dims(s.at);
  if (s.arity(s.at) != dims.size() + 1 || dims.empty()) return {};
  Dims starts, limits;
  for (size_t d = 0; d < dims.size(); ++d) {
    const auto start = s.uniform(s.in(d + 1));
    if (!start) return {};
    starts.push_back(std::clamp<int64_t>(static_cast<int64_t>(start->value), 0, dims[d] - sizes[d]));
    limits.push_back(starts.back() + sizes[d]);
  }
  return s.w.slice(s.in(0), starts, limits, Dims(dims.size(), 1));
}

InstructionId update_whole(const Site& s) {  // [90]
  return s.is_static(s.at) && s.same_shape(s.in(1), s.at) ? s.in(1) : InstructionId{};
}

InstructionId update_with_nothing(const Site& s) {
  return s.is_static(s.in(1)) && s.elements(s.in(1)) == 0 ? s.in(0) : InstructionId{};
}

constexpr Rule kAlgebraPartsRules[] = {
    {kSlice, "slice-whole", whole},
    {kSlice, "slice-of-splat", part_of_splat},
    {kSlice, "slice-twice", slice_twice},
    {kSlice, "slice-of-pad", slice_of_pad},
    {kSlice, "slice-of-concatenation", slice_of_concatenation},
    {kSlice, "slice-of-reshape", slice_of_reshape},
    {kPad, "pad-by-nothing", pad_by_nothing},
    {kPad, "pad-is-slice", pad_is_slice},
    {kPad, "pad-of-nothing", pad_of_nothing},
    {kConcatenate, "concatenate-one", concatenate_one},
    {kConcatenate, "concatenate-without-empty", concatenate_without_empty},
    {kConcatenate, "concatenate-slices", concatenate_slices},
    {kDynamicSlice, "dynamic-slice-whole", whole},
    {kDynamicSlice, "dynamic-slice-of-splat", part_of_splat},
    {kDynamicSlice, "dynamic-slice-at-constant", dynamic_slice_at_constant},
    {kDynamicUpdateSlice, "update-whole", update_whole},
    {kDynamicUpdateSlice, "update-with-nothing", update_with_nothing},
};

}  // namespace

std::span<const Rule> algebra_of_parts() { return kAlgebraPartsRules; }

}  // namespace isomer::passes
