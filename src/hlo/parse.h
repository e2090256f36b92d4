// HLO text to modules. Both dialects are read: the long one (%names, signatures, the type before each
// operand) and the short one, and any mixture, as XLA itself does.
//
// A hand-written reader over the characters: there are no tokens, because what may stand at a place is known
// there. Names become numbers at once and are resolved by an array from name to instruction; the text of a
// shape that was read before is found in a table. What XLA reads but does not write is refused: instructions
// as operands, computations in braces, missing types, a single instruction without a module.
#pragma once

#include <string>
#include <string_view>

#include "hlo/module.h"

namespace isomer::hlo {

/// Throws InputError: "FILE:LINE:COLUMN: expected ..., found ...".
Module parse(std::string_view text, const std::string& file);

}  // namespace isomer::hlo
