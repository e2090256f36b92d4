// A loop program as part of another one: its own variables and buffers get new numbers, what it takes and
// gives becomes places in buffers of the other, which may be parts of them (tiles), at an offset that loops
// around say. That a part is scheduled by itself, and put where it belongs afterwards, is how kernels.h runs
// the tiles of a block; Halide's and TVM's counterpart is one schedule for all levels.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Where a buffer of a part lies: element [i, j] at [lead.., offset[0] + i, offset[1] + j] of `buffer`.
struct PartBuffer {
  int buffer = 0;
  std::vector<ir::IndexExpr> lead;
  std::vector<ir::IndexExpr> offset;  ///< none: 0
  /// What the part writes is combined with what is there; the part must pass stores_once.
  std::optional<ir::Combiner> combine;
};

/// Whether all that the part does to its buffer is to store each element once: as many stores as elements,
/// since all are stored. Not so: squares that overlap (transposes.h), tiles at the edge of a product
/// (product_tiles.h) and, unless schedule_tiles made the program, vectors at the end of other loops: these
/// store some elements twice.
bool stores_once(const LoopProgram& part, int buffer);

/// A loop around what is embedded: parallel loops of that run in order, and its scratch has an element for
/// each iteration.
struct Around {
  int variable = 0;
  int64_t size = 1;
};

/// The part's statements, for `into`, which gets its variables and buffers. `inputs`, `outputs`: by those of
/// the part.
std::vector<Statement> embedded(LoopProgram& into, LoopProgram part, std::span<const PartBuffer> inputs,
                                std::span<const PartBuffer> outputs,
                                const std::optional<Around>& around = {});

}  // namespace isomer::codegen
