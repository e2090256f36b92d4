#include "passes/site.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace isomer::passes {
double Site::element_of(InstructionId constant, int64_t i) const {
  const hlo::Literal& literal = m.literal(constant);
  const Primitive type = m.shapes[literal.shape].element;
  return hlo::real_value(type, literal.bytes.data() + i * hlo::row(type).bytes);
}

bool Site::has_equal_elements(InstructionId constant) const {
  const hlo::Literal& literal = m.literal(constant);
  const auto width = static_cast<size_t>(hlo::row(element(constant)).bytes);
  for (size_t i = width; i < literal.bytes.size(); ++i)
    if (literal.bytes[i] != literal.bytes[i - width]) return false;
  return !literal.bytes.empty();
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
  if (hlo::is_complex(element(id)) || !has_equal_elements(id)) return std::nullopt;
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
  const auto function = m.binary_function(ComputationId(static_cast<uint32_t>((*to_apply)[0])));
  if (!function) return std::nullopt;
  switch (*function) {
    case Opcode::kAdd:
    case Opcode::kMultiply:
    case Opcode::kMaximum:
    case Opcode::kMinimum:
    case Opcode::kAnd:
    case Opcode::kOr:
    case Opcode::kXor: return function;
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
