// What an instruction computes of known elements, where every XLA computes the same bits: integers (they
// wrap; a quotient by zero is -1), truths, movement, and of floats what IEEE 754 rounds correctly. Where an
// operand or a result is a NaN or a denormal number (which XLA's code may flush) arithmetic of floats is left
// alone.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "passes/writer.h"

namespace isomer::passes {

using Bytes = std::vector<std::byte>;
using BytesView = std::span<const std::byte>;

/// The elements of an array; nothing where they are not known to the last bit.
std::optional<Bytes> evaluated(const Module& module, InstructionId id, std::span<const BytesView> operands);

/// One element: a float is a double, anything else 64 bits (of unsigned types the same bits).
struct Scalar {
  int64_t whole = 0;
  double real = 0;
};

/// Whether elements of the type are computed with here.
bool is_known(Primitive type);
Scalar load(Primitive type, const std::byte* bytes);
void store(Primitive type, const Scalar& value, std::byte* bytes);
/// An operator of two numbers of one type with a result of that type.
std::optional<Scalar> applied(Opcode opcode, Primitive type, const Scalar& a, const Scalar& b);

/// Broadcasts, slices and such (evaluate_movement.cpp).
std::optional<Bytes> moved(const Module& module, InstructionId id, std::span<const BytesView> operands);

}  // namespace isomer::passes
