// Programs with operators without a meaning, or with effects: nothing is known of what these give but that
// one of them gives the same where its operands are the same. So each of the first program is paired with one
// of the second of equal attributes whose operands are shown equal, and both results become one arbitrary
// value; what is left of the programs then has a meaning. Unlike random functions of probed operands
// (random_leaves.h) this compares the operands themselves, and needs no type of what such an operator gives.
#pragma once

#include <cstdint>

#include "ir/graph.h"
#include "verify/equivalence.h"

namespace isomer::verify {

/// Which operators are paired: those without a meaning, or also those whose meaning is an evaluator that the
/// programs are too large for.
enum class Paired : uint8_t { kOpaque, kProceduresToo };

/// Both graphs of one context, with equal signatures. Proved: all by structure or over the field; refuted: an
/// operator without a counterpart, or an output that differs; unknown: what could not be evaluated.
Verdict check_by_operands(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options = {},
                          Paired paired = Paired::kOpaque);

}  // namespace isomer::verify
