// A program run operator by operator, each result rounded to its element type, as ONNX says; or off by chance
// by as much as rounding may be, which shows how far what cancels can be off (random rounding: La Porte and
// Vignes, "Algorithmes numeriques: analyse et mise en oeuvre", 1974; there each step of arithmetic, here each
// operator). What is inside an operator (the sum of a mean, the exponentials of a softmax) is its own affair.
#pragma once

#include <cstdint>
#include <vector>

#include "eval/interpreter.h"
#include "ir/graph.h"
#include "meaning/known_nests.h"
#include "support/deadline.h"

namespace isomer::verify {

struct RoundedRun {
  std::vector<eval::Value<double>> outputs;
  bool overflows = false;  ///< some operator made infinity or NaN of finite numbers
  bool undefined = false;  ///< casts out of an integer's range, integers divided by 0
};

/// The outputs (tuples are taken apart) in double precision, floats of each result off by up to half a unit
/// in their type's last place, at random; seed 0: exact. Throws as eval::apply does.
std::vector<eval::Value<double>> run_off_by_chance(const ir::Graph& graph,
                                                   const std::vector<eval::Value<double>>& inputs,
                                                   uint64_t seed, meaning::KnownNests* nests,
                                                   const Deadline& until);

/// Throws as eval::apply does.
RoundedRun run_rounded(const ir::Graph& graph, const std::vector<eval::Value<double>>& inputs,
                       const Deadline& until);

}  // namespace isomer::verify
