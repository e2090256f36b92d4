// Strong 32-bit ids: an index into one table cannot be used for another by mistake.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace isomer {

/// An index with a type of its own. Default-constructed ids are invalid.
template <class Tag>
struct Id {
  static constexpr uint32_t kInvalid = 0xFFFFFFFFu;
  uint32_t v = kInvalid;

  constexpr Id() = default;
  constexpr explicit Id(uint32_t value) : v(value) {}
  constexpr explicit Id(size_t value) : v(static_cast<uint32_t>(value)) {}
  constexpr explicit Id(int value) : v(static_cast<uint32_t>(value)) {}

  constexpr bool valid() const { return v != kInvalid; }
  constexpr size_t index() const { return v; }
  constexpr auto operator<=>(const Id&) const = default;
};

}  // namespace isomer

template <class Tag>
struct std::hash<isomer::Id<Tag>> {
  size_t operator()(isomer::Id<Tag> id) const noexcept { return id.v * 0x9E3779B97F4A7C15ull; }
};
