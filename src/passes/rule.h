// A rewrite rule of an HLO pass: for an instruction of its opcode, what may stand in its place.
#pragma once

#include <span>
#include <string_view>

#include "passes/site.h"

namespace isomer::passes {

struct Rule {
  Opcode opcode;
  std::string_view name;
  /// Invalid where the rule does not apply. Nothing is written before it is known that it does.
  InstructionId (*rewrite)(const Site& s);
};

}  // namespace isomer::passes
