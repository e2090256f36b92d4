// Inputs of one element that decide which branch of an If runs: a flag, an integer that is compared with
// numbers (a rate at which sound is sampled, a mode). Drawn at random, the integer hardly ever is the number
// that is asked for; held at it, the other branch never runs. So programs are compared at each of the values
// that tell the branches apart.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "runtime/onnxruntime.h"

namespace isomer::recipes {

struct Decider {
  std::string input;
  /// Each leads elsewhere in some If, as far as comparisons with constants tell. First, if any, the number
  /// that an equality asks for: with it the program is mostly used.
  std::vector<double> values;
  bool has_usual = false;
};

/// Of the conditions of the graph's own Ifs, not of those within bodies.
std::vector<Decider> deciders_of(const ir::Graph& graph);

using InputBounds = std::map<std::string, runtime::Bounds>;
/// Each input that decides by being equal to a number is that number, unless something is known of it.
InputBounds with_usual(InputBounds bounds, const std::vector<Decider>& deciders);
/// As they were before.
InputBounds without_usual(InputBounds bounds, const std::vector<Decider>& deciders);
/// Of both.
std::vector<Decider> joined(std::vector<Decider> deciders, const std::vector<Decider>& more);
/// For runs in which other branches are taken than with the usual numbers: one input is another value in
/// each. A few at most.
std::vector<InputBounds> other_branches(const std::vector<Decider>& deciders);

}  // namespace isomer::recipes
