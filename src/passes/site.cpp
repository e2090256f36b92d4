#include "passes/site.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace isomer::passes {
namespace {

template <class T>
T read(const std::byte* bytes) {
  T out;
  std::memcpy(&out, bytes, sizeof(T));
  return out;
}

template <class T>
double number_at(const std::byte* bytes) {
  return static_cast<double>(read<T>(bytes));
}

double integer_at(const std::byte* bytes, int width, bool is_signed) {
  switch (width) {
    case 1: return is_signed ? number_at<int8_t>(bytes) : number_at<uint8_t>(bytes);
    case 2: return is_signed ? number_at<int16_t>(bytes) : number_at<uint16_t>(bytes);
    case 4: return is_signed ? number_at<int32_t>(bytes) : number_at<uint32_t>(bytes);
    default: return is_signed ? number_at<int64_t>(bytes) : number_at<uint64_t>(bytes);
  }
}

}  // namespace

double Site::element_of(InstructionId constant, int64_t i) const {
  const hlo::Literal& literal = m.literal(constant);
  const Primitive type = m.shapes[literal.shape].element;
  const hlo::PrimitiveRow& row = hlo::row(type);
  const std::byte* at_byte = literal.bytes.data() + i * row.bytes;
  if (type == Primitive::kF32) return read<float>(at_byte);
  if (type == Primitive::kF64) return read<double>(at_byte);
  if (hlo::is_complex(type)) return std::numeric_limits<double>::quiet_NaN();
  if (hlo::is_float(type))
    return hlo::decode_float(row, row.bytes == 1 ? read<uint8_t>(at_byte) : read<uint16_t>(at_byte));
  return integer_at(at_byte, row.bytes, row.kind == hlo::PrimitiveKind::kSigned);
}

bool Site::has_static_shapes() const {
  if (m.shapes[m.shape(at)].dynamic != 0) return false;
  const auto operands = m.operands(at);
  return std::ranges::all_of(operands, [&](InstructionId id) { return m.shapes[m.shape(id)].dynamic == 0; });
}

std::optional<InstructionId> Site::splat_of(InstructionId id) const {
  if (!is(id, Opcode::kBroadcast) || rank(in(id, 0)) != 0) return std::nullopt;
  return in(id, 0);
}

std::optional<Uniform> Site::uniform(InstructionId id) const {
  if (const auto scalar = splat_of(id)) id = *scalar;
  if (!is_constant(id)) return std::nullopt;
  const hlo::Literal& literal = m.literal(id);
  const auto width = static_cast<size_t>(hlo::row(element(id)).bytes);
  if (literal.bytes.empty() || hlo::is_complex(element(id))) return std::nullopt;
  for (size_t i = width; i < literal.bytes.size(); ++i)
    if (literal.bytes[i] != literal.bytes[i - width]) return std::nullopt;
  const double value = element_of(id, 0);
  // Integers that a double does not hold are not compared by it.
  if (!hlo::is_float(element(id)) && std::fabs(value) > 0x1p53) return std::nullopt;
  return Uniform{id, value};
}

bool Site::is_constant_or_splat(InstructionId id) const {
  if (const auto scalar = splat_of(id)) id = *scalar;
  return is_constant(id);
}

std::optional<Opcode> Site::combiner(InstructionId id) const {
  const auto to_apply = m.find(id, AttributeName::kToApply);
  if (!to_apply) return std::nullopt;
  const ComputationId called(static_cast<uint32_t>((*to_apply)[0]));
  const auto parameters = m.parameters_of(called);
  const InstructionId root = m[called].root;
  if (parameters.size() != 2 || arity(root) != 2) return std::nullopt;
  const InstructionId a = in(root, 0), b = in(root, 1);
  if (!(a == parameters[0] && b == parameters[1]) && !(a == parameters[1] && b == parameters[0]))
    return std::nullopt;
  switch (op(root)) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return op(root);
    default: return std::nullopt;
  }
}

InstructionId Site::all(InstructionId like, double number) const {
  const InstructionId scalar = w.constant(element(like), number);
  const Dims of = dims(like);
  return of.empty() ? scalar : w.splat(scalar, of);
}

double Site::lowest(Primitive type) const {
  if (hlo::is_float(type)) return -std::numeric_limits<double>::infinity();
  const hlo::PrimitiveRow& row = hlo::row(type);
  return row.kind == hlo::PrimitiveKind::kSigned ? -std::ldexp(1.0, row.bits - 1) : 0;
}

double Site::highest(Primitive type) const {
  if (hlo::is_float(type)) return std::numeric_limits<double>::infinity();
  const hlo::PrimitiveRow& row = hlo::row(type);
  return std::ldexp(1.0, row.kind == hlo::PrimitiveKind::kSigned ? row.bits - 1 : row.bits) - 1;
}

}  // namespace isomer::passes
