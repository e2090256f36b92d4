// The one source of randomness: every random choice comes from an Rng that was passed in.
#pragma once

#include <cstdint>

#include "support/hash.h"

namespace isomer {

/// SplitMix64: one 64-bit word of state, any seed is good, streams are split by hashing.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(mix64(seed ^ 0xA0761D6478BD642Full)) {}

  uint64_t next() { return mix64(state_ += 0x9E3779B97F4A7C15ull); }
  /// Uniform in [0, n); n > 0. Lemire's multiplication, whose bias is below 2^-32 for n < 2^32.
  uint64_t below(uint64_t n) {
    __extension__ using Wide = unsigned __int128;
    return static_cast<uint64_t>((static_cast<Wide>(next()) * n) >> 64);
  }
  /// Uniform in [lo, hi], both included.
  int64_t between(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(below(static_cast<uint64_t>(hi - lo) + 1));
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  bool chance(double p) { return uniform() < p; }
  /// An independent stream.
  Rng split() { return Rng(next()); }

 private:
  uint64_t state_;
};

}  // namespace isomer
