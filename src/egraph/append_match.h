// A match as a walk over a code tree has it, in registers, written down as a row of a table.
#pragma once

#include "egraph/ematch.h"

namespace isomer::egraph {

inline void append_match(Matches& table, const Program& program, const ClassId* registers,
                         const uint32_t* attrs) {
  const std::span<uint32_t> match = table.append();
  match[0] = registers[0].v;
  size_t at = 1;
  for (uint32_t reg : program.class_register) match[at++] = reg == kUnbound ? kUnbound : registers[reg].v;
  for (uint32_t reg : program.attr_register) match[at++] = reg == kUnbound ? kUnbound : attrs[reg];
}

}  // namespace isomer::egraph
