// A value as a sum of products of arrays whose dimensions have names: what dots, products element by element,
// broadcasts, transposes and sums between them amount to together (Einstein's notation, as numpy's einsum has
// it). An identity matrix, or what is selected on a diagonal, is no factor: it makes two names one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "passes/dots.h"

namespace isomer::passes {

using Label = int;
/// Bit l: label l.
using LabelSet = uint64_t;
constexpr size_t kMostLabels = 64;

struct Factor {
  InstructionId value;
  std::vector<Label> labels;  ///< of its dimensions, without those of size 1
  LabelSet set() const;
};

struct SumOfProducts {
  std::vector<Factor> factors;
  std::vector<int64_t> sizes;  ///< of each label
  /// Of the result's dimensions, in rising order; what it has not is summed over.
  std::vector<Label> result;
  double cost = 0;  ///< of computing it as it is written
  /// Of each dot of it, whichever its operands are.
  std::vector<AttributeValue> precision;

  double elements(LabelSet set) const;
};

/// Of a dot or a sum. Nothing where it is more than that: other operators are factors as they are, and so is
/// what is used elsewhere too.
std::optional<SumOfProducts> sum_of_products(const Site& s);

/// What a dot of so many products costs that reads and writes so many elements, where a loop over elements
/// costs their number: it computes several at once, and is a call.
double cost_of_dot(double products, double elements);

}  // namespace isomer::passes
