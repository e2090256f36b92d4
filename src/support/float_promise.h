// What a result promises of its floats: one word, which rules, their applications and constant folding obey.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace isomer {

enum class FloatPromise : uint8_t {
  kStrict,  ///< the same bits, whatever the inputs
  kFinite,  ///< may round otherwise, but what is finite stays so (float_range.h says for which inputs)
  kFast,    ///< equal in exact arithmetic
};

inline std::optional<FloatPromise> parse_float_promise(std::string_view word) {
  if (word == "strict") return FloatPromise::kStrict;
  if (word == "finite") return FloatPromise::kFinite;
  if (word == "fast") return FloatPromise::kFast;
  return std::nullopt;
}

}  // namespace isomer
