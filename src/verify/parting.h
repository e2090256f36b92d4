// Where two programs part: given which of the first one's values have an equal in the second one, the first
// value that has a counterpart and differs from it, and the equal values that it is computed from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace isomer::verify {

enum class Standing : uint8_t {
  kUnpaired,  ///< no counterpart is known
  kEqual,
  kDiffers,
};

struct Parting {
  uint32_t value = 0;             ///< kDiffers; nothing that it depends on differs in sight
  std::vector<uint32_t> from;     ///< nearest kEqual values (or leaves without operands) that it depends on
  std::vector<uint32_t> between;  ///< kUnpaired values on the way, in order
};

/// Values are numbered so that operands come first. Walks back from `output` (which differs), not beyond
/// equal values: a pair that differs while everything after it is equal again was no pair.
std::optional<Parting> find_parting(const std::vector<std::vector<uint32_t>>& operands,
                                    std::span<const Standing> standing, uint32_t output);

}  // namespace isomer::verify
