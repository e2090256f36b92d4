// Sums of products in double precision, fast: what makes folding a product of 1024 x 1024 matrices take a
// fraction of a second. The slow reference (nest_run.h) stays the definition; check_contraction holds a
// result to it at some elements.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "meaning/nest.h"
#include "support/deadline.h"

namespace isomer::eval {

/// Computes all output elements (row-major) if the nest is one sum of a product of two affine reads and large
/// enough for it to pay; else does nothing and returns false. `operands`: the elements of each operand.
/// EvaluationCut once `until` has passed, which is looked at every few hundred milliseconds.
bool contract(const meaning::CompiledNest& nest, std::span<const std::span<const double>> operands,
              std::span<double> out, const Deadline& until = {});

/// What `contract` made, against the reference at `samples` elements (first and last among them, the others
/// drawn by `seed`). Sums may be in any order: differences below rounding of the sum of magnitudes pass.
/// Empty when all agree, else the element and both numbers.
std::string check_contraction(const meaning::CompiledNest& nest,
                              std::span<const std::span<const double>> operands, std::span<const double> out,
                              int samples, uint64_t seed);

}  // namespace isomer::eval
