// Whether the types of a module fit: for each instruction the rule of its opcode (rules.h) says what its
// operands must be and what its result is, as XLA's shape inference and verifier do. Layouts are not
// compared, nor whether sizes are bounds. Custom calls are trusted. The parser has already seen to it that
// names, numbers of operands and attributes are right, and that constants are of their shape.
#pragma once

#include <string>
#include <vector>

#include "hlo/module.h"

namespace isomer::hlo {

struct Fault {
  InstructionId instruction;
  std::string message;  ///< "expected ..., found ..."
};

/// What is wrong with the types of one instruction; empty: nothing. Computations that it calls are not looked
/// at.
std::string fault_of(const Module& module, InstructionId id);
/// At most `most` faults, in the order of the text.
std::vector<Fault> verify(const Module& module, size_t most = 20);
/// Throws InputError with the first fault, its line and column.
void require_valid(const Module& module);
/// A text whose types fit; throws InputError else.
Module parse_valid(std::string_view text, const std::string& file);
/// Throws InputError where the text leaves contents of constants out (`{...}`): such a module cannot be run.
void require_contents(const Module& module);

}  // namespace isomer::hlo
