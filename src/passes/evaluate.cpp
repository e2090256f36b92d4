#include "passes/evaluate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "hlo/literal.h"

namespace isomer::passes {
namespace {

using enum Opcode;
using hlo::Direction;

bool is_unsigned(Primitive type) { return hlo::row(type).kind == hlo::PrimitiveKind::kUnsigned; }

/// Into the bits of an integer type.
int64_t wrapped(Primitive type, uint64_t bits) {
  const auto unused = static_cast<unsigned>(64 - hlo::row(type).bits);
  if (is_unsigned(type)) return static_cast<int64_t>(bits << unused >> unused);
  return static_cast<int64_t>(bits << unused) >> unused;
}

double least_normal(Primitive type) {
  switch (type) {
    case Primitive::kF16: return 0x1p-14;
    case Primitive::kF64: return std::numeric_limits<double>::min();
    default: return static_cast<double>(std::numeric_limits<float>::min());
  }
}

/// No NaN and not denormal: every machine computes with it alike.
bool is_plain(Primitive type, double value) {
  return value == 0 || (!std::isnan(value) && std::fabs(value) >= least_normal(type));
}

double rounded(Primitive type, double value) {
  const Bytes bytes = scalar_bytes(type, value);
  return hlo::real_value(type, bytes.data());
}

std::optional<Scalar> plain(Primitive type, double value) {
  const double out = rounded(type, value);
  if (!is_plain(type, out)) return std::nullopt;
  return Scalar{0, out};
}

std::optional<Scalar> of_floats(Opcode opcode, Primitive type, double a, double b) {
  if (!is_plain(type, a) || !is_plain(type, b)) return std::nullopt;
  switch (opcode) {
    // Double precision rounds sums, products and quotients of half its digits so that the second rounding
    // does no harm.
    case kAdd: return plain(type, a + b);
    case kSubtract: return plain(type, a - b);
    case kMultiply: return plain(type, a * b);
    case kDivide: return plain(type, a / b);
    case kMaximum:
    case kMinimum:
      if (a == 0 && b == 0 && std::signbit(a) != std::signbit(b)) return std::nullopt;
      return Scalar{0, opcode == kMaximum ? std::max(a, b) : std::min(a, b)};
    default: return std::nullopt;
  }
}

std::optional<int64_t> quotient(Opcode opcode, Primitive type, int64_t a, int64_t b) {
  if (b == 0) return opcode == kDivide ? -1 : a;
  if (is_unsigned(type)) {
    const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<int64_t>(opcode == kDivide ? x / y : x % y);
  }
  if (b == -1) return opcode == kDivide ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : 0;
  return opcode == kDivide ? a / b : a % b;
}

/// By an amount that is taken for unsigned; what is shifted out altogether is 0, or the sign.
int64_t shifted(Opcode opcode, Primitive type, int64_t a, int64_t b) {
  const int bits = hlo::row(type).bits;
  const uint64_t mask = ~uint64_t{0} >> (64 - bits), by = static_cast<uint64_t>(b) & mask;
  if (opcode == kShiftRightArithmetic) {
    // The sign of an unsigned number is its first bit.
    const auto filled = static_cast<int64_t>(static_cast<uint64_t>(a) << (64 - bits)) >> (64 - bits);
    return filled >> std::min<uint64_t>(by, 63);
  }
  if (by >= static_cast<uint64_t>(bits)) return 0;
  const uint64_t x = static_cast<uint64_t>(a) & mask;
  return static_cast<int64_t>(opcode == kShiftLeft ? x << by : x >> by);
}

bool is_less(Primitive type, int64_t a, int64_t b) {
  return is_unsigned(type) ? static_cast<uint64_t>(a) < static_cast<uint64_t>(b) : a < b;
}

std::optional<int64_t> of_integers(Opcode opcode, Primitive type, int64_t a, int64_t b) {
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (opcode) {
    case kAdd: return static_cast<int64_t>(x + y);
    case kSubtract: return static_cast<int64_t>(x - y);
    case kMultiply: return static_cast<int64_t>(x * y);
    case kDivide:
    case kRemainder: return quotient(opcode, type, a, b);
    case kMaximum: return is_less(type, a, b) ? b : a;
    case kMinimum: return is_less(type, a, b) ? a : b;
    case kAnd: return a & b;
    case kOr: return a | b;
    case kXor: return a ^ b;
    case kShiftLeft:
    case kShiftRightArithmetic:
    case kShiftRightLogical: return shifted(opcode, type, a, b);
    default: return std::nullopt;
  }
}

std::optional<Scalar> of_one(Opcode opcode, Primitive type, const Scalar& a) {
  if (hlo::is_float(type)) {
    if (!is_plain(type, a.real)) return std::nullopt;
    if (opcode == kNegate) return Scalar{0, -a.real};
    if (opcode == kAbs) return Scalar{0, std::fabs(a.real)};
    return std::nullopt;
  }
  const auto bits = static_cast<uint64_t>(a.whole);
  if (opcode == kNot) return Scalar{type == Primitive::kPred ? a.whole ^ 1 : wrapped(type, ~bits)};
  if (type == Primitive::kPred) return std::nullopt;
  const bool negative = !is_unsigned(type) && a.whole < 0;
  switch (opcode) {
    case kNegate: return Scalar{wrapped(type, -bits)};
    case kAbs: return Scalar{wrapped(type, negative ? -bits : bits)};
    case kSign: return Scalar{negative ? -1 : static_cast<int64_t>(a.whole != 0)};
    default: return std::nullopt;
  }
}

std::optional<bool> compared(const Module& m, InstructionId id, Primitive type, const Scalar& a,
                             const Scalar& b) {
  bool less = false, equal = false;
  if (hlo::is_float(type)) {
    if (!is_plain(type, a.real) || !is_plain(type, b.real)) return std::nullopt;
    const auto order = m.find(id, AttributeName::kType);
    if (order && (*order)[0] == static_cast<int64_t>(hlo::ComparisonType::kTotalOrder)) return std::nullopt;
    less = a.real < b.real;
    equal = a.real == b.real;
  } else {
    less = is_less(type, a.whole, b.whole);
    equal = a.whole == b.whole;
  }
  switch (static_cast<Direction>(m.number(id, AttributeName::kDirection))) {
    case Direction::kEq: return equal;
    case Direction::kNe: return !equal;
    case Direction::kGe: return !less;
    case Direction::kGt: return !less && !equal;
    case Direction::kLe: return less || equal;
    case Direction::kLt: return less;
  }
  return std::nullopt;
}

std::optional<Scalar> converted_float(Primitive from, Primitive to, double a) {
  if (!is_plain(from, a)) return std::nullopt;
  if (to == Primitive::kPred) return Scalar{static_cast<int64_t>(a != 0)};
  if (!hlo::is_float(to)) {
    // What does not fit is cut off in one way by one XLA and in another by the next.
    const int bits = hlo::row(to).bits - (is_unsigned(to) ? 0 : 1);
    if (!(std::fabs(a) < std::ldexp(1.0, std::min(bits, 62)))) return std::nullopt;
    if (is_unsigned(to) && a <= -1) return std::nullopt;
    return Scalar{static_cast<int64_t>(a)};
  }
  // By way of single precision it would be rounded twice.
  if (hlo::row(to).bits < 32 && static_cast<double>(static_cast<float>(a)) != a) return std::nullopt;
  return plain(to, a);
}

std::optional<Scalar> converted(Primitive from, Primitive to, const Scalar& a) {
  if (hlo::is_float(from)) return converted_float(from, to, a.real);
  if (to == Primitive::kPred) return Scalar{static_cast<int64_t>(a.whole != 0)};
  if (!hlo::is_float(to)) return Scalar{wrapped(to, static_cast<uint64_t>(a.whole))};
  // A double holds it, so that it is rounded once; types of 16 bits may be reached by way of single
  // precision.
  const int64_t most = int64_t{1} << (hlo::row(to).bits < 32 ? 24 : 53);
  if (a.whole > most || a.whole < -most) return std::nullopt;
  return plain(to, static_cast<double>(a.whole));
}

class Elements {
 public:
  Elements(const Module& module, InstructionId id, std::span<const BytesView> operands)
      : m_(module), id_(id), operands_(operands), type_(element(id)) {}

  std::optional<Bytes> run() const {
    const auto width = static_cast<size_t>(hlo::row(type_).bytes);
    const int64_t count = m_.shapes.elements(m_.shape(id_));
    Bytes out(static_cast<size_t>(count) * width);
    for (int64_t i = 0; i < count; ++i) {
      const auto value = at(i);
      if (!value) return std::nullopt;
      store(type_, *value, out.data() + static_cast<size_t>(i) * width);
    }
    return out;
  }

 private:
  Primitive element(InstructionId id) const { return m_.shapes[m_.shape(id)].element; }
  Primitive operand_type(size_t k) const { return element(m_.operands(id_)[k]); }
  /// Scalars go with every element.
  Scalar in(size_t k, int64_t i) const {
    const Primitive type = operand_type(k);
    const bool scalar = m_.shapes.dims(m_.shape(m_.operands(id_)[k])).empty();
    return load(type, operands_[k].data() + (scalar ? 0 : i) * hlo::row(type).bytes);
  }

  std::optional<Scalar> at(int64_t i) const {
    const Opcode opcode = m_[id_].opcode;
    switch (operands_.size()) {
      case 1:
        if (opcode == kConvert) return converted(operand_type(0), type_, in(0, i));
        return of_one(opcode, type_, in(0, i));
      case 2:
        if (opcode != kCompare) return applied(opcode, type_, in(0, i), in(1, i));
        if (const auto is = compared(m_, id_, operand_type(0), in(0, i), in(1, i)))
          return Scalar{*is ? 1 : 0};
        return std::nullopt;
      default:
        if (opcode == kSelect) return in(in(0, i).whole != 0 ? 1 : 2, i);
        if (opcode != kClamp) return std::nullopt;
        if (const auto high = applied(kMaximum, type_, in(1, i), in(0, i)))
          return applied(kMinimum, type_, *high, in(2, i));
        return std::nullopt;
    }
  }

  const Module& m_;
  InstructionId id_;
  std::span<const BytesView> operands_;
  Primitive type_;
};

/// One array by an operator whose order does not matter to the last bit.
std::optional<Bytes> reduced(const Module& m, InstructionId id, std::span<const BytesView> operands) {
  if (operands.size() != 2) return std::nullopt;
  const Primitive type = m.shapes[m.shape(id)].element;
  const auto callee = ComputationId(static_cast<uint32_t>(m.number(id, AttributeName::kToApply)));
  const auto opcode = m.binary_function(callee);
  constexpr Opcode kAnyOrder[] = {kAdd, kMultiply, kMaximum, kMinimum, kAnd, kOr, kXor};
  if (!opcode || std::ranges::find(kAnyOrder, *opcode) == std::end(kAnyOrder)) return std::nullopt;
  if (hlo::is_float(type) && *opcode != kMaximum && *opcode != kMinimum) return std::nullopt;
  const DimsView sizes = m.shapes.dims(m.shape(m.operands(id)[0]));
  Dims steps(sizes.size(), 0);
  int64_t count = 1;
  for (size_t d = sizes.size(); d-- > 0;)
    if (std::ranges::count(m.list(id, AttributeName::kDimensions), static_cast<int64_t>(d)) == 0) {
      steps[d] = count;
      count *= sizes[d];
    }
  std::vector<Scalar> sums(static_cast<size_t>(count), load(type, operands[1].data()));
  const auto width = hlo::row(type).bytes;
  const int64_t elements = m.shapes.elements(m.shape(m.operands(id)[0]));
  for (int64_t i = 0; i < elements; ++i) {
    int64_t place = 0, rest = i;
    for (size_t d = sizes.size(); d-- > 0; rest /= sizes[d]) place += rest % sizes[d] * steps[d];
    Scalar& sum = sums[static_cast<size_t>(place)];
    const auto next = applied(*opcode, type, sum, load(type, operands[0].data() + i * width));
    if (!next) return std::nullopt;
    sum = *next;
  }
  Bytes out(static_cast<size_t>(count * width));
  for (int64_t i = 0; i < count; ++i) store(type, sums[static_cast<size_t>(i)], out.data() + i * width);
  return out;
}

}  // namespace

bool is_known(Primitive type) {
  constexpr int kByte = 8;
  const hlo::PrimitiveRow& row = hlo::row(type);
  if (row.kind == hlo::PrimitiveKind::kFloat) return row.bits > kByte;
  return type == Primitive::kPred || (hlo::is_integer(type) && row.bits >= kByte);
}

Scalar load(Primitive type, const std::byte* bytes) {
  if (hlo::is_float(type)) return {0, hlo::real_value(type, bytes)};
  return {hlo::whole_value(type, bytes)};
}

void store(Primitive type, const Scalar& value, std::byte* bytes) {
  const auto width = static_cast<size_t>(hlo::row(type).bytes);
  if (hlo::is_float(type)) {
    const Bytes rounded = scalar_bytes(type, value.real);
    std::memcpy(bytes, rounded.data(), width);
  } else {
    std::memcpy(bytes, &value.whole, width);
  }
}

std::optional<Scalar> applied(Opcode opcode, Primitive type, const Scalar& a, const Scalar& b) {
  if (hlo::is_float(type)) return of_floats(opcode, type, a.real, b.real);
  if (type == Primitive::kPred && opcode != kAnd && opcode != kOr && opcode != kXor && opcode != kMaximum &&
      opcode != kMinimum)
    return std::nullopt;
  const auto out = of_integers(opcode, type, a.whole, b.whole);
  if (!out) return std::nullopt;
  return Scalar{type == Primitive::kPred ? *out & 1 : wrapped(type, static_cast<uint64_t>(*out))};
}

std::optional<Bytes> evaluated(const Module& module, InstructionId id, std::span<const BytesView> operands) {
  if (auto out = moved(module, id, operands)) return out;
  const auto known = [&](InstructionId a) {
    return module.shapes[module.shape(a)].kind == hlo::ShapeKind::kArray &&
           is_known(module.shapes[module.shape(a)].element);
  };
  if (!known(id) || operands.empty() || !std::ranges::all_of(module.operands(id), known)) return std::nullopt;
  switch (module[id].opcode) {
    case kReduce: return reduced(module, id, operands);
    case kAdd:
    case kSubtract:
    case kMultiply:
    case kDivide:
    case kRemainder:
    case kMaximum:
    case kMinimum:
    case kAnd:
    case kOr:
    case kXor:
    case kShiftLeft:
    case kShiftRightArithmetic:
    case kShiftRightLogical:
    case kNegate:
    case kAbs:
    case kSign:
    case kNot:
    case kConvert:
    case kCompare:
    case kSelect:
    case kClamp: return Elements(module, id, operands).run();
    default: return std::nullopt;
  }
}

}  // namespace isomer::passes
