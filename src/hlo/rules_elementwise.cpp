#include <algorithm>

#include "hlo/rules.h"

namespace isomer::hlo::rules {
namespace {

/// What kinds of elements an opcode takes.
enum class Takes : uint8_t { kNumbers, kNumbersOrPred, kInexact, kFloats, kIntegers, kBits };

bool takes(Takes what, Primitive element) {
  const PrimitiveKind kind = row(element).kind;
  switch (what) {
    case Takes::kNumbers: return kind != PrimitiveKind::kPred;
    case Takes::kNumbersOrPred: return true;
    case Takes::kInexact: return is_float(element) || is_complex(element);
    case Takes::kFloats: return is_float(element);
    case Takes::kIntegers: return is_integer(element);
    case Takes::kBits: return is_integer(element) || kind == PrimitiveKind::kPred;
  }
  return false;
}

std::string_view said(Takes what) {
  switch (what) {
    case Takes::kNumbers: return "numbers";
    case Takes::kNumbersOrPred: return "numbers or pred";
    case Takes::kInexact: return "floats or complex numbers";
    case Takes::kFloats: return "floats";
    case Takes::kIntegers: return "integers";
    case Takes::kBits: return "integers or pred";
  }
  return "";
}

void require_elements(const Checked& c, size_t i, Takes what) {
  c.require(takes(what, c.array(i).element), "expected {} as operand {} of {}, found {}", said(what), i,
            c.name(), c.print(c.operand(i)));
}

void unary(const Checked& c, Takes what) {
  require_elements(c, 0, what);
  c.require_result(c.operand(0));
}

void binary(const Checked& c, Takes what) {
  require_elements(c, 0, what);
  require_elements(c, 1, what);
  c.require_operand(1, c.operand(0));
  c.require_result(c.operand(0));
}

void require_same_dims(const Checked& c, const Array& a, const Array& b, std::string_view what) {
  c.require(std::ranges::equal(a.dims, b.dims), "expected {} of {} to have the dimensions [{}], found [{}]",
            what, c.name(), fmt::join(b.dims, ","), fmt::join(a.dims, ","));
}

}  // namespace

void arithmetic(const Checked& c) { binary(c, Takes::kNumbers); }
void arithmetic_or_pred(const Checked& c) { binary(c, Takes::kNumbersOrPred); }
void arithmetic_unary(const Checked& c) { unary(c, Takes::kNumbers); }
void bitwise(const Checked& c) { binary(c, Takes::kBits); }
void bitwise_unary(const Checked& c) { unary(c, Takes::kBits); }
void float_unary(const Checked& c) { unary(c, Takes::kFloats); }
void inexact_binary(const Checked& c) { binary(c, Takes::kInexact); }
void inexact_unary(const Checked& c) { unary(c, Takes::kInexact); }
void integer_binary(const Checked& c) { binary(c, Takes::kIntegers); }
void integer_unary(const Checked& c) { unary(c, Takes::kIntegers); }

void abs(const Checked& c) {
  require_elements(c, 0, Takes::kNumbers);
  const Array a = c.array(0);
  c.require_result(is_complex(a.element) ? part_of(a.element) : a.element, a.dims);
}

void clamp(const Checked& c) {
  const Array x = c.array(1);
  for (const size_t bound : {0, 2}) {
    const Array b = c.array(bound);
    c.require(b.element == x.element && (b.is_scalar() || std::ranges::equal(b.dims, x.dims)),
              "expected {}[] or {} as operand {} of clamp, found {}", name(x.element), c.print(c.operand(1)),
              bound, c.print(c.operand(bound)));
  }
  c.require_result(c.operand(1));
}

void compare(const Checked& c) {
  const Array a = c.array(0);
  c.require_operand(1, c.operand(0));
  const auto direction = static_cast<Direction>(c.number(AttributeName::kDirection));
  c.require(!is_complex(a.element) || direction == Direction::kEq || direction == Direction::kNe,
            "expected EQ or NE of complex numbers, found {}",
            words(WordList::kDirections)[static_cast<size_t>(direction)]);
  if (c.has(AttributeName::kType)) {
    const auto type = static_cast<ComparisonType>(c.number(AttributeName::kType));
    const PrimitiveKind kind = row(a.element).kind;
    const bool fits = type == ComparisonType::kSigned ? kind == PrimitiveKind::kSigned
                      : type == ComparisonType::kUnsigned
                          ? kind == PrimitiveKind::kUnsigned || kind == PrimitiveKind::kPred
                          : is_float(a.element) || (is_complex(a.element) && type == ComparisonType::kFloat);
    c.require(fits, "expected a type of comparison for {}, found {}", name(a.element),
              words(WordList::kComparisonTypes)[static_cast<size_t>(type)]);
  }
  c.require_result(Primitive::kPred, a.dims);
}

void complex(const Checked& c) {
  const Array a = c.array(0);
  const auto result = complex_of(a.element);
  c.require(result.has_value(), "expected f32 or f64 as operand 0 of complex, found {}",
            c.print(c.operand(0)));
  c.require_operand(1, c.operand(0));
  c.require_result(*result, a.dims);
}

void convert(const Checked& c) {
  const Array a = c.array(0), r = c.result_array();
  require_same_dims(c, r, a, "result");
  c.require(!is_complex(a.element) || is_complex(r.element),
            "expected a complex result of converting {}, found {}", name(a.element), name(r.element));
}

void is_finite(const Checked& c) {
  require_elements(c, 0, Takes::kFloats);
  c.require_result(Primitive::kPred, c.array(0).dims);
}

void map(const Checked& c) {
  c.require_operands(1, SIZE_MAX);
  const Array first = c.array(0);
  std::vector<Primitive> elements;
  for (size_t i = 0; i < c.operands(); ++i) {
    require_same_dims(c, c.array(i), first, fmt::format("operand {}", i));
    elements.push_back(c.array(i).element);
  }
  const auto dims = c.list(AttributeName::kDimensions);
  bool all = dims.size() == first.rank() || dims.empty();
  for (size_t i = 0; i < dims.size(); ++i) all = all && dims[i] == static_cast<int64_t>(i);
  c.require(all, "expected all {} dimensions in order in dimensions of map, found {{{}}}", first.rank(),
            fmt::join(dims, ","));
  const auto results = c.scalar_function(c.computation(AttributeName::kToApply), elements, 1);
  c.require_result(results[0], first.dims);
}

void part_of_complex(const Checked& c) {
  require_elements(c, 0, Takes::kInexact);
  const Array a = c.array(0);
  c.require_result(is_complex(a.element) ? part_of(a.element) : a.element, a.dims);
}

void reduce_precision(const Checked& c) {
  const int64_t exponent = c.number(AttributeName::kExponentBits),
                mantissa = c.number(AttributeName::kMantissaBits);
  c.require(exponent >= 1, "expected at least 1 in exponent_bits, found {}", exponent);
  c.require(mantissa >= 0, "expected no negative number in mantissa_bits, found {}", mantissa);
  float_unary(c);
}

void select(const Checked& c) {
  const Array p = c.array(0);
  c.require_operand(2, c.operand(1));
  c.require(p.element == Primitive::kPred, "expected pred as operand 0 of select, found {}",
            c.print(c.operand(0)));
  const ShapeId value = c.operand(1);
  c.require(
      p.is_scalar() || (c.of(value).kind == ShapeKind::kArray && std::ranges::equal(p.dims, c.array(1).dims)),
      "expected pred[] or pred of operand 1's dimensions as operand 0 of select, found {} for {}",
      c.print(c.operand(0)), c.print(value));
  c.require_result(value);
}

void stochastic_convert(const Checked& c) {
  const Array a = c.array(0), bits = c.array(1), r = c.result_array();
  require_elements(c, 0, Takes::kFloats);
  c.require(
      row(bits.element).kind == PrimitiveKind::kUnsigned && row(bits.element).bits == row(a.element).bits,
      "expected unsigned integers of {} bits as operand 1 of stochastic-convert, found {}",
      row(a.element).bits, c.print(c.operand(1)));
  require_same_dims(c, bits, a, "operand 1");
  require_same_dims(c, r, a, "result");
}

}  // namespace isomer::hlo::rules
