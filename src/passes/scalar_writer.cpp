#include "passes/scalar_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numbers>

#include "ir/scalar_table.h"

namespace isomer::passes {
namespace {

using ir::ScalarOp;
using meaning::Sort;

/// Scalar operators that are one opcode, of numbers and of integers alike.
constexpr std::pair<ScalarOp, Opcode> kPlain[] = {
    {ScalarOp::kAdd, Opcode::kAdd},
    {ScalarOp::kSub, Opcode::kSubtract},
    {ScalarOp::kMul, Opcode::kMultiply},
    {ScalarOp::kDiv, Opcode::kDivide},
    {ScalarOp::kNeg, Opcode::kNegate},
    {ScalarOp::kMax, Opcode::kMaximum},
    {ScalarOp::kMin, Opcode::kMinimum},
    {ScalarOp::kAbs, Opcode::kAbs},
    {ScalarOp::kSign, Opcode::kSign},
    {ScalarOp::kPow, Opcode::kPower},
    {ScalarOp::kExp, Opcode::kExp},
    {ScalarOp::kLog, Opcode::kLog},
    {ScalarOp::kSqrt, Opcode::kSqrt},
    {ScalarOp::kErf, Opcode::kErf},
    {ScalarOp::kTanh, Opcode::kTanh},
    {ScalarOp::kSin, Opcode::kSin},
    {ScalarOp::kCos, Opcode::kCos},
    {ScalarOp::kTan, Opcode::kTan},
    {ScalarOp::kFloor, Opcode::kFloor},
    {ScalarOp::kCeil, Opcode::kCeil},
    {ScalarOp::kRound, Opcode::kRoundNearestEven},
    {ScalarOp::kFMod, Opcode::kRemainder},
    {ScalarOp::kShiftLeft, Opcode::kShiftLeft},
    {ScalarOp::kBitNot, Opcode::kNot},
    {ScalarOp::kShiftRight, Opcode::kShiftRightLogical},
};

/// Functions that were added for HLO's sake (ir/ops/xla_elements.cpp), by the names of their rows.
constexpr std::pair<std::string_view, Opcode> kAdded[] = {{"expm1", Opcode::kExpm1},
                                                          {"log1p", Opcode::kLog1p},
                                                          {"cbrt", Opcode::kCbrt},
                                                          {"atan2", Opcode::kAtan2},
                                                          {"round_away", Opcode::kRoundNearestAfz}};

std::optional<Opcode> opcode_of(ScalarOp op) {
  const auto* const plain = std::ranges::find(kPlain, op, &std::pair<ScalarOp, Opcode>::first);
  if (plain != std::end(kPlain)) return plain->second;
  const auto* const added =
      std::ranges::find(kAdded, ir::row(op).name, &std::pair<std::string_view, Opcode>::first);
  return added != std::end(kAdded) ? std::optional(added->second) : std::nullopt;
}

}  // namespace

Primitive element_of(const Module& module, InstructionId array) {
  return module.shapes[module.shape(array)].element;
}

Dims dims_of(const Module& module, InstructionId array) {
  const DimsView of = module.shapes.dims(module.shape(array));
  return {of.begin(), of.end()};
}

std::optional<Primitive> primitive_of(ir::DType type) {
  for (int i = 0; i < hlo::kPrimitiveCount; ++i)
    if (const auto out = static_cast<Primitive>(i); hlo::row(out).dtype == type && !hlo::is_complex(out))
      return out;
  return std::nullopt;
}

InstructionId whole(Writer& writer, Primitive type, int64_t value) {
  std::vector<std::byte> bytes(static_cast<size_t>(hlo::row(type).bytes));
  for (size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::byte>(static_cast<uint64_t>(value) >> (8 * i));
  return writer.constant(writer.array(type, {}), std::move(bytes));
}

InstructionId padded(Writer& writer, InstructionId x, InstructionId fill, DimsView padding) {
  return std::ranges::all_of(padding, [](int64_t n) { return n == 0; }) ? x : writer.pad(x, fill, padding);
}

InstructionId filled(Writer& writer, InstructionId scalar, DimsView dims) {
  return dims.empty() ? scalar : writer.splat(scalar, dims);
}

InstructionId neutral(Writer& writer, ir::Combiner combiner, Primitive type) {
  if (combiner == ir::Combiner::kSum || combiner == ir::Combiner::kProduct)
    return writer.constant(type, combiner == ir::Combiner::kSum ? 0 : 1);
  const bool largest = combiner == ir::Combiner::kMin;
  if (hlo::is_float(type)) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    return writer.constant(type, largest ? kInfinity : -kInfinity);
  }
  const hlo::PrimitiveRow& row = hlo::row(type);
  const bool sign = row.kind == hlo::PrimitiveKind::kSigned;
  std::vector<std::byte> bytes(static_cast<size_t>(row.bytes), static_cast<std::byte>(largest ? 0xff : 0));
  if (sign) bytes.back() = static_cast<std::byte>(largest ? 0x7f : 0x80);
  return writer.constant(writer.array(type, {}), std::move(bytes));
}

InstructionId converted(Writer& writer, InstructionId x, Primitive type) {
  const Primitive from = element_of(writer.module(), x);
  if (from == type) return x;
  if (type != Primitive::kPred) return writer.convert(x, type);
  const Dims dims = dims_of(writer.module(), x);
  return writer.compare(hlo::Direction::kNe, x, filled(writer, writer.constant(from, 0), dims));
}

InstructionId ScalarWriter::run(const meaning::ScalarProgram& program) {
  registers_.clear();
  for (const Instr& in : program.code) {
    // A number that becomes a narrow integer does so at once: XLA holds it to the type's range.
    const Instr* const before = in.op == ScalarOp::kCast ? &program.code[static_cast<size_t>(in.a)] : nullptr;
    const std::optional<Primitive> narrow = primitive_of(in.dtype);
    if (before != nullptr && before->op == ScalarOp::kToInteger && narrow && hlo::is_integer(*narrow))
      registers_.push_back(w_.convert(as_sort(before->a, Sort::kNumber), *narrow));
    else
      registers_.push_back(instruction(in));
    if (!registers_.back().valid()) {
      if (why_.empty()) why_ = fmt::format("HLO has no opcode for {}", ir::row(in.op).name);
      return {};
    }
  }
  return registers_.back();
}

InstructionId ScalarWriter::all(Primitive type, double value) {
  return filled(w_, w_.constant(type, value), leaves_.dims);
}

InstructionId ScalarWriter::as_sort(int32_t reg, Sort sort) {
  const InstructionId x = registers_[static_cast<size_t>(reg)];
  return converted(w_, x, sort == Sort::kNumber ? types_.number : types_.whole);
}

InstructionId ScalarWriter::instruction(const Instr& in) {
  const auto reg = [&](int32_t i) { return registers_[static_cast<size_t>(i)]; };
  switch (in.op) {
    case ScalarOp::kSelect: {
      InstructionId then = reg(in.b), otherwise = reg(in.c);
      if (element_of(w_.module(), then) != element_of(w_.module(), otherwise)) {
        then = as_sort(in.b, in.sort);
        otherwise = as_sort(in.c, in.sort);
      }
      return w_.select(converted(w_, reg(in.a), Primitive::kPred), then, otherwise);
    }
    // What has 64 bits is kept as signed.
    case ScalarOp::kToNumber:
      return converted(
          w_,
          element_of(w_.module(), reg(in.a)) == Primitive::kU64 ? as_sort(in.a, Sort::kInteger) : reg(in.a),
          types_.number);
    case ScalarOp::kToInteger: return w_.convert(as_sort(in.a, Sort::kNumber), Primitive::kS64);
    case ScalarOp::kCast: {
      const std::optional<Primitive> to = primitive_of(in.dtype);
      return to ? converted(w_, reg(in.a), *to) : InstructionId();
    }
    case ScalarOp::kLess:
    case ScalarOp::kLessEqual:
    case ScalarOp::kEqual: return compared(in);
    case ScalarOp::kIsNan: return w_.compare(hlo::Direction::kNe, reg(in.a), reg(in.a));
    case ScalarOp::kIsInf: {
      const InstructionId x = as_sort(in.a, Sort::kNumber);
      return w_.compare(hlo::Direction::kEq, w_.unary(Opcode::kAbs, x),
                        all(types_.number, std::numeric_limits<double>::infinity()));
    }
    case ScalarOp::kNot: return w_.unary(Opcode::kNot, converted(w_, reg(in.a), Primitive::kPred));
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor: return logical(in);
    default: return ir::operand_count(in.op) == 0 ? leaf(in) : arithmetic(in);
  }
}

InstructionId ScalarWriter::leaf(const Instr& in) {
  switch (in.op) {
    case ScalarOp::kRead: return leaves_.read(in.index);
    case ScalarOp::kValid: return leaves_.valid(in.index);
    case ScalarOp::kAcc: return leaves_.acc(in.index);
    case ScalarOp::kVar: return leaves_.var(in.index);
    case ScalarOp::kConst: return all(types_.number, in.value);
    case ScalarOp::kIntConst: return filled(w_, whole(w_, types_.whole, in.integer), leaves_.dims);
    default: return {};
  }
}

/// Truths stay truths.
InstructionId ScalarWriter::logical(const Instr& in) {
  const Opcode opcode = in.op == ScalarOp::kAnd  ? Opcode::kAnd
                        : in.op == ScalarOp::kOr ? Opcode::kOr
                                                 : Opcode::kXor;
  const InstructionId a = registers_[static_cast<size_t>(in.a)], b = registers_[static_cast<size_t>(in.b)];
  if (element_of(w_.module(), a) == Primitive::kPred && element_of(w_.module(), b) == Primitive::kPred)
    return w_.binary(opcode, a, b);
  return w_.binary(opcode, as_sort(in.a, Sort::kInteger), as_sort(in.b, Sort::kInteger));
}

InstructionId ScalarWriter::compared(const Instr& in) {
  const hlo::Direction direction = in.op == ScalarOp::kEqual  ? hlo::Direction::kEq
                                   : in.op == ScalarOp::kLess ? hlo::Direction::kLt
                                                              : hlo::Direction::kLe;
  const InstructionId a = registers_[static_cast<size_t>(in.a)], b = registers_[static_cast<size_t>(in.b)];
  const Primitive type = element_of(w_.module(), a);
  const bool ordered = type != Primitive::kPred && type != Primitive::kU64;
  if (type == element_of(w_.module(), b) && (ordered || in.op == ScalarOp::kEqual))
    return w_.compare(direction, a, b);
  return w_.compare(direction, as_sort(in.a, in.sort), as_sort(in.b, in.sort));
}

/// What XLA compiles for processors has no code for these functions, so that they are written out. By half
/// sums of exponentials and logarithms of sums, in the forms that neither cancel near zero nor overflow
/// before the result does.
InstructionId ScalarWriter::transcendental(ScalarOp op, InstructionId x) {
  const auto value = [&](double number) { return all(types_.number, number); };
  const auto of = [&](Opcode opcode, InstructionId a) { return w_.unary(opcode, a); };
  const auto by = [&](Opcode opcode, InstructionId a, InstructionId b) { return w_.binary(opcode, a, b); };
  const auto add = [&](InstructionId a, InstructionId b) { return by(Opcode::kAdd, a, b); };
  const auto times = [&](InstructionId a, InstructionId b) { return by(Opcode::kMultiply, a, b); };
  const auto larger = [&](InstructionId a, double limit) {
    return w_.compare(hlo::Direction::kGt, a, value(limit));
  };
  const InstructionId one = value(1);
  // sqrt((1 - x) (1 + x)), and half of e^x.
  const auto opposite = [&] { return of(Opcode::kSqrt, times(by(Opcode::kSubtract, one, x), add(one, x))); };
  const auto half_exp = [&](InstructionId a) { return of(Opcode::kExp, add(a, value(-std::numbers::ln2))); };
  constexpr double kLarge = 1e9;  // beyond which the square is all that counts
  switch (op) {
    case ScalarOp::kAtan: return by(Opcode::kAtan2, x, one);
    case ScalarOp::kAsin: return by(Opcode::kAtan2, x, opposite());
    case ScalarOp::kAcos: return by(Opcode::kAtan2, opposite(), x);
    case ScalarOp::kCosh: return add(half_exp(x), half_exp(of(Opcode::kNegate, x)));
    case ScalarOp::kSinh: {
      const InstructionId large = by(Opcode::kSubtract, half_exp(x), half_exp(of(Opcode::kNegate, x)));
      const InstructionId m = of(Opcode::kExpm1, x);
      const InstructionId small = times(value(0.5), add(m, by(Opcode::kDivide, m, add(m, one))));
      return w_.select(larger(of(Opcode::kAbs, x), 1), large, small);
    }
    case ScalarOp::kAsinh: {
      const InstructionId a = of(Opcode::kAbs, x), square = times(a, a);
      const InstructionId root = of(Opcode::kSqrt, add(square, one));
      const InstructionId small = of(Opcode::kLog1p, add(a, by(Opcode::kDivide, square, add(one, root))));
      const InstructionId large = add(of(Opcode::kLog, a), value(std::numbers::ln2));
      return times(of(Opcode::kSign, x), w_.select(larger(a, kLarge), large, small));
    }
    case ScalarOp::kAcosh: {
      const InstructionId root = of(Opcode::kSqrt, times(by(Opcode::kSubtract, x, one), add(x, one)));
      const InstructionId large = add(of(Opcode::kLog, x), value(std::numbers::ln2));
      return w_.select(larger(x, kLarge), large, of(Opcode::kLog, add(x, root)));
    }
    case ScalarOp::kAtanh: {
      const InstructionId apart =
          by(Opcode::kSubtract, of(Opcode::kLog1p, x), of(Opcode::kLog1p, of(Opcode::kNegate, x)));
      return times(value(0.5), apart);
    }
    default: return {};
  }
}

/// With the divisor's sign; HLO's has the dividend's.
InstructionId ScalarWriter::floored_remainder(InstructionId a, InstructionId b) {
  const InstructionId rest = w_.binary(Opcode::kRemainder, a, b);
  const InstructionId zero = all(element_of(w_.module(), a), 0);
  const auto negative = [&](InstructionId x) { return w_.compare(hlo::Direction::kLt, x, zero); };
  const InstructionId differ = w_.compare(hlo::Direction::kNe, negative(rest), negative(b));
  const InstructionId there = w_.compare(hlo::Direction::kNe, rest, zero);
  return w_.select(w_.binary(Opcode::kAnd, differ, there), w_.binary(Opcode::kAdd, rest, b), rest);
}

InstructionId ScalarWriter::arithmetic(const Instr& in) {
  const InstructionId a = as_sort(in.a, in.sort);
  if (const InstructionId out = transcendental(in.op, a); out.valid()) return out;
  if (hlo::row(element_of(w_.module(), a)).kind == hlo::PrimitiveKind::kUnsigned) {
    if (in.op == ScalarOp::kAbs) return a;
    if (in.op == ScalarOp::kSign) return w_.binary(Opcode::kMinimum, a, all(types_.whole, 1));
  }
  if (in.op == ScalarOp::kMod) return floored_remainder(a, as_sort(in.b, in.sort));
  std::vector<InstructionId> args = {a};
  if (in.b >= 0) args.push_back(as_sort(in.b, in.sort));
  const std::optional<Opcode> opcode = opcode_of(in.op);
  if (!opcode) return expression(ir::row(in.op), args);
  return args.size() == 1 ? w_.unary(*opcode, a) : w_.binary(*opcode, a, args[1]);
}

InstructionId ScalarWriter::expression(const ir::ScalarRow& row, std::span<const InstructionId> args) {
  if (row.code.kind() != ir::CodeKind::kExpression) return {};
  const std::vector<Sort> numbers(args.size(), Sort::kNumber);
  const auto read = [&](int i) { return args[static_cast<size_t>(i)]; };
  const ScalarLeaves operands{leaves_.dims, read, {}, {}, {}};
  ScalarWriter writer(w_, types_, operands);
  const InstructionId out = writer.run(meaning::compile(row.code.expression(), numbers, {}, row.name));
  why_ = writer.why();
  return out;
}

}  // namespace isomer::passes
