#include "verify/random_leaves.h"

#include <algorithm>

namespace isomer::verify {

/// `of(h)` of the hash of each place.
template <class Number, class Of>
static void fill(std::span<Number> out, uint64_t prefix, const Of& of) {
  for (size_t i = 0; i < out.size(); ++i) out[i] = of(hash_combine(prefix, i));
}

/// Whole numbers of [low, high) in that arrangement.
template <class Number>
static void arrange(Arrangement how, uint64_t h, Number low, Number high, std::span<Number> out) {
  const size_t count = out.size();
  const auto values = static_cast<uint64_t>(high - low);  // in [low, high)
  const auto value = [&](uint64_t bits) { return low + static_cast<Number>(bits % values); };
  const bool down = (h & 7) == 0;
  if (how == Arrangement::kInOrder) {
    if (values < count) return;
    const Number first = low + static_cast<Number>((h >> 4) % (values - count + 1));
    for (size_t i = 0; i < count; ++i) out[i] = first + static_cast<Number>(down ? count - 1 - i : i);
  } else {
    std::ranges::fill(out, value(h >> 4));
  }
  if ((h >> 3 & 1) == 0) return;
  const uint64_t more = mix64(h);
  const size_t place = more % 3 == 0 ? 0 : more % 3 == 1 ? count - 1 : (more >> 2) % count;
  out[place] = how == Arrangement::kInOrder ? out[(more >> 20) % count] : value(more >> 20);
}

static constexpr uint64_t kArranged = 0x617272616E6765ull;
/// What is in order spans no more: exponentials of it cancel little.
static constexpr double kWidest = 4;

std::vector<int64_t> Draw::integers_of(ir::DType dtype, uint64_t leaf, size_t element, int64_t count) const {
  std::vector<int64_t> out(static_cast<size_t>(count));
  for (size_t i = 0; i < out.size(); ++i) out[i] = integer(dtype, leaf, element, static_cast<int64_t>(i));
  const bool ranged = std::ranges::any_of(ranges, [&](const LeafRange& r) { return r.leaf == leaf; });
  if (arrangement == Arrangement::kApart || integers != Integers::kRange || ranged || count < 2) return out;
  // Of a wide range numbers near 0 tell more.
  const int64_t around = arrangement == Arrangement::kInOrder ? 2 * count : 2;
  const int64_t end = dtype == ir::DType::kBool ? 2 : int64_t{1} << std::min(ir::value_bits(dtype), 62);
  const int64_t low = std::max({integer_low, -around, ir::has_sign(dtype) ? -end : 0}),
                high = std::min({integer_high, around + 1, end});
  if (low < high) arrange(arrangement, mix64(hash(leaf ^ kArranged, element, 0)), low, high, std::span(out));
  return out;
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
  if (arrangement != Arrangement::kApart && out.size() > 1) {
    const bool in_order = arrangement == Arrangement::kInOrder;
    const double around = in_order ? 2.0 * static_cast<double>(out.size()) : 2;
    arrange(arrangement, mix64(hash(leaf ^ kArranged, element, 0)), floats == Floats::kPositive ? 1 : -around,
            around + 2, out);
    for (double step = kWidest; in_order && step < static_cast<double>(out.size()); step *= 2)
      for (double& x : out) x /= 2;
  }
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
