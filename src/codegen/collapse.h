// Loops around each other as one loop, whose digits are their variables.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Of loops from 0 up to numbers, each of which is all that the one before holds: one that holds what the
/// last one does, of a new variable. `extents`: of all variables; the new one is put there.
Loop collapsed(LoopProgram& program, std::span<const Loop* const> loops, std::vector<int64_t>& extents);

/// The digits of `number` in the mixed radix of the loops' extents.
std::vector<ir::IndexExpr> digits(const ir::IndexExpr& number, std::span<const Loop* const> loops);

/// The loops' variables in all indices of the store by these digits.
void put_digits(Store& store, std::span<const Loop* const> loops, const ir::IndexExpr& number);

}  // namespace isomer::codegen
