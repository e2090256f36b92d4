// Opcodes that go element by element.
#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/hlo_lowering.h"
#include "ir/constant_data.h"

namespace isomer::formats {

using hlo::Opcode;
using hlo::Primitive;
using ir::ValueId;

namespace {

/// Opcodes that are one operator of the IR, whatever their elements are.
constexpr std::pair<Opcode, std::string_view> kPlain[] = {{Opcode::kAbs, "abs"},
                                                          {Opcode::kAcos, "acos"},
                                                          {Opcode::kAcosh, "acosh"},
                                                          {Opcode::kAsin, "asin"},
                                                          {Opcode::kAsinh, "asinh"},
                                                          {Opcode::kAtan2, "atan2"},
                                                          {Opcode::kAtanh, "atanh"},
                                                          {Opcode::kCbrt, "cbrt"},
                                                          {Opcode::kCeil, "ceil"},
                                                          {Opcode::kClz, "leading_zeros"},
                                                          {Opcode::kCos, "cos"},
                                                          {Opcode::kCosh, "cosh"},
                                                          {Opcode::kDivide, "div"},
                                                          {Opcode::kErf, "erf"},
                                                          {Opcode::kExp, "exp"},
                                                          {Opcode::kExpm1, "expm1"},
                                                          {Opcode::kFloor, "floor"},
                                                          {Opcode::kLog, "log"},
                                                          {Opcode::kLog1p, "log1p"},
                                                          {Opcode::kLogistic, "sigmoid"},
                                                          {Opcode::kNegate, "neg"},
                                                          {Opcode::kPopulationCount, "bit_count"},
                                                          {Opcode::kPower, "pow"},
                                                          {Opcode::kRoundNearestAfz, "round_away"},
                                                          {Opcode::kRoundNearestEven, "round"},
                                                          {Opcode::kSign, "sign"},
                                                          {Opcode::kSin, "sin"},
                                                          {Opcode::kSinh, "sinh"},
                                                          {Opcode::kSqrt, "sqrt"},
                                                          {Opcode::kSubtract, "sub"},
                                                          {Opcode::kTan, "tan"},
                                                          {Opcode::kTanh, "tanh"}};

/// Those that are another operator on pred than on numbers; empty: none.
struct ByElement {
  Opcode opcode;
  std::string_view numbers, pred, integers;
};
constexpr ByElement kByElement[] = {
    {Opcode::kAdd, "add", "or", "add"},     {Opcode::kMultiply, "mul", "and", "mul"},
    {Opcode::kMaximum, "max", "or", "max"}, {Opcode::kMinimum, "min", "and", "min"},
    {Opcode::kAnd, "", "and", "bit_and"},   {Opcode::kOr, "", "or", "bit_or"},
    {Opcode::kXor, "", "xor", "bit_xor"},   {Opcode::kNot, "", "not", "bit_not"}};

std::string_view by_element(Opcode opcode, Primitive element) {
  for (const ByElement& row : kByElement)
    if (row.opcode == opcode)
      return element == Primitive::kPred ? row.pred : hlo::is_integer(element) ? row.integers : row.numbers;
  return {};
}

/// The integers of as many bits with the other kind of sign.
ir::DType with_sign(ir::DType type, bool sign) {
  if (ir::has_sign(type) == sign) return type;
  constexpr std::pair<ir::DType, ir::DType> kPairs[] = {{ir::DType::kI8, ir::DType::kU8},
                                                        {ir::DType::kI16, ir::DType::kU16},
                                                        {ir::DType::kI32, ir::DType::kU32},
                                                        {ir::DType::kI64, ir::DType::kU64}};
  for (const auto& [with, without] : kPairs)
    if (type == with || type == without) return sign ? with : without;
  return type;  // of fewer bits, which operators refuse
}

}  // namespace

ValueId HloLowering::elementwise(const Values& x) {
  const Opcode opcode = m_[at_].opcode;
  for (const auto& [plain, op] : kPlain)
    if (plain == opcode) return b_.add(op, x);
  if (!x.empty())
    if (const std::string_view op = by_element(opcode, element_of(0)); !op.empty()) return b_.add(op, x);
  const auto spread = [&](size_t i) { return ir::broadcast(b_, x[i], ir::sizes_of(b_, x[1])); };
  switch (opcode) {
    case Opcode::kRemainder: return b_.add("mod", x, {{"fmod", int64_t{1}}});
    case Opcode::kRsqrt: return b_.add("reciprocal", {b_.add("sqrt", x)});
    case Opcode::kIsFinite: return b_.add("not", {b_.add("or", {b_.add("is_nan", x), b_.add("is_inf", x)})});
    case Opcode::kSelect: return b_.add("where", {spread(0), x[1], x[2]});
    case Opcode::kClamp: return b_.add("min", {b_.add("max", {x[1], spread(0)}), spread(2)});
    case Opcode::kConvert: return converted(x[0], dtype(element(m_.shape(at_))));
    case Opcode::kBitcastConvert: return same_bits(x[0]);
    case Opcode::kReducePrecision: return reduced_precision(x[0]);
    case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic:
    case Opcode::kShiftRightLogical: return shift(x);
    case Opcode::kCompare: return compare(x);
    case Opcode::kReal: return x[0];  // complex numbers do not come here
    case Opcode::kImag:
      return ir::broadcast(b_, b_.constant(b_.type(x[0]).dtype, {}, {0}), ir::sizes_of(b_, x[0]));
    default: return {};
  }
}

/// What a computation makes of scalars, of arrays.
ValueId HloLowering::mapped(const Values& x) {
  const Sizes out = sizes(m_.shape(at_));
  const hlo::Computation& body = m_[called(hlo::AttributeName::kToApply)];
  const uint32_t first = body.instructions.first;
  Values values;
  for (uint32_t i = 0; i < body.instructions.count; ++i) {
    const Reading reading(*this, hlo::InstructionId(first + i));
    Values operands;
    for (const hlo::InstructionId operand : m_.operands(at_)) operands.push_back(values[operand.v - first]);
    if (m_[at_].opcode == Opcode::kParameter)
      values.push_back(x[m_[at_].value]);
    else if (m_[at_].opcode == Opcode::kConstant)
      values.push_back(ir::broadcast(b_, constant(m_.literal(at_), {}), out));
    else
      values.push_back(elementwise(operands));
    if (!values.back().valid())
      fail("expected a map by operators that go element by element, found {}", name(m_[at_].opcode));
  }
  return values[body.root.v - first];
}

ValueId HloLowering::compare(const Values& operands) {
  Values x = operands;
  const auto type = m_.find(at_, hlo::AttributeName::kType);
  const auto direction = static_cast<hlo::Direction>(number(hlo::AttributeName::kDirection));
  const bool total = type && static_cast<hlo::ComparisonType>((*type)[0]) == hlo::ComparisonType::kTotalOrder;
  if (total && hlo::is_float(element_of(0))) return total_order(x, direction);
  if (element_of(0) == Primitive::kPred)  // bools have no order
    for (ValueId& v : x) v = cast(v, ir::DType::kI32);
  switch (direction) {
    case hlo::Direction::kEq: return b_.add("equal", x);
    case hlo::Direction::kNe: return b_.add("not", {b_.add("equal", x)});
    case hlo::Direction::kGe: return b_.add("greater_equal", x);
    case hlo::Direction::kGt: return b_.add("greater", x);
    case hlo::Direction::kLe: return b_.add("less_equal", x);
    case hlo::Direction::kLt: return b_.add("less", x);
  }
  fail("expected a direction of comparison");
}

/// -0 is before 0, and NaN behind all numbers. Signs of NaN are not told apart: evaluators have none.
ValueId HloLowering::total_order(const Values& x, hlo::Direction direction) {
  const auto before = [&](ValueId a, ValueId b) {
    const ValueId signs = b_.add("less", {b_.add("reciprocal", {a}), b_.add("reciprocal", {b})});
    const ValueId zeros = b_.add("and", {b_.add("equal", {a, b}), signs});
    const ValueId last = b_.add("and", {b_.add("is_nan", {b}), b_.add("not", {b_.add("is_nan", {a})})});
    return b_.add("or", {b_.add("less", {a, b}), b_.add("or", {zeros, last})});
  };
  const auto differ = [&] { return b_.add("or", {before(x[0], x[1]), before(x[1], x[0])}); };
  switch (direction) {
    case hlo::Direction::kEq: return b_.add("not", {differ()});
    case hlo::Direction::kNe: return differ();
    case hlo::Direction::kGe: return b_.add("not", {before(x[0], x[1])});
    case hlo::Direction::kGt: return before(x[1], x[0]);
    case hlo::Direction::kLe: return b_.add("not", {before(x[1], x[0])});
    case hlo::Direction::kLt: return before(x[0], x[1]);
  }
  fail("expected a direction of comparison");
}

/// A shift to the right keeps the sign of integers that have one, so they get one, or lose it, before. By
/// more than all bits, or by less than none, everything is shifted out: both are large without a sign.
ValueId HloLowering::shift(const Values& x) {
  const Opcode opcode = m_[at_].opcode;
  const std::string direction = opcode == Opcode::kShiftLeft ? "LEFT" : "RIGHT";
  const ir::DType type = dtype(element_of(0));
  const bool any = opcode == Opcode::kShiftLeft;
  const ir::DType as = any ? type : with_sign(type, opcode == Opcode::kShiftRightArithmetic);
  if (as == type) return b_.add("bit_shift", x, {{"direction", direction}});
  return cast(b_.add("bit_shift", {cast(x[0], as), cast(x[1], as)}, {{"direction", direction}}), type);
}

/// What an 8-bit float does not hold becomes infinite, or NaN where there is no infinity.
ValueId HloLowering::converted(ValueId x, ir::DType to) {
  if (!ir::is_float(to) || ir::bit_width(to) != 8 || !ir::row(to).format.saturates) return cast(x, to);
  const ir::DTypeRow& from = ir::row(b_.type(x).dtype);
  if (from.kind != ir::DTypeKind::kFloat || !from.computed) x = cast(x, ir::DType::kF32);
  return b_.add("cast_unsaturated", {x}, {{"to", static_cast<int64_t>(to)}});
}

/// Of integers a conversion, which wraps.
ValueId HloLowering::same_bits(ValueId x) {
  const Primitive from = element_of(0), to = element(m_.shape(at_));
  if (hlo::row(from).bits != hlo::row(to).bits)
    fail("expected a bitcast-convert to as many bits, found {} to {}", name(from), name(to));
  if (hlo::is_integer(from) && hlo::is_integer(to)) return cast(x, dtype(to));
  return b_.add("bit_cast", {x}, {{"to", static_cast<int64_t>(dtype(to))}});
}

/// Where the bits that stay are those of a type. Where fewer exponents stay, no number stays below the least
/// normal one: what would not round up to it, with as many bits as normal ones have, becomes 0 of its sign.
ValueId HloLowering::reduced_precision(ValueId x) {
  const int64_t exponent = number(hlo::AttributeName::kExponentBits),
                mantissa = number(hlo::AttributeName::kMantissaBits);
  const ir::DType type = dtype(element_of(0));
  for (const ir::DType to : {ir::DType::kF16, ir::DType::kBF16, ir::DType::kF32, ir::DType::kF64}) {
    const ir::FloatFormat& format = ir::row(to).format;
    if (format.exponent_bits != exponent || format.mantissa_bits != mantissa) continue;
    const ValueId rounded = cast(cast(x, to), type);
    if (exponent >= ir::row(type).format.exponent_bits) return rounded;
    const auto all = [&](double value) {
      const ValueId one = b_.constant(ir::add_constant(ctx_, type, {}, std::vector{value}));
      return ir::broadcast(b_, one, ir::sizes_of(b_, x));
    };
    const double rounds_up = std::ldexp(1 - std::ldexp(1.0, -format.mantissa_bits - 2), 1 - format.bias);
    const ValueId small = b_.add("less", {b_.add("abs", {x}), all(rounds_up)});
    return b_.add("where", {small, b_.add("mul", {x, all(0)}), rounded});
  }
  fail("expected the precision of f16, bf16, f32 or f64, found {} and {} bits", exponent, mantissa);
}

/// What jax's calls of this name compute on GPUs: Threefry-2x32 of 20 rounds, by its authors' description
/// (Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). Operands: two words
/// of a key, two of a counter.
HloLowering::Values HloLowering::threefry(const Values& x) {
  constexpr int kTurns[2][4] = {{13, 15, 26, 6}, {17, 29, 16, 24}};
  constexpr int64_t kBits = 32, kParity = 0x1bd11bda, kGroups = 5;
  const Sizes shape = ir::sizes_of(b_, x[0]);
  const auto all = [&](int64_t value) {
    return ir::broadcast(b_, integers(ir::DType::kU32, {}, {value}), shape);
  };
  const ValueId key[3] = {x[0], x[1], b_.add("bit_xor", {b_.add("bit_xor", {x[0], x[1]}), all(kParity)})};
  ValueId a = b_.add("add", {x[2], x[0]}), b = b_.add("add", {x[3], x[1]});
  for (int64_t group = 0; group < kGroups; ++group) {
    for (const int turn : kTurns[group % 2]) {
      a = b_.add("add", {a, b});
      b = b_.add("bit_or", {logical_shift(b, "LEFT", turn), logical_shift(b, "RIGHT", kBits - turn)});
      b = b_.add("bit_xor", {b, a});
    }
    a = b_.add("add", {a, key[(group + 1) % 3]});
    b = b_.add("add", {b_.add("add", {b, key[(group + 2) % 3]}), all(group + 1)});
  }
  return {a, b};
}

/// Of words of 32 bits, all of one shape.
bool HloLowering::is_threefry(const Values& x) const {
  if (hlo::custom_call_target(m_, at_) != "cuda_threefry2x32") return false;
  return x.size() == 4 && std::ranges::all_of(x, [&](ValueId v) {
           return b_.type(v).dtype == ir::DType::kU32 && ir::sizes_of(b_, v) == ir::sizes_of(b_, x[0]);
         });
}

ValueId HloLowering::logical_shift(ValueId x, const char* direction, int64_t by) {
  const ValueId all = ir::broadcast(b_, integers(b_.type(x).dtype, {}, {by}), ir::sizes_of(b_, x));
  return b_.add("bit_shift", {x, all}, {{"direction", std::string(direction)}});
}

ValueId HloLowering::joined_words(ValueId low, ValueId high) {
  return b_.add("bit_or",
                {cast(low, ir::DType::kU64), logical_shift(cast(high, ir::DType::kU64), "LEFT", 32)});
}

HloLowering::Values HloLowering::threefry_words(ValueId key, ValueId counter, int64_t count) {
  const ValueId at =
      b_.add("add", {ir::broadcast(b_, counter, {count}), counted(ir::DType::kU64, {count}, 0)});
  Values in;
  for (const ValueId word : {ir::broadcast(b_, key, {count}), at})
    for (const ValueId half : {word, logical_shift(word, "RIGHT", 32)})
      in.push_back(cast(half, ir::DType::kU32));
  return threefry(in);
}

/// Philox-4x32 of ten rounds, by the same authors.
HloLowering::Values HloLowering::philox_words(ValueId key, const Values& counter, int64_t count) {
  constexpr int64_t kFactors[2] = {0xd2511f53, 0xcd9e8d57}, kWeyl[2] = {0x9e3779b9, 0xbb67ae85};
  constexpr int kRounds = 10;
  const auto all = [&](ValueId v) { return ir::broadcast(b_, v, {count}); };
  const auto narrow = [&](ValueId v) { return cast(v, ir::DType::kU32); };
  const auto high = [&](ValueId v) { return narrow(logical_shift(v, "RIGHT", 32)); };
  const auto number = [&](ir::DType type, int64_t value) { return all(integers(type, {}, {value})); };
  const ValueId first = b_.add("add", {all(counter[0]), counted(ir::DType::kU64, {count}, 0)});
  const ValueId carried = cast(b_.add("less", {first, all(counter[0])}), ir::DType::kU64);
  const ValueId second = b_.add("add", {all(counter[1]), carried});
  Values c = {narrow(first), high(first), narrow(second), high(second)};
  Values k = {narrow(all(key)), high(all(key))};
  for (int round = 0; round < kRounds; ++round) {
    Values products;
    for (const size_t i : {0, 1})
      products.push_back(
          b_.add("mul", {cast(c[2 * i], ir::DType::kU64), number(ir::DType::kU64, kFactors[i])}));
    const auto mixed = [&](ValueId product, size_t word, size_t by) {
      return b_.add("bit_xor", {b_.add("bit_xor", {high(product), c[word]}), k[by]});
    };
    c = {mixed(products[1], 1, 0), narrow(products[1]), mixed(products[0], 3, 1), narrow(products[0])};
    for (const size_t i : {0, 1}) k[i] = b_.add("add", {k[i], number(ir::DType::kU32, kWeyl[i])});
  }
  return c;
}

/// As XLA's compiler for processors expands it, which takes Philox where the algorithm is left open. The
/// state is a key and a counter of one word for Threefry, of two for Philox; afterwards the counter is the
/// next one. Where a state for Philox has two words, the key is the counter's upper word too. Words of
/// Threefry's two results alternate along the first even dimension, else the longest; those of Philox stand
/// one behind the other.
HloLowering::Values HloLowering::random_bits(ValueId state) {
  constexpr int64_t kThreefry = 1;
  const hlo::ShapeId result = m_.shapes.part(m_.shape(at_), 1);
  const ir::DType type = dtype(element(result));
  const bool is_threefry = number(hlo::AttributeName::kAlgorithm) == kThreefry,
             is_wide = ir::bit_width(type) == 64;
  const Sizes words = ir::sizes_of(b_, state);
  if (b_.type(state).dtype != ir::DType::kU64 || (words != Sizes{2} && (is_threefry || words != Sizes{3})) ||
      !ir::is_integer(type) || ir::bit_width(type) < 8)
    fail("expected integers of 8 bits or more, of a state {}, found {} of a state {}",
         is_threefry ? "u64[2]" : "u64[2] or u64[3]", m_.shapes.print(result, false),
         m_.shapes.print(operand_shape(0), false));
  const auto product = [](const Sizes& sizes) {
    int64_t out = 1;
    for (const int64_t n : sizes) out *= n;
    return out;
  };
  const auto word = [&](int64_t at) { return ir::reshape(b_, part(state, 0, at, at + 1), {}); };
  const int64_t upper = words == Sizes{3} ? 2 : 0;  // word of Philox's counter
  const Sizes out = sizes(result), shape = out.empty() ? Sizes{1} : out;
  ValueId bits;
  int64_t used = 0;
  if (is_threefry) {
    const auto even = std::ranges::find_if(shape, [](int64_t n) { return n % 2 == 0; });
    const auto along = (even != shape.end() ? even : std::ranges::max_element(shape)) - shape.begin();
    Sizes half = shape;
    int64_t& n = half[static_cast<size_t>(along)];
    if (!is_wide) n = (n + 1) / 2;
    used = product(half);
    Values both = threefry_words(word(0), word(1), used);
    if (is_wide) {
      bits = ir::reshape(b_, joined_words(both[0], both[1]), shape);
    } else {
      Sizes apart = half;
      apart.insert(apart.begin() + along + 1, 1);
      for (ValueId& w : both) w = ir::reshape(b_, w, apart);
      const ValueId pairs = b_.add("concat", both, {{"axis", int64_t{along} + 1}});
      n *= 2;
      bits = part(ir::reshape(b_, pairs, half), along, 0, shape[static_cast<size_t>(along)]);
    }
  } else {
    constexpr int64_t kWords = 4;
    const int64_t count = product(shape) * (is_wide ? 2 : 1);
    used = (count + kWords - 1) / kWords;
    Values four = philox_words(word(0), {word(1), word(upper)}, used);
    for (ValueId& w : four) w = ir::reshape(b_, w, {used, 1});
    bits =
        part(ir::reshape(b_, b_.add("concat", four, {{"axis", int64_t{1}}}), {kWords * used}), 0, 0, count);
    if (is_wide) {
      const ValueId pairs = ir::reshape(b_, bits, {count / 2, 2});
      bits = joined_words(part(pairs, 1, 0, 1), part(pairs, 1, 1, 2));
    }
    bits = ir::reshape(b_, bits, shape);
  }
  Values next = {word(0), b_.add("add", {word(1), integers(ir::DType::kU64, {}, {used})})};
  if (words == Sizes{3})
    next.push_back(b_.add("add", {word(upper), cast(b_.add("less", {next[1], word(1)}), ir::DType::kU64)}));
  for (ValueId& w : next) w = ir::reshape(b_, w, {1});
  return {b_.add("concat", next, {{"axis", int64_t{0}}}), ir::reshape(b_, cast(bits, type), out)};
}

}  // namespace isomer::formats
