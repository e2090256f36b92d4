// What a rule itself names: numbers that its conditions compare with, sizes that its sides write out, element
// types. A wrong rule is often wrong only at or beyond one of them.
#pragma once

#include <cstdint>
#include <vector>

#include "ir/op_table.h"
#include "rewrite/rule.h"

namespace isomer::rewrite {

/// What an expression speaks of; `whole`: also of what is known only of a whole instance.
struct Mentions {
  std::vector<uint32_t> tensors, attributes;
  bool whole = false;
};

/// `?a == by`: something that is computed.
struct Definition {
  const Expr* by = nullptr;  ///< of the rule
  Mentions mentions;
};

struct RuleHints {
  /// Integers from 2 to 4096 anywhere in the rule, and such solutions of its conditions; 256, which 8 bits do
  /// not count to, where it makes bytes.
  std::vector<int64_t> sizes;
  /// Integers from 5 to 64 that a right side writes out and that small sizes never reach: blocks of channels.
  std::vector<int64_t> factors;
  /// The largest rank to try: beyond what the rule compares ranks with, 8 at most.
  int64_t most_axes = 6;
  /// By class variable: what conditions compare its elements with, and numbers on both sides of these.
  std::vector<std::vector<double>> splats;
  /// By class variable: whether conditions want the smallest or largest number of its element type.
  std::vector<std::optional<bool>> highest;
  /// By attribute variable: what conditions say that it is.
  std::vector<std::vector<Definition>> defined;
  std::vector<std::vector<ir::DType>> dtypes;  ///< by class variable: what conditions want
  std::vector<std::vector<double>> numbers;    ///< by attribute variable, as splats
  std::vector<std::vector<double>> solutions;  ///< by attribute variable (rule_solutions.h)
  /// By attribute variable: how many entries conditions want, or what is done with the shape.
  std::vector<std::vector<size_t>> lengths;
  /// By class variable: those of which conditions say that they have as many elements.
  std::vector<std::vector<uint32_t>> as_many;
  bool regroups = false;             ///< a left side reshapes to a shape that is drawn
  bool stepped = false;              ///< a left side takes slices by steps, which act beyond small sizes only
  std::vector<Mentions> conditions;  ///< of each
  Mentions right;                    ///< of the attributes of right sides
};

RuleHints hints_of(const Rule& rule, const ir::OpTable& ops);

}  // namespace isomer::rewrite
