// The numbers on which the two sides of a rule are measured (rule_stability.h): ordinary ones, and those at
// which sides part that are equal elsewhere.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "eval/interpreter.h"
#include "ir/graph.h"
#include "support/rng.h"

namespace isomer::rewrite {

/// Beside ordinary numbers: what tells an exception rather than a loss.
/// kNearConstant: as kAlike, around a constant of the rule.
/// kRoots: elements around the root of the largest number, whose products are at the end of the type, among
/// ones that take such a product back.
/// kMagnitudes: elements of all sizes from 2^-20 to 2^20 within a tensor.
/// kReciprocal: numbers around that of a number that the rule names.
/// kBesideConstant: a number that the rule names, its opposite, and those in the last digit beside them.
enum class Edge : uint8_t {
  kNone,
  kSpecials,
  kZeros,
  kExtremes,
  kLargest,
  kRoots,
  kAlike,
  kNearConstant,
  kOnes,
  kMagnitudes,
  kNextToNothing,
  kBesideConstant,
  kReciprocal
};
inline bool is_alike(Edge e) { return e == Edge::kAlike || e == Edge::kNearConstant; }

struct Range {
  std::string_view name;
  double scale = 1;  ///< 0: drawn for each tensor
  bool positive = false;
  double spread = 1;  ///< below 1: elements are base * (1 + spread * u)
  Edge edge = Edge::kNone;
  double constant = 0;  ///< of kBesideConstant
};
inline constexpr Range kRanges[] = {
    {"numbers around 1e-4", 1e-4},
    {"positive numbers around 1e-4", 1e-4, true},
    {"numbers around 1e-2", 1e-2},
    {"numbers around 1", 1},
    {"positive numbers around 1", 1, true},
    {"numbers around 100", 1e2},
    {"numbers around 1e4", 1e4},
    {"positive numbers around 1e4", 1e4, true},
    {"a magnitude from 1e-4 to 1e4 for each tensor", 0},
    {"positive, a magnitude from 1e-4 to 1e4 for each tensor", 0, true},
    {"near-cancellation: elements of a tensor that differ by 0.1 %", 0, false, 1e-3},
    {"near-cancellation: elements of a tensor that differ by 0.01 %", 0, true, 1e-4},
    {"an infinity or NaN among numbers around 1", 1, false, 1, Edge::kSpecials},
    {"zeros of both signs and ties", 1, false, 1, Edge::kZeros},
    {"numbers from the smallest to the largest", 1, false, 1, Edge::kExtremes},
    {"numbers near the largest", 1, false, 1, Edge::kLargest},
    {"numbers near the root of the largest, and up to it", 1, false, 1, Edge::kRoots},
    {"operands that differ by 0.01 %", 0, false, 1e-4, Edge::kAlike},
    {"operands within 0.01 % of a constant", 0, false, 1e-4, Edge::kNearConstant},
    {"numbers of all magnitudes", 1, false, 1, Edge::kMagnitudes},
    {"numbers around 1e-10", 1e-10, false, 1, Edge::kNextToNothing},
};

/// Inputs of the program; those that are integers, and no bools, below `integers`.
std::vector<eval::Value<double>> draw_inputs(const ir::Graph& graph, const Range& range, int64_t integers,
                                             Rng& rng);

}  // namespace isomer::rewrite
