// Tiles of a tensor in memory on their way to the shared memory of a block: 16 bytes at a time by themselves
// (cp.async), several iterations ahead (software pipelining as in CUTLASS, Kerr et al., 2020; Mirage's
// generated kernels do it for the tensors that a loop goes through).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Whether the rows of such a tile, cut out of a tensor at multiples of its own sizes, are whole pieces of 16
/// bytes.
bool in_pieces(std::span<const int64_t> tile, ir::DType dtype);

/// Copies of the tile of these sizes by so many threads. `from`, `to`: its first element, `to` of a buffer
/// with a dimension more in front of the tile's.
std::vector<Statement> copies_of_tile(LoopProgram& program, const Access& from, const Access& to,
                                      std::span<const int64_t> tile, int64_t threads);

}  // namespace isomer::codegen
