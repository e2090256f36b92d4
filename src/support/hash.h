// 64-bit hashing: a mixer for integers, a combiner, and content hashing of bytes (xxHash).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace isomer {

/// Finalizer of SplitMix64 (Steele, Lea, Flood 2014): bijective, good avalanche.
constexpr uint64_t mix64(uint64_t x) {
  x ^= x >> 30;
  x *= 0xBF58476D1CE4E5B9ull;
  x ^= x >> 27;
  x *= 0x94D049BB133111EBull;
  return x ^ (x >> 31);
}

constexpr uint64_t hash_combine(uint64_t seed, uint64_t value) {
  return mix64(seed ^ (value + 0x9E3779B97F4A7C15ull + (seed << 6) + (seed >> 2)));
}

/// Hash of a byte range by content; stable across runs and machines of the same endianness.
uint64_t hash_bytes(std::span<const std::byte> bytes, uint64_t seed = 0);
uint64_t hash_string(std::string_view text, uint64_t seed = 0);

}  // namespace isomer
