// Kernels (ir/schedule.h: what the blocks of a grid do to tiles, loop after loop) as loops that run as they
// say: blocks in parallel, iterations in order, sums kept between them. This is how a muGraph (Wu et al.,
// Mirage, 2024/25) becomes machine code of a processor: a block is an iteration of a parallel loop, its tiles
// are memory of that iteration. What a block does to its tiles, in an iteration and after the last one, is a
// program of tiles, which is generated and scheduled like any other (register tiles, lanes, fusion) and then
// put in its place (embed.h); where a product is only summed over the iterations, it is summed where it is
// made. Mirage instead emits calls of a library of tile operators, one for each node.
//
// Of online softmax the first iteration is written out apart, since there is no maximum before it.
#pragma once

#include <functional>

#include "codegen/loop_program.h"
#include "ir/graph.h"

namespace isomer::codegen {

/// What all blocks of a kernel compute, as ordinary operators.
ir::Graph written_out(const ir::OpInstance& kernel);

/// The program of a graph without kernels.
using Generate = std::function<LoopProgram(const ir::Graph&)>;

/// Whether some node has a schedule of its own.
bool has_kernels(const ir::Graph& graph);

/// The program of one kernel: inputs are its operands, outputs what all blocks write.
using GenerateKernel = std::function<LoopProgram(const ir::OpInstance&)>;

/// Kernels by `kernel`, one after the other, and what stands between them by `generate`. Throws as these do.
LoopProgram with_kernels(const ir::Graph& graph, const Generate& generate, const GenerateKernel& kernel);

/// A kernel as a processor runs it.
LoopProgram kernel_loops(const ir::OpInstance& kernel, const Generate& generate);

}  // namespace isomer::codegen
