#include "hlo/shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "support/errors.h"
#include "support/hash.h"

namespace isomer::hlo {
namespace {

bool is_default(std::span<const int64_t> minor_to_major) {
  for (size_t i = 0; i < minor_to_major.size(); ++i)
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  return true;
}

}  // namespace

std::span<const int64_t> ShapeTable::dims(ShapeId id) const {
  const Shape& s = shapes_[id.v];
  return std::span(numbers_).subspan(s.first, s.kind == ShapeKind::kArray ? s.count : 0);
}

std::span<const int64_t> ShapeTable::minor_to_major(ShapeId id) const {
  const Shape& s = shapes_[id.v];
  return std::span(numbers_).subspan(s.layout, s.has_layout ? s.count : 0);
}

ShapeId ShapeTable::without_layout(const Shape& shape, std::span<const int64_t> numbers) {
  Shape plain = shape;
  plain.has_layout = false;
  plain.layout_rest = {};
  if (shape.kind != ShapeKind::kTuple && shape.kind != ShapeKind::kBuffer) return intern(plain, numbers, {});
  std::vector<int64_t> parts;
  for (const int64_t part : numbers) parts.push_back(shapes_[static_cast<size_t>(part)].plain.v);
  return intern(plain, parts, {});
}

ShapeId ShapeTable::intern(const Shape& shape, std::span<const int64_t> numbers,
                           std::span<const int64_t> layout) {
  uint64_t hash = hash_combine(static_cast<uint64_t>(shape.kind), static_cast<uint64_t>(shape.element));
  hash = hash_combine(hash, shape.dynamic);
  const bool nested = shape.kind == ShapeKind::kTuple || shape.kind == ShapeKind::kBuffer;
  for (const int64_t n : numbers)
    hash = hash_combine(hash, nested ? shapes_[static_cast<size_t>(n)].hash : static_cast<uint64_t>(n));
  if (!is_default(layout))
    for (const int64_t n : layout) hash = hash_combine(hash, static_cast<uint64_t>(n));
  if (shape.layout_rest.valid()) hash = hash_combine(hash, texts_.hash(shape.layout_rest));
  const auto same = [&](ShapeId id) {
    const Shape& s = shapes_[id.v];
    const auto held = std::span(numbers_);
    return s.hash == hash && s.kind == shape.kind && s.element == shape.element &&
           s.dynamic == shape.dynamic && s.has_layout == shape.has_layout &&
           s.layout_rest == shape.layout_rest &&
           std::ranges::equal(held.subspan(s.first, s.count), numbers) &&
           std::ranges::equal(held.subspan(s.layout, s.has_layout ? s.count : 0), layout);
  };
  if (const ShapeId known = ids_.find(hash, same); known.valid()) return known;
  const std::vector<int64_t> kept(numbers.begin(), numbers.end()), order(layout.begin(), layout.end());
  bool is_plain = !shape.has_layout;
  if (nested)
    for (const int64_t n : kept)
      is_plain = is_plain && shapes_[static_cast<size_t>(n)].plain.v == static_cast<uint32_t>(n);
  const ShapeId plain = is_plain ? ShapeId{} : without_layout(shape, kept);
  const ShapeId id(shapes_.size());
  Shape row = shape;
  row.first = static_cast<uint32_t>(numbers_.size());
  row.count = static_cast<uint32_t>(kept.size());
  numbers_.insert(numbers_.end(), kept.begin(), kept.end());
  row.layout = static_cast<uint32_t>(numbers_.size());
  numbers_.insert(numbers_.end(), order.begin(), order.end());
  row.hash = hash;
  row.plain = plain.valid() ? plain : id;
  shapes_.push_back(row);
  ids_.insert_growing(hash, id, [&](ShapeId other) { return shapes_[other.v].hash; });
  return id;
}

ShapeId ShapeTable::array(Primitive element, std::span<const int64_t> dims, uint64_t dynamic,
                          const Layout& layout) {
  REQUIRE(dims.size() <= kMostDimensions, "too many dimensions");
  REQUIRE(!layout.given || layout.minor_to_major.size() == dims.size(), "a layout orders all dimensions");
  Shape shape;
  shape.element = element;
  shape.dynamic = dynamic;
  shape.has_layout = layout.given;
  shape.layout_rest = layout.rest;
  return intern(shape, dims, layout.minor_to_major);
}

ShapeId ShapeTable::tuple(ShapeKind kind, std::span<const ShapeId> parts) {
  Shape shape;
  shape.kind = kind;
  std::vector<int64_t> numbers;
  numbers.reserve(parts.size());
  for (const ShapeId part : parts) numbers.push_back(part.v);
  return intern(shape, numbers, {});
}

ShapeId ShapeTable::token() {
  Shape shape;
  shape.kind = ShapeKind::kToken;
  shape.element = Primitive::kToken;
  return intern(shape, {}, {});
}

ShapeId ShapeTable::opaque() {
  Shape shape;
  shape.kind = ShapeKind::kOpaque;
  shape.element = Primitive::kOpaque;
  return intern(shape, {}, {});
}

bool ShapeTable::compatible(ShapeId a, ShapeId b) const {
  const Shape &x = shapes_[a.v], &y = shapes_[b.v];
  if (x.plain == y.plain) return true;
  if (x.kind != y.kind || x.element != y.element || x.count != y.count) return false;
  if (x.kind == ShapeKind::kArray) return std::ranges::equal(dims(a), dims(b));
  for (size_t i = 0; i < x.count; ++i)
    if (!compatible(part(a, i), part(b, i))) return false;
  return true;
}

int64_t ShapeTable::elements(ShapeId id) const {
  int64_t count = 1;
  for (const int64_t n : dims(id))
    if (n < 0 || __builtin_mul_overflow(count, n, &count)) return -1;
  return count;
}

int64_t ShapeTable::leaves(ShapeId id) const {
  const Shape& s = shapes_[id.v];
  if (s.kind != ShapeKind::kTuple) return 1;
  int64_t count = 0;
  for (size_t i = 0; i < s.count; ++i) count += leaves(part(id, i));
  return count;
}

void ShapeTable::print(ShapeId id, bool with_layout, std::string& out) const {
  const Shape& s = shapes_[id.v];
  const auto to = std::back_inserter(out);
  if (s.kind == ShapeKind::kTuple || s.kind == ShapeKind::kBuffer) {
    out += s.kind == ShapeKind::kBuffer ? "b(" : "(";
    for (size_t i = 0; i < s.count; ++i) {
      if (i > 0) out += ", ";
      if (i > 0 && i % 5 == 0) fmt::format_to(to, "/*index={}*/", i);
      print(part(id, i), with_layout, out);
    }
    out += ')';
    return;
  }
  out += name(s.element);
  out += '[';
  const auto sizes = dims(id);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (i > 0) out += ',';
    if (sizes[i] == kUnbounded)
      out += '?';
    else
      fmt::format_to(to, "{}{}", (s.dynamic >> i & 1) != 0 ? "<=" : "", sizes[i]);
  }
  out += ']';
  if (!with_layout || !s.has_layout || (s.count == 0 && !s.layout_rest.valid())) return;
  out += '{';
  const auto order = minor_to_major(id);
  for (size_t i = 0; i < order.size(); ++i) fmt::format_to(to, "{}{}", i > 0 ? "," : "", order[i]);
  if (s.layout_rest.valid()) {
    out += ':';
    out += texts_.text(s.layout_rest);
  }
  out += '}';
}

std::string ShapeTable::print(ShapeId id, bool with_layout) const {
  std::string out;
  print(id, with_layout, out);
  return out;
}

}  // namespace isomer::hlo
