// What reads neighbours along one loop and writes neighbours along another: as squares, of which the rows are
// read and the columns written as vectors (llvm_text.cpp turns them in registers).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// The nest in squares of at most `most` a side; empty where it is no nest of one store that does so.
std::vector<Statement> in_squares(LoopProgram& program, const Loop& loop, int64_t most,
                                  std::vector<int64_t>& extents);

/// Whether the loop of unrolled rows is a square that is to be turned.
bool is_square(const LoopProgram& program, const Loop& rows, std::span<const int64_t> extents);

}  // namespace isomer::codegen
