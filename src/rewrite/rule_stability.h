// How far the two sides of a rule lie apart in float32, measured: a rule that is true over the reals can
// still overflow or cancel (softmax without its maximum, E[x^2] - E[x]^2).
#pragma once

#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>

#include "ir/context.h"
#include "rewrite/rule.h"
#include "support/deadline.h"

namespace isomer::rewrite {

struct StabilityOptions {
  uint64_t seed = 1;
  int instances = 3;  ///< types and attributes of which errors are measured; further ones are glanced at
  int draws = 5;      ///< of numbers, for each of these and each range; more at edges
  int attempts = 400;
  double most_lost = 8;  ///< times the left side's error that the right side may have
  Deadline until = {};   ///< what it cut says only what was measured by then: ask it
};

/// Where the sides of a rule were seen to part although they agree on ordinary numbers.
enum class Exception : uint8_t {
  kSpecials,       ///< an infinity or NaN among the inputs
  kNegativeZero,   ///< the sign of a zero
  kZero,           ///< zeros and ties among the inputs, where one side is not finite
  kOverflow,       ///< numbers up to the largest of the type, where the left side is finite, the right is not
  kUnderflow,      ///< small numbers, where the left side is not zero, the right is
  kCancellation,   ///< operands that hardly differ from each other, or by many magnitudes: digits are lost
                   ///< that the left side keeps
  kCounts,         ///< integers made of counts in 16 bits, beyond which these hold all
  kNextToNothing,  ///< numbers around 1e-10: nothing is left of what the left side keeps, or all else
  kBesideConstant,  ///< the same of numbers in the last digit beside a constant
};
constexpr int kExceptions = 9;
std::string_view to_string(Exception e);

struct StabilityReport {
  Stability measured = Stability::kExact;
  int evaluations = 0;  ///< of both sides; 0: no float instance was found, nothing was measured
  double worst = 0;     ///< largest median of right error / left error over the ranges
  std::string reason;   ///< unstable: on which numbers, and at what instance
  /// Where the sides are not equal at all: seen in double precision, on ordinary numbers or at edges.
  /// Empty for a true rule.
  std::string difference;
  /// Said, not counted as unstable.
  std::bitset<kExceptions> exceptions;
};

/// The class of the rule's arithmetic: "bit-exact" or "equal in exact arithmetic", "except at ..." where the
/// sides were seen to part.
std::string arithmetic_of(const StabilityReport& report);
/// Measured, the same bits everywhere, and no exception seen.
bool is_bit_exact(const StabilityReport& report);

StabilityReport measure_stability(ir::Context& ctx, const Rule& rule, const StabilityOptions& options = {});

/// "exact", "reassociates", "unstable".
std::string_view to_string(Stability stability);

}  // namespace isomer::rewrite
