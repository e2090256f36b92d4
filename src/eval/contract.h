// Sums of products in double precision, fast: what makes folding a product of 1024 x 1024 matrices take a
// fraction of a second. The slow reference (nest_run.h) stays the definition; tests compare the two.
#pragma once

#include <span>

#include "eval/nest.h"

namespace isomer::eval {

/// Computes all output elements (row-major) if the nest is one sum of a product of two affine reads and large
/// enough for it to pay; else does nothing and returns false. `operands`: the elements of each operand.
bool contract(const CompiledNest& nest, std::span<const std::span<const double>> operands,
              std::span<double> out);

}  // namespace isomer::eval
