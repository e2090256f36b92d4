// What HLO instructions can be: one table (opcodes.inc) says of each opcode how it is written, how many
// operands it takes, its rule of types, and which attributes it must and may have.
#pragma once

#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

#include "hlo/attribute.h"

namespace isomer::hlo {

class Checked;

enum class Opcode : uint8_t {
#define HLO_OPCODE(name, text, arity, rule, required, optional) name,
#include "hlo/opcodes.inc"
#undef HLO_OPCODE
};

constexpr int kOpcodeCount = [] {
  using enum Opcode;
  constexpr Opcode kAll[] = {
#define HLO_OPCODE(name, text, arity, rule, required, optional) name,
#include "hlo/opcodes.inc"
#undef HLO_OPCODE
  };
  return static_cast<int>(std::size(kAll));
}();

struct OpcodeRow {
  std::string_view text;
  int arity;                     ///< kVariadic: any number
  void (*rule)(const Checked&);  ///< throws Mismatch where types do not fit (verify.cpp)
  AttributeSet required;
  AttributeSet allowed;  ///< all that it may have, `required` and those of every instruction among them
};
constexpr int kVariadic = -1;

const OpcodeRow& row(Opcode opcode);
inline std::string_view name(Opcode opcode) { return row(opcode).text; }
/// Each element of the result is made of the elements at its place (told by the rule of types).
bool is_elementwise(Opcode opcode);
/// ... by a function that no processor has as an operation.
bool is_transcendental(Opcode opcode);
/// Calls computations that are no part of a kernel: a call, a while, a conditional.
bool is_control_flow(Opcode opcode);
std::optional<Opcode> parse_opcode(std::string_view text);

}  // namespace isomer::hlo
