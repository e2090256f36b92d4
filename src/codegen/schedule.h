// How the loops of a program run: which are taken apart, and what of them runs at once. Two transforms do
// it all. `push_inside` takes f iterations of a loop at a time and moves them below everything that the loop
// holds, so that each store does f elements: as lanes this is vectorisation of an outer loop (Nuzman, Zaks:
// PACT 2008), unrolled it is unroll-and-jam (Callahan, Carr, Kennedy: PLDI 1990), and on two axes of a
// product it makes the register tile of Goto's micro-kernel (Goto, van de Geijn: TOMS 2008).
// `reduce_in_lanes` gives a reduction one accumulator for each lane (Halide's rfactor).
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// Outermost loops are parallel where they may be; of each nest the innermost loop whose iterations touch
/// neighbours, or one element, runs in lanes, else its reductions do; products get register tiles.
LoopProgram schedule(LoopProgram program, const ScheduleOptions& options = {});
/// The same for what is put into another program (embed.h), where a result may lie where an operand does or
/// be added to what is there: loops that hold neither a product nor a transposition store each element once.
LoopProgram schedule_tiles(LoopProgram program, const ScheduleOptions& options);

/// What is combined over a loop into elements that do not depend on it, by buffer.
struct Reduced {
  ir::Combiner combine = ir::Combiner::kSum;
  Access target;
  meaning::Sort sort = meaning::Sort::kNumber;
};

/// Replaces the loop, of constant bounds and parallel (check.h) but for what it reduces, by one over groups
/// of `factor` iterations that are moved inside everything, as loops of `kind`, and a loop over what is left
/// over. What is private below gets a dimension more; what is reduced is so for each of the `factor` first.
/// Of threads nothing is left over: those of the last group are fewer.
/// An empty list where a loop inside has bounds that depend on the variable, or there are fewer iterations.
/// `extents`: of all variables (accesses.h).
std::vector<Statement> push_inside(LoopProgram& program, const Loop& loop, int64_t factor, LoopKind kind,
                                   std::span<const int64_t> extents,
                                   const std::map<int, Reduced>& reduced = {});

/// What an innermost loop combines into elements that do not depend on it, and touches in no other way.
std::map<int, Reduced> reductions(const Loop& loop);

}  // namespace isomer::codegen
