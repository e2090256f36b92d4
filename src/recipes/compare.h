// Are two models the same function, and where do they part? Interfaces first. Then structure, compared
// exactly, which proves. Then the target runtime on inputs of many kinds and sizes (runtime/pair_trials.h),
// and, where the programs are small, the interpreter: over the prime field, which proves, and on floats; what
// it refutes is refuted. What no runtime runs is compared in the interpreter, operators without a meaning by
// the identity of their operands (verify/by_operands.h).
#pragma once

#include <string>

#include "isomer/isomer.h"
#include "support/limits.h"

namespace isomer::recipes {

/// Throws InputError for models that cannot be read, MissingRuntimeError when they differ in structure and no
/// runtime is there to run them.
/// A stop ends it within a second or two: what was seen to differ by then differs, all else is undecided, and
/// the result says what was known.
CompareResult compare(const std::string& a, const std::string& b, const CompareOptions& options = {},
                      const StopToken& stop = {});

}  // namespace isomer::recipes
