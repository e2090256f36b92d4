// A loop whose state has more parts: what its body computed in each turn is computed before it, or of what
// is.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "passes/loops.h"

namespace isomer::passes {

/// Which instructions of the body (from its first on) are computed of parts that no turn changes alone.
std::vector<bool> invariants(const Site& s, const Loop& loop);
/// Writes such instructions again before the loop.
Copies copies_before(const Site& s, const Loop& loop);

struct Moved {
  InstructionId id;      ///< of the body
  InstructionId before;  ///< what the new part is; no turn changes it
  /// What stands for the instruction in the body, of the part; empty: the part itself.
  std::function<InstructionId(InstructionId part, Copies& body)> use;
};

/// The loop's result, by one that has these parts behind its own.
InstructionId wider_loop(const Site& s, const Loop& loop, std::span<const Moved> moved);

}  // namespace isomer::passes
