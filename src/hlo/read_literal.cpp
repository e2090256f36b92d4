// Contents of constants. Numbers are read as XLA reads them: floats as doubles, then rounded to their type;
// digits without a point or an exponent as whole numbers, so that "-0" is 0 and "-0.0" is not.
#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "hlo/reader.h"

namespace isomer::hlo {
namespace {

template <class T>
void append(std::vector<std::byte>& out, T value) {
  const size_t at = out.size();
  out.resize(at + sizeof(T));
  std::memcpy(out.data() + at, &value, sizeof(T));
}

void append_bits(std::vector<std::byte>& out, int bytes, uint64_t bits) {
  switch (bytes) {
    case 1: return append(out, static_cast<uint8_t>(bits));
    case 2: return append(out, static_cast<uint16_t>(bits));
    case 4: return append(out, static_cast<uint32_t>(bits));
    default: return append(out, bits);
  }
}

class LiteralReader {
 public:
  LiteralReader(Reader& reader, Literal& out) : reader_(reader), out_(out) {}

  void read(ShapeId id) {
    const Shape shape = reader_.module.shapes[id];
    if (shape.kind == ShapeKind::kTuple) {
      reader_.expect('(', "before the parts of a tuple");
      for (size_t i = 0; i < shape.count; ++i) {
        if (i > 0) reader_.expect(',', "between the parts of a tuple");
        read(reader_.module.shapes.part(id, i));
      }
      return reader_.expect(')', fmt::format("behind the {} parts of a tuple", shape.count));
    }
    if (shape.kind != ShapeKind::kArray)
      reader_.fail(reader_.at(), "expected an array or a tuple as type of a constant");
    for (const int64_t n : reader_.module.shapes.dims(id))
      if (n < 0) reader_.fail(reader_.at(), "expected sizes that are known as type of a constant");
    dims_ = reader_.module.shapes.dims(id);
    type_ = shape.element;
    level(0);
  }

 private:
  void level(size_t depth) {
    if (depth == dims_.size()) return element();
    reader_.expect(
        '{', fmt::format("before {} {}", dims_[depth], depth + 1 == dims_.size() ? "elements" : "arrays"));
    for (int64_t i = 0; i < dims_[depth]; ++i) {
      if (i > 0) reader_.expect(',', fmt::format("and {} more", dims_[depth] - i));
      level(depth + 1);
    }
    reader_.expect(
        '}', fmt::format("behind {} {}", dims_[depth], depth + 1 == dims_.size() ? "elements" : "arrays"));
  }

  void element() {
    const PrimitiveRow& r = row(type_);
    switch (r.kind) {
      case PrimitiveKind::kPred: return pred();
      case PrimitiveKind::kSigned:
      case PrimitiveKind::kUnsigned: return whole(r);
      case PrimitiveKind::kFloat: return real(r, type_);
      case PrimitiveKind::kComplex: {
        const Primitive part = part_of(type_);
        reader_.expect('(', "before a complex number");
        real(row(part), part);
        reader_.expect(',', "between the parts of a complex number");
        real(row(part), part);
        return reader_.expect(')', "behind a complex number");
      }
      case PrimitiveKind::kNoData: return;
    }
  }

  void pred() {
    const char c = reader_.peek();
    const bool digit = (c >= '0' && c <= '9') || c == '-';
    append(out_.bytes,
           static_cast<uint8_t>(digit ? reader_.integer("true, false, 0 or 1") != 0 : reader_.boolean()));
  }

  void whole(const PrimitiveRow& r) {
    const char c = reader_.peek();
    const char* at = reader_.at();
    if (c == 't' || c == 'f') return append_bits(out_.bytes, r.bytes, reader_.boolean() ? 1 : 0);
    const std::string_view rest = reader_.rest();
    if (r.kind == PrimitiveKind::kUnsigned) {
      uint64_t value = 0;
      const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
      const bool fits = r.bits == 64 || value >> r.bits == 0;
      if (error != std::errc() || !fits) reader_.fail_expected(at, fmt::format("a number of {}", r.name));
      reader_.rewind(end);
      return append_bits(out_.bytes, r.bytes, value);
    }
    const int64_t value = reader_.integer(fmt::format("a number of {}", r.name));
    const int64_t most =
        r.bits == 64 ? std::numeric_limits<int64_t>::max() : (int64_t{1} << (r.bits - 1)) - 1;
    if (value > most || value < -most - 1) reader_.fail_expected(at, fmt::format("a number of {}", r.name));
    append_bits(out_.bytes, r.bytes, static_cast<uint64_t>(value));
  }

  void real(const PrimitiveRow& r, Primitive type) {
    const char c = reader_.peek();
    const char* at = reader_.at();
    const bool negative = c == '-';
    if (c == 'n' || c == 'i' ||
        (negative && reader_.rest().size() > 1 && (reader_.rest()[1] == 'n' || reader_.rest()[1] == 'i')))
      return special(r, type, negative);
    if (c == 't' || c == 'f') return store(r, type, reader_.boolean() ? 1 : 0);
    const double value = reader_.real("a number");
    if (type == Primitive::kF32
            ? std::isinf(static_cast<float>(value))
            : type != Primitive::kF64 && std::fabs(value) > r.format.largest && !rounds_to_largest(r, value))
      reader_.fail_expected(at, fmt::format("a number of {}'s range", r.name));
    store(r, type, value);
  }

  static bool rounds_to_largest(const PrimitiveRow& r, double value) {
    return std::fabs(decode_float(r, encode_float(r, value))) == r.format.largest &&
           r.format.specials != ir::FloatSpecials::kNone;
  }

  void store(const PrimitiveRow& r, Primitive type, double value) {
    if (type == Primitive::kF32) return append(out_.bytes, static_cast<float>(value));
    if (type == Primitive::kF64) return append(out_.bytes, value);
    append_bits(out_.bytes, r.bytes, encode_float(r, value));
  }

  /// inf, -inf, nan, -nan, nan(0x400001).
  void special(const PrimitiveRow& r, Primitive type, bool negative) {
    const char* at = reader_.at();
    if (negative) reader_.rewind(at + 1);
    const std::string_view text = reader_.word();
    if (text == "inf") {
      const double value = std::numeric_limits<double>::infinity();
      if (r.format.specials != ir::FloatSpecials::kIeee)
        reader_.fail_expected(at, fmt::format("a number of {}", r.name));
      return store(r, type, negative ? -value : value);
    }
    if (text != "nan" || r.format.specials == ir::FloatSpecials::kNone)
      reader_.fail_expected(at, fmt::format("a number of {}", r.name));
    const int mantissa = r.format.mantissa_bits;
    if (r.format.specials != ir::FloatSpecials::kIeee)
      return append_bits(
          out_.bytes, r.bytes,
          encode_float(r, std::copysign(std::numeric_limits<double>::quiet_NaN(), negative ? -1 : 1)));
    uint64_t payload = uint64_t{1} << (mantissa - 1);
    if (reader_.here() == '(') payload = this->payload(mantissa);
    const uint64_t exponent = ((uint64_t{1} << r.format.exponent_bits) - 1) << mantissa;
    const uint64_t sign = negative ? uint64_t{1} << (mantissa + r.format.exponent_bits) : 0;
    append_bits(out_.bytes, r.bytes, sign | exponent | payload);
  }

  uint64_t payload(int mantissa) {
    const char* at = reader_.at();
    uint64_t value = 0;
    const std::string_view rest = reader_.rest();
    if (!rest.starts_with("(0x")) reader_.fail_expected(at, "(0x...) behind nan");
    const auto [end, error] = std::from_chars(rest.data() + 3, rest.data() + rest.size(), value, 16);
    if (error != std::errc() || value == 0 || value >> mantissa != 0)
      reader_.fail_expected(at, fmt::format("a NaN's payload of 1 to {} bits", mantissa));
    reader_.rewind(end);
    reader_.expect(')', "behind a NaN's payload");
    return value;
  }

  Reader& reader_;
  Literal& out_;
  std::span<const int64_t> dims_;
  Primitive type_ = Primitive::kPred;
};

}  // namespace

Literal Reader::literal(ShapeId shape) {
  Literal out;
  out.shape = shape;
  skip();
  const char* first = at_;
  if (take('{') && take("...")) {
    expect('}', "behind the dots of a constant that is left out");
    out.elided = true;
    return out;
  }
  rewind(first);
  LiteralReader(*this, out).read(shape);
  return out;
}

}  // namespace isomer::hlo
