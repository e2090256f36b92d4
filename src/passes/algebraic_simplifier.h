// XLA's AlgebraicSimplifier as a source of alternatives: its rules as they are documented by TensorRight
// (POPL 2025), by XLA's comments and by what the real pass does to modules (tests/passes/algsimp), stated
// anew. The real pass visits each instruction once a run and rewrites by the first rule that fits; here every
// rule that fits is an alternative, in that order, so that taking the first everywhere until none is left
// ends where the real pass ends.
#pragma once

#include <memory>
#include <span>

#include "passes/pass.h"
#include "passes/rule.h"

namespace isomer::passes {

/// "algsimp"
std::shared_ptr<const Pass> algebraic_simplifier();

// Its rules, by what they are about.
std::span<const Rule> algebra_of_sums();          ///< add, subtract, negate
std::span<const Rule> algebra_of_products();      ///< multiply, divide, remainder
std::span<const Rule> algebra_of_functions();     ///< power, exp, log, roots, abs, maximum, minimum, clamp
std::span<const Rule> algebra_of_logic();         ///< and, or, not, xor, shifts, compare, select, convert
std::span<const Rule> algebra_of_broadcasts();    ///< broadcast, iota
std::span<const Rule> algebra_of_shapes();        ///< reshape, transpose, reverse, copy, tuples
std::span<const Rule> algebra_of_parts();         ///< slice, pad, concatenate, dynamic slices
std::span<const Rule> algebra_of_reductions();    ///< reduce, reduce-window
std::span<const Rule> algebra_of_contractions();  ///< dot, convolution

}  // namespace isomer::passes
