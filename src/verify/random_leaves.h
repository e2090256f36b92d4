// Random values for what a program does not compute: inputs, weights without contents, and opaque operators,
// which are fixed random functions of their operands. Two opaque nodes have the same values when they are the
// same operator with the same attributes and their operands have the same sizes and elements, however these
// were computed: all elements over the field, some of doubles.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "eval/field.h"
#include "eval/tensor.h"
#include "ir/constant_data.h"
#include "ir/graph.h"
#include "support/hash.h"
#include "verify/draws.h"

namespace isomer::verify {

/// How one test draws its values; both graphs use the same one.
struct Draw {
  uint64_t seed = 0;
  Floats floats = Floats::kSigned;
  int64_t integer_low = 0;  ///< integers in [low, high); bools are 0 or 1
  int64_t integer_high = 4;
  Integers integers = Integers::kRange;
  std::span<const LeafRange> ranges = {};   ///< of leaves that have one of their own
  std::span<const double> thresholds = {};  ///< for Floats::kThresholds
  std::span<const int64_t> special = {};    ///< among the extremes of integers (preimages.h)
  uint64_t nudged = 0;  ///< if not 0: doubles are moved by one unit in the last place, this way or that
  Arrangement arrangement = Arrangement::kApart;  ///< of doubles and integers without a range, all together

  uint64_t hash(uint64_t leaf, size_t element, int64_t linear) const {
    return hash_combine(hash_combine(seed ^ leaf, element), static_cast<uint64_t>(linear));
  }
  int64_t integer(ir::DType dtype, uint64_t leaf, size_t element, int64_t linear) const {
    const uint64_t h = is_filled(dtype, leaf) ? mix64(seed ^ leaf) : mix64(hash(leaf, element, linear));
    const bool ends = integers == Integers::kHighest || integers == Integers::kLowest;
    if (dtype == ir::DType::kBool) return ends ? integers == Integers::kHighest : static_cast<int64_t>(h & 1);
    int64_t low = integer_low, high = integer_high;
    for (const LeafRange& range : ranges)
      if (range.leaf == leaf && !(range.optional && (is_extreme() || ends))) {
        std::tie(low, high) = std::pair(range.low, range.high);
        if (strays(h)) return stray(dtype, low, high, h);
        return ir::wrap_to(dtype, low + static_cast<int64_t>(h % static_cast<uint64_t>(high - low)));
      }
    if (is_extreme()) {
      const int64_t x = extreme(dtype, h);
      return x == 0 && integers == Integers::kNonzeroExtremes ? 1 : x;
    }
    if (ends) return end_of(dtype, integers == Integers::kHighest);
    if (strays(h)) return stray(dtype, low, high, h);
    const int64_t x = ir::wrap_to(dtype, low + static_cast<int64_t>(h % static_cast<uint64_t>(high - low)));
    return x == 0 && integers == Integers::kNonzero ? 1 : x;
  }
  void number(ir::DType, uint64_t leaf, size_t element, int64_t linear, eval::FieldValue& out) const {
    out = eval::PrimeField::from_hash(hash(leaf, element, linear));
  }
  /// What `dtype` can hold.
  void number(ir::DType dtype, uint64_t leaf, size_t element, int64_t linear, double& out) const {
    out = held(dtype, real(mix64(hash(leaf, element, linear)), leaf));
    if (nudged != 0) out *= nudge(hash(leaf ^ nudged, element, linear));
  }
  /// All elements of a tensor, each as `number` has it, unless they are arranged.
  void numbers(ir::DType, uint64_t leaf, size_t element, std::span<eval::FieldValue> out) const;
  void numbers(ir::DType, uint64_t leaf, size_t element, std::span<double> out) const;
  /// The same of integers.
  std::vector<int64_t> integers_of(ir::DType dtype, uint64_t leaf, size_t element, int64_t count) const;

  /// The largest of an integer type, of u64 as its bits; or the smallest.
  static int64_t end_of(ir::DType dtype, bool highest) {
    const uint64_t lowest = ir::has_sign(dtype) ? uint64_t{1} << ir::value_bits(dtype) : 0;
    return ir::wrap_to(dtype, static_cast<int64_t>(highest ? lowest - 1 : lowest));
  }

 private:
  bool is_extreme() const {
    return integers == Integers::kExtremes || integers == Integers::kNonzeroExtremes;
  }
  bool is_filled(ir::DType dtype, uint64_t leaf) const {
    return is_extreme() && mix64(~(seed ^ leaf)) % (dtype == ir::DType::kBool ? 2 : 3) == 0;
  }
  bool strays(uint64_t h) const { return integers == Integers::kStray && (h >> 40) % 6 == 0; }
  /// A little beyond the range; in three draws of four what a narrower type takes for a number of the range.
  int64_t stray(ir::DType dtype, int64_t low, int64_t high, uint64_t h) const {
    static constexpr int kWidths[] = {0, 8, 16, 32};
    const int width = kWidths[mix64(seed) % 4];
    if (width == 0) return ir::wrap_to(dtype, high + 1 + static_cast<int64_t>(h >> 60));
    const int64_t x = low + static_cast<int64_t>(h % static_cast<uint64_t>(high - low));
    return ir::wrap_to(dtype, x + (int64_t{1} << width));
  }

  /// A special one, any of the type, or its ends, or 0 and a power of two, one more or less, of either sign.
  int64_t extreme(ir::DType dtype, uint64_t h) const {
    if (!special.empty() && (h >> 24 & 3) == 0)
      return ir::wrap_to(dtype, special[(h >> 26) % special.size()]);
    if ((h >> 20 & 3) == 0) return end_of(dtype, (h >> 22 & 1) == 0);
    if ((h >> 17 & 1) != 0) return ir::wrap_to(dtype, static_cast<int64_t>(mix64(h)));
    const uint64_t power = uint64_t{1} << (h % 64);
    const auto x = static_cast<int64_t>(power + (h >> 8) % 3 - 1);
    return ir::wrap_to(dtype, (h >> 16 & 1) != 0 ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x);
  }

  static double nudge(uint64_t h) { return (h & 1) != 0 ? 1 + 0x1p-52 : 1 - 0x1p-52; }
  /// `x` in that type, or 1 of its sign where it is beyond the type.
  static double held(ir::DType dtype, double x) {
    const double out = dtype == ir::DType::kF32 ? static_cast<float>(x) : ir::round_to(dtype, x);
    return std::isfinite(x) && !std::isfinite(out) ? (x < 0 ? -1 : 1) : out;
  }

  friend class DrawnLeaf;
  static double unit(uint64_t h) { return static_cast<double>(h >> 11) * 0x1p-53; }
  struct Interval {
    double low, width;
    double at(uint64_t h) const { return low + width * unit(h); }
  };
  static constexpr Interval kSigned = {-2, 4};
  /// Of the ways that are uniform; nothing for the others.
  static std::optional<Interval> uniform(Floats how) {
    switch (how) {
      case Floats::kSigned: return kSigned;
      case Floats::kPositive: return Interval{0.1, 1.9};
      case Floats::kSmall: return Interval{-0.002, 0.004};
      default: return {};
    }
  }
  double real(uint64_t h, uint64_t leaf) const {
    const double u = unit(h);
    switch (floats) {
      case Floats::kSpecials: {  // of one kind in a leaf, or of all
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        static constexpr double kValues[] = {std::numeric_limits<double>::quiet_NaN(), kInfinity, -kInfinity};
        static constexpr uint64_t kFirst[] = {0, 1, 0}, kCount[] = {1, 2, 3};
        const uint64_t kind = mix64(seed ^ leaf) % 3;
        if ((h & 1) != 0) return kValues[kFirst[kind] + (h >> 8) % kCount[kind]];
        break;
      }
      case Floats::kLarge: return std::pow(10, 12 * u - 6) * ((h & 1) != 0 ? -1 : 1);
      case Floats::kCoarse: {
        static constexpr double kValues[] = {-2, -1, -0.5, 0, 0.5, 1, 2, 0};
        return kValues[h >> 61];
      }
      case Floats::kThresholds: {
        if (thresholds.empty()) break;
        static constexpr double kAside[] = {-1, -1e-3, 0, 0, 1e-3, 1};
        const double t = thresholds[(h >> 8) % thresholds.size()] * ((h >> 4 & 3) == 0 ? -1 : 1);
        const uint64_t way = (h >> 32) % 8;
        return way == 6 ? t * kSigned.at(h) : way == 7 ? kSigned.at(h) : t + kAside[way];
      }
      default: break;
    }
    return uniform(floats).value_or(kSigned).at(h);
  }
};

/// The doubles of one leaf, as Draw::number has them, for who asks for millions of them one by one: what does
/// not depend on the place is computed once.
class DrawnLeaf {
 public:
  DrawnLeaf(const Draw& draw, ir::DType dtype, uint64_t leaf, size_t element)
      : draw_(draw),
        dtype_(dtype),
        leaf_(leaf),
        element_(element),
        prefix_(hash_combine(draw.seed ^ leaf, element)),
        usual_(draw.nudged == 0 ? Draw::uniform(draw.floats) : std::nullopt) {}

  double operator()(int64_t linear) const {
    if (usual_)
      return Draw::held(dtype_, usual_->at(mix64(hash_combine(prefix_, static_cast<uint64_t>(linear)))));
    double x = 0;
    draw_.number(dtype_, leaf_, element_, linear, x);
    return x;
  }

 private:
  Draw draw_;
  ir::DType dtype_;
  uint64_t leaf_;
  size_t element_;
  uint64_t prefix_;
  std::optional<Draw::Interval> usual_;
};

inline bool agree(const eval::FieldValue& a, const eval::FieldValue& b) {
  return a.p == b.p && (!a.has_q() || !b.has_q() || a.q == b.q);
}
/// `scale`: what the tolerance is relative to.
inline bool agree(double a, double b, double tolerance, double scale) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) == std::isnan(b);
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::abs(a - b) <= tolerance * scale;
}
inline bool agree(double a, double b) { return agree(a, b, 1e-6, std::max(1.0, std::abs(a))); }

/// Elements of operands at fixed places, numbers and integers apart.
template <class Number>
struct Probe {
  std::vector<Number> numbers;
  std::vector<int64_t> integers;
};

/// What both graphs of a test share: one number for each class of equal applications of functions without a
/// meaning, and the tensors that are drawn. Of one draw.
template <class Number>
class TestLeaves {
 public:
  uint64_t leaf(ir::OpId op, ir::PayloadId payload, const Probe<Number>& probe) {
    for (size_t i = 0; i < entries_.size(); ++i)
      if (entries_[i].op == op && entries_[i].payload == payload && same(entries_[i].probe, probe))
        return number(i);
    entries_.push_back({op, payload, probe});
    return number(entries_.size() - 1);
  }
  /// Tensor `element` of a leaf, made when it is first asked for.
  template <class Make>
  eval::Value<Number> tensor(uint64_t leaf, size_t element, ir::DType dtype,
                             const std::vector<int64_t>& sizes, const Make& make) {
    const auto [known, fresh] = tensors_.try_emplace({leaf, element, dtype, sizes});
    if (fresh) known->second = eval::make_value(make());
    return known->second;
  }

 private:
  struct Entry {
    ir::OpId op;
    ir::PayloadId payload;
    Probe<Number> probe;
  };
  static uint64_t number(size_t i) { return hash_combine(0x6F7061717565ull, i); }
  static bool same(const Probe<Number>& a, const Probe<Number>& b) {
    if (a.integers != b.integers || a.numbers.size() != b.numbers.size()) return false;
    for (size_t i = 0; i < a.numbers.size(); ++i)
      if (!agree(a.numbers[i], b.numbers[i])) return false;
    return true;
  }
  std::vector<Entry> entries_;
  std::map<std::tuple<uint64_t, size_t, ir::DType, std::vector<int64_t>>, eval::Value<Number>> tensors_;
};

inline uint64_t input_leaf(size_t position) { return hash_combine(0x696E707574ull, position); }
inline uint64_t weight_leaf(const std::string& name) { return hash_string(name, 0x776569676874ull); }

/// Places to probe in a tensor of `count` elements: all of up to 32, else 16 spread by hashing.
std::vector<int64_t> probe_places(int64_t count);

}  // namespace isomer::verify
