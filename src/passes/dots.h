// What rules about dots ask.
#pragma once

#include <vector>

#include "passes/site.h"

namespace isomer::passes {

DotDims dot_dims(const Site& s, InstructionId dot);
/// Dimensions that are neither batch nor contracted, in order.
Dims free_dims(size_t rank, const Dims& batch, const Dims& contracting);
/// Whether two dots say the same, operands apart.
bool same_attributes(const Site& s, InstructionId a, InstructionId b);
/// A product of matrices, or of a batch of them: one dimension is contracted, and each operand has one more.
bool is_matrix_product(const Site& s, InstructionId dot);
/// Whether its elements have 32 bits or more: sums of narrower ones overflow, or begin anew, too soon to
/// change their order.
bool is_wide(const Site& s, InstructionId id);
/// The attributes by which a dot says how exactly it is computed; `exchanged`: of a dot that has its operands
/// the other way round.
std::vector<AttributeValue> precision_of(const Site& s, InstructionId dot, bool exchanged = false);
/// As exactly as products and sums element by element are.
std::vector<AttributeValue> highest_precision();

}  // namespace isomer::passes
