// Modules as text, in either of XLA's dialects. Printing is stable: what was printed reads back as the same
// module and prints as the same text. Attributes keep the order in which they stood.
#pragma once

#include <cstdint>
#include <string>

#include "hlo/module.h"

namespace isomer::hlo {

enum class Dialect : uint8_t {
  kShort,  ///< bare names: what jax prints today
  kLong,   ///< %names, signatures of computations, the type before each operand: what XLA's dumps look like
};

std::string print(const Module& module, Dialect dialect = Dialect::kShort);
/// One instruction, without the end of its line.
std::string print(const Module& module, InstructionId id, Dialect dialect = Dialect::kShort);

}  // namespace isomer::hlo
