#include "verify/random_leaves.h"

namespace isomer::verify {

/// `of(h)` of the hash of each place.
template <class Number, class Of>
static void fill(std::span<Number> out, uint64_t prefix, const Of& of) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = of(hash_combine(prefix, i));
}

void Draw::numbers(ir::DType, uint64_t leaf, size_t element, std::span<eval::FieldValue> out) const {
  fill(out, hash_combine(seed ^ leaf, element), eval::PrimeField::from_hash);
}

void Draw::numbers(ir::DType dtype, uint64_t leaf, size_t element, std::span<double> out) const {
  const uint64_t prefix = hash_combine(seed ^ leaf, element);
  // Whole models are drawn: the loop of the usual ways has no branches.
  if (const auto usual = uniform(floats))
    fill(out, prefix, [in = *usual](uint64_t h) { return in.at(mix64(h)); });
  else
    fill(out, prefix, [&](uint64_t h) { return real(mix64(h), leaf); });
  if (dtype != ir::DType::kF64)
    for (double& x : out) x = held(dtype, x);
  if (nudged == 0) return;
  const uint64_t aside = hash_combine(seed ^ leaf ^ nudged, element);
  for (size_t i = 0; i < out.size(); ++i) out[i] *= nudge(hash_combine(aside, i));
}

std::vector<int64_t> probe_places(int64_t count) {
  std::vector<int64_t> out;
  if (count <= 32) {
    for (int64_t i = 0; i < count; ++i) out.push_back(i);
    return out;
  }
  for (uint64_t i = 0; i < 16; ++i)
    out.push_back(
        static_cast<int64_t>(hash_combine(static_cast<uint64_t>(count), i) % static_cast<uint64_t>(count)));
  return out;
}

}  // namespace isomer::verify
