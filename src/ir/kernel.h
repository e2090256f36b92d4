// What all blocks of a kernel compute, as a plain graph of tensor operators: every tile becomes one tensor
// over all blocks and iterations. imap and fmap are a reshape and a transpose (or a broadcast where every
// block has the whole), accumulators reduce the loop dimensions, omap transposes back. It is the definition
// of the operators `kernel` and `threads`: whatever knows composites (evaluation, verification, cost)
// applies. The run by blocks and iterations, which shares with it how operators are defined but not how tiles
// are cut, accumulated and joined, is eval/scheduled_run.h.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "ir/schedule.h"

namespace isomer::ir {

/// The values that all blocks (or threads) of a body together write. Bodies must have passed check_body.
std::vector<ValueId> write_out(Builder& b, const Graph& body, const Schedule& schedule,
                               std::span<const ValueId> operands);

/// What an operator makes of tiles [lead.., loops.., tile..] of all iterations: an accumulator has lost the
/// last `loops` of the leading dimensions, other operators keep them. `kind`: how they are accumulated, the
/// operator's own way but for those who know better. `op`: at the types of one tile.
ValueId over_iterations(Builder& b, const OpInstance& op, Accumulate kind, std::span<const ValueId> operands,
                        const Sizes& lead, int loops);

/// Empty, or why this is no body that `level` (kBlockLevel, kThreadLevel) can run by that schedule: operators
/// of other levels, one accumulator on each path to an output, running maxima within the loop, one number of
/// iterations and one width.
std::string check_body(const Graph& body, const Schedule& schedule, Levels level);

/// Empty, or why operands of these types do not stand at `level`: a block multiplies one pair of matrices.
std::string check_at_level(const OpInstance& op, Levels level);

}  // namespace isomer::ir
