// Shapes: f32[2,<=3]{1,0:T(8,128)}, tuples, token[], opaque[], b(f32[2]).
#include <fmt/format.h>

#include "hlo/reader.h"

namespace isomer::hlo {

bool Reader::shape_begins() {
  skip();
  if (here() == '(') return true;
  const std::string_view text = peek_word();
  if (text.empty()) return false;
  const char* after = text.data() + text.size();
  if (after == end_) return false;
  return *after == '[' || (*after == '(' && text == "b");
}

/// The text of an array's shape that begins here, as far as it can be told without reading it; empty where
/// that is not an array.
std::string_view Reader::shape_text() const {
  const char* p = at_;
  while (p != end_ && kWordCharacters[static_cast<unsigned char>(*p)]) ++p;
  if (p == at_ || p == end_ || *p != '[') return {};
  while (p != end_ && *p != ']' && *p != '\n') ++p;
  if (p == end_ || *p != ']') return {};
  ++p;
  const char* brace = p;
  if (p != end_ && *p == '{' && p + 1 != end_ && ((p[1] >= '0' && p[1] <= '9') || p[1] == ':')) {
    while (p != end_ && *p != '}' && *p != '\n') ++p;
    p = p != end_ && *p == '}' ? p + 1 : brace;
  } else if (p != end_ && (*p == ' ' || *p == '{')) {
    // `f32[2] {1}` is a layout too, `f32[2] {` the beginning of a computation: that is read, not remembered.
    const char* q = p;
    while (q != end_ && *q == ' ') ++q;
    if (q != end_ && *q == '{') return {};
  }
  return {at_, static_cast<size_t>(p - at_)};
}

ShapeId Reader::shape() {
  skip();
  const std::string_view text = shape_text();
  if (text.empty()) return read_shape(0);
  if (const TextId known = shape_texts_.find(text); known.valid()) {
    at_ += text.size();
    return shape_of_text_[known.v];
  }
  const char* end = at_ + text.size();
  const ShapeId out = read_shape(0);
  if (at_ == end) {
    shape_texts_.intern(text);
    shape_of_text_.push_back(out);
  }
  return out;
}

ShapeId Reader::read_shape(int depth) {
  skip();
  if (depth > kDeepest) fail(at_, fmt::format("expected shapes that nest at most {} deep", kDeepest));
  if (take('(')) {
    std::vector<ShapeId> parts;
    if (!take(')')) {
      do {
        skip();
        parts.push_back(here() == '(' ? read_shape(depth + 1) : shape());
      } while (take(','));
      expect(')', "at the end of a tuple's shape");
    }
    return module.shapes.tuple(ShapeKind::kTuple, parts);
  }
  const char* first = at_;
  const std::string_view text = word();
  if (text == "b" && take('(')) {
    const ShapeId part[] = {read_shape(depth + 1)};
    expect(')', "at the end of a buffer's shape");
    return module.shapes.tuple(ShapeKind::kBuffer, part);
  }
  const std::optional<Primitive> element = parse_primitive(text);
  if (!element) fail_expected(first, "a shape");
  if (row(*element).kind != PrimitiveKind::kNoData) return read_array(*element);
  expect('[', "behind the type");
  expect(']', "behind it");
  return *element == Primitive::kToken ? module.shapes.token() : module.shapes.opaque();
}

ShapeId Reader::read_array(Primitive element) {
  std::vector<int64_t> dims;
  uint64_t dynamic = 0;
  const char* first = at_;
  list('[', ']', "in a shape", [&] {
    if (dims.size() == kMostDimensions)
      fail(at_, fmt::format("expected at most {} dimensions", kMostDimensions));
    const uint64_t bit = uint64_t{1} << dims.size();
    if (take('?')) {
      dynamic |= bit;
      dims.push_back(kUnbounded);
      return;
    }
    if (take("<=")) dynamic |= bit;
    skip();
    const char* at = at_;
    dims.push_back(integer("a size"));
    if (dims.back() < 0) fail_expected(at, "a size that is not negative");
  });
  Layout layout;
  const char* end = at_;
  if (take('{')) {
    const char c = peek();
    const bool empty = c == '}' && dims.empty() && end + 2 == at_ + 1;
    if ((c >= '0' && c <= '9') || c == ':' || empty)
      read_layout(dims.size(), layout);
    else
      rewind(end);
  }
  if (layout.given && layout.minor_to_major.size() != dims.size())
    fail(first, fmt::format("expected a layout of {} dimensions, found {}", dims.size(),
                            layout.minor_to_major.size()));
  return module.shapes.array(element, dims, dynamic, layout);
}

void Reader::read_layout(size_t dims, Layout& out) {
  out.given = true;
  uint64_t seen = 0;
  if (const char c = peek(); c != ':' && c != '}') {
    do {
      skip();
      const char* at = at_;
      const int64_t dim = integer("a dimension");
      const bool fits = dim >= 0 && dim < static_cast<int64_t>(dims);
      if (!fits || (seen >> dim & 1) != 0)
        fail_expected(at, "each dimension of the array once in its layout");
      seen |= uint64_t{1} << dim;
      out.minor_to_major.push_back(dim);
    } while (take(','));
  }
  if (take(':')) {
    // Tiles, memory spaces and such: kept as they stand.
    const char* first = at_;
    int open = 0;
    while (at_ != end_ && (*at_ != '}' || open > 0) && *at_ != '\n' && open >= 0) {
      open += *at_ == '(' ? 1 : *at_ == ')' ? -1 : 0;
      ++at_;
    }
    const std::string_view text(first, static_cast<size_t>(at_ - first));
    if (here() != '}' || text.empty() ||
        std::string_view("DTL#*ESPM").find(text[0]) == std::string_view::npos)
      fail_expected(first, "D, T, L, #, *, E, S, SC, P or M and '}' behind the layout's colon");
    out.rest = module.shapes.texts().intern(text);
  }
  expect('}', "at the end of a layout");
}

}  // namespace isomer::hlo
