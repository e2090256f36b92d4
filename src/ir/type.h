// Dimensions, shapes and value types. Types are interned in a Context; everything else passes TypeId.
#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ir/dtype.h"
#include "support/ids.h"

namespace isomer::ir {

using TypeId = Id<struct TypeTag>;
using SymbolId = Id<struct SymbolTag>;

/// One dimension: an integer >= 0, a named symbol (equal names are equal sizes), or unknown (equal to
/// nothing, not even itself).
class Dim {
 public:
  constexpr Dim() = default;
  constexpr explicit Dim(int64_t size) : raw_(size) {}
  static constexpr Dim symbol(SymbolId id) { return from_raw(-1 - static_cast<int64_t>(id.v)); }
  static constexpr Dim unknown() { return from_raw(std::numeric_limits<int64_t>::min()); }
  static constexpr Dim from_raw(int64_t raw) {
    Dim d;
    d.raw_ = raw;
    return d;
  }

  constexpr bool is_static() const { return raw_ >= 0; }
  constexpr bool is_unknown() const { return raw_ == std::numeric_limits<int64_t>::min(); }
  constexpr bool is_symbol() const { return raw_ < 0 && !is_unknown(); }
  constexpr int64_t size() const { return raw_; }
  constexpr SymbolId symbol() const { return SymbolId(static_cast<uint32_t>(-1 - raw_)); }
  constexpr int64_t raw() const { return raw_; }
  /// Known to be the same size: same integer or same symbol.
  constexpr bool same(Dim other) const { return raw_ == other.raw_ && !is_unknown(); }
  /// Identity of representation (unknown == unknown); for interning, not for reasoning: see same().
  constexpr auto operator<=>(const Dim&) const = default;

 private:
  int64_t raw_ = std::numeric_limits<int64_t>::min();
};

using Shape = std::vector<Dim>;

Shape static_shape(std::span<const int64_t> sizes);
inline Shape static_shape(std::initializer_list<int64_t> sizes) {
  return static_shape(std::span<const int64_t>(sizes.begin(), sizes.size()));
}
bool is_static(const Shape& shape);
/// All dimensions known to be the same.
bool same_shape(const Shape& a, const Shape& b);
/// Product of the sizes (1 for a scalar); every dimension must be static.
int64_t element_count(const Shape& shape);
/// The sizes as integers; every dimension must be static.
std::vector<int64_t> sizes(const Shape& shape);

enum class TypeKind : uint8_t { kTensor, kTuple, kToken, kOpaque };

struct Type {
  TypeKind kind = TypeKind::kOpaque;
  DType dtype = DType::kUndefined;  ///< tensors
  bool ranked = true;               ///< tensors: false when not even the rank is known
  Shape shape;                      ///< ranked tensors
  std::vector<TypeId> elements;     ///< tuples
  std::string opaque;               ///< kOpaque: serialized or printed foreign type (sequence, map, unknown)
  /// Tensors: dimensions from the one whose neighbours lie side by side in memory to the outermost, as a
  /// format or a machine wants it; empty: row-major, or nobody cares. Type rules do not look at it.
  std::vector<int> layout = {};

  static Type tensor(DType dtype, Shape shape) {
    return {TypeKind::kTensor, dtype, true, std::move(shape), {}, {}};
  }
  static Type unranked(DType dtype) { return {TypeKind::kTensor, dtype, false, {}, {}, {}}; }
  static Type tuple(std::vector<TypeId> elements) {
    return {TypeKind::kTuple, DType::kUndefined, true, {}, std::move(elements), {}};
  }
  static Type unknown(std::string text = {}) {
    return {TypeKind::kOpaque, DType::kUndefined, true, {}, {}, std::move(text)};
  }

  bool is_tensor() const { return kind == TypeKind::kTensor; }
  bool is_ranked_tensor() const { return is_tensor() && ranked; }
  bool is_static_tensor() const { return is_ranked_tensor() && is_static(shape); }
  bool operator==(const Type&) const = default;
};

}  // namespace isomer::ir
