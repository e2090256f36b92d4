// Rules of the algebraic simplifier about dot (TensorRight's numbers in brackets).
#include <algorithm>

#include "passes/algebraic_simplifier.h"
#include "passes/dots.h"

namespace isomer::passes {
namespace {

using enum Opcode;

bool has(const Dims& dims, size_t d) { return std::ranges::count(dims, static_cast<int64_t>(d)) > 0; }

/// Of one element type, in which products and sums are not rounded more than a dot rounds them.
bool is_usual(const Site& s) {
  if (s.is_floating(s.at) && !is_wide(s, s.at)) return false;
  return s.is_static(s.in(0)) && s.is_static(s.in(1)) && s.element(s.in(0)) == s.element(s.at) &&
         s.element(s.in(1)) == s.element(s.at);
}

InstructionId dot_of_nothing(const Site& s) {  // [114]
  if (!s.is_static(s.in(0)) || !s.is_static(s.in(1))) return {};
  if (s.elements(s.in(0)) != 0 && s.elements(s.in(1)) != 0 && s.elements(s.at) != 0) return {};
  return s.all(s.at, 0);
}

/// Sizes of 1 that are not batch go: contracted ones altogether, free ones come back by a reshape.
InstructionId dot_of_thin(const Site& s) {
  if (!s.is_static(s.in(0)) || !s.is_static(s.in(1))) return {};
  const DotDims d = dot_dims(s, s.at);
  const auto thinned = [&](InstructionId a, const Dims& batch, const Dims& contracting, Dims& new_batch,
                           Dims& new_contracting, Dims& kept) {
    const Dims dims = s.dims(a);
    Dims place(dims.size(), -1);
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] == 1 && !has(batch, i) && !has(contracting, i)) continue;
      place[i] = static_cast<int64_t>(kept.size());
      kept.push_back(dims[i]);
    }
    for (const int64_t i : batch) new_batch.push_back(place[static_cast<size_t>(i)]);
    for (const int64_t i : contracting) new_contracting.push_back(place[static_cast<size_t>(i)]);
    return kept.size() != dims.size();
  };
  DotDims n;
  Dims left, right;
  const bool x = thinned(s.in(0), d.left_batch, d.left_contracting, n.left_batch, n.left_contracting, left);
  const bool y =
      thinned(s.in(1), d.right_batch, d.right_contracting, n.right_batch, n.right_contracting, right);
  if (!x && !y) return {};
  const Dims dims = s.dims(s.at);
  const auto precision = precision_of(s, s.at);
  const InstructionId a = x ? s.w.reshape(s.in(0), left) : s.in(0);
  const InstructionId b = y ? s.w.reshape(s.in(1), right) : s.in(1);
  return s.w.reshape(s.w.dot(a, b, n, s.element(s.at), precision), dims);
}

/// Nothing (or only sizes of 1) contracted: a product of broadcasts. [113]
InstructionId dot_is_outer_product(const Site& s) {
  if (!is_usual(s)) return {};
  const DotDims d = dot_dims(s, s.at);
  const auto thin = [&](InstructionId a, const Dims& contracting) {
    const Dims dims = s.dims(a);
    return std::ranges::all_of(contracting, [&](int64_t i) { return dims[static_cast<size_t>(i)] == 1; });
  };
  if (!thin(s.in(0), d.left_contracting)) return {};
  const Dims out = s.dims(s.at);
  const size_t batches = d.left_batch.size();
  const Dims left_free = free_dims(s.rank(s.in(0)), d.left_batch, d.left_contracting);
  const Dims right_free = free_dims(s.rank(s.in(1)), d.right_batch, d.right_contracting);
  const auto spread = [&](InstructionId a, const Dims& batch, const Dims& free, size_t first) {
    const Dims dims = s.dims(a);
    std::vector<std::pair<int64_t, int64_t>> place;  // of its dimension, in the result
    for (size_t i = 0; i < batch.size(); ++i) place.push_back({batch[i], static_cast<int64_t>(i)});
    for (size_t i = 0; i < free.size(); ++i) place.push_back({free[i], static_cast<int64_t>(first + i)});
    std::ranges::sort(place);
    Dims kept, places;
    for (const auto& [from, to] : place) {
      kept.push_back(dims[static_cast<size_t>(from)]);
      places.push_back(to);
    }
    const InstructionId small = kept.size() == dims.size() ? a : s.w.reshape(a, kept);
    return s.w.broadcast(small, out, places);
  };
  const InstructionId a = spread(s.in(0), d.left_batch, left_free, batches);
  const InstructionId b = spread(s.in(1), d.right_batch, right_free, batches + left_free.size());
  return s.w.binary(kMultiply, a, b);
}

/// Both operands have contracted and batch dimensions alone, in one order: a sum of products. [115]
InstructionId dot_is_sum(const Site& s) {
  if (!is_usual(s)) return {};
  const DotDims d = dot_dims(s, s.at);
  if (d.left_batch != d.right_batch || d.left_contracting != d.right_contracting) return {};
  if (!free_dims(s.rank(s.in(0)), d.left_batch, d.left_contracting).empty() ||
      !free_dims(s.rank(s.in(1)), d.right_batch, d.right_contracting).empty())
    return {};
  if (d.left_batch.empty() || !std::ranges::is_sorted(d.left_batch)) return {};
  const Primitive type = s.element(s.at);
  const InstructionId product = s.w.binary(kMultiply, s.in(0), s.in(1));
  Dims dims = d.left_contracting;
  std::ranges::sort(dims);
  return s.w.reduce(product, s.w.constant(type, 0), dims, s.w.combiner(kAdd, type));
}

constexpr Rule kAlgebraContractionsRules[] = {
    {kDot, "dot-of-nothing", dot_of_nothing},
    {kDot, "dot-is-sum", dot_is_sum},
    {kDot, "dot-is-outer-product", dot_is_outer_product},
    {kDot, "dot-of-thin", dot_of_thin},
};

}  // namespace

std::span<const Rule> algebra_of_contractions() { return kAlgebraContractionsRules; }

}  // namespace isomer::passes
