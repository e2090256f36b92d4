// Shapes of values: arrays, nested tuples, tokens, opaque values, buffers. Each is kept once, so that equal
// shapes are equal ids; `plain` is the same shape without layouts, so that shapes which differ in layouts
// alone are told by comparing two numbers. A missing layout hashes as the default one (last dimension first),
// which is what XLA takes it for. What a layout says behind its colon (tiles, memory space, sizes of
// elements) is kept as text.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "hlo/primitive.h"
#include "hlo/text_table.h"
#include "support/ids.h"

namespace isomer::hlo {

struct ShapeTag;
using ShapeId = Id<ShapeTag>;

enum class ShapeKind : uint8_t { kArray, kTuple, kToken, kOpaque, kBuffer };

/// The size of a dimension that is not known at all: `?`.
constexpr int64_t kUnbounded = std::numeric_limits<int64_t>::min();
/// Dimensions that an array may have here: one bit of a word says whether a dimension is dynamic.
constexpr size_t kMostDimensions = 64;

/// What an array's layout says; without `given` nothing stood there.
struct Layout {
  bool given = false;
  std::vector<int64_t> minor_to_major;
  TextId rest;  ///< behind the colon; invalid: nothing
};

struct Shape {
  ShapeKind kind = ShapeKind::kArray;
  Primitive element = Primitive::kPred;
  bool has_layout = false;
  uint32_t first = 0, count = 0;  ///< dimensions, or the ids of a tuple's or buffer's parts
  uint32_t layout = 0;            ///< minor_to_major, `count` numbers where has_layout
  TextId layout_rest;
  uint64_t dynamic = 0;  ///< dimensions whose size is a bound
  uint64_t hash = 0;
  ShapeId plain;
};

class ShapeTable {
 public:
  ShapeId array(Primitive element, std::span<const int64_t> dims, uint64_t dynamic = 0,
                const Layout& layout = {});
  /// kTuple of any number of parts, kBuffer of one.
  ShapeId tuple(ShapeKind kind, std::span<const ShapeId> parts);
  ShapeId token();
  ShapeId opaque();

  const Shape& operator[](ShapeId id) const { return shapes_[id.v]; }
  std::span<const int64_t> dims(ShapeId id) const;
  std::span<const int64_t> minor_to_major(ShapeId id) const;
  ShapeId part(ShapeId id, size_t i) const {
    return ShapeId(static_cast<uint32_t>(numbers_[shapes_[id.v].first + i]));
  }
  /// Texts of layouts.
  const TextTable& texts() const { return texts_; }
  TextTable& texts() { return texts_; }
  size_t size() const { return shapes_.size(); }

  /// Equal but for layouts, and for whether sizes are bounds.
  bool compatible(ShapeId a, ShapeId b) const;
  /// Elements of an array; -1 where a size is not known or the product does not fit.
  int64_t elements(ShapeId id) const;
  /// Arrays (and tokens) in a tuple, nested ones counted through.
  int64_t leaves(ShapeId id) const;

  /// As XLA prints it: every fifth part of a tuple is preceded by its index.
  void print(ShapeId id, bool with_layout, std::string& out) const;
  std::string print(ShapeId id, bool with_layout = true) const;

 private:
  ShapeId intern(const Shape& shape, std::span<const int64_t> numbers, std::span<const int64_t> layout);
  ShapeId without_layout(const Shape& shape, std::span<const int64_t> numbers);

  TextTable texts_;
  std::vector<Shape> shapes_;
  std::vector<int64_t> numbers_;
  IdTable<ShapeId> ids_;
};

}  // namespace isomer::hlo
