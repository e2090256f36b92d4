// Elementwise operators between a product and the softmax of it (the scale and the mask of attention's
// scores), set aside while kernels are searched and put back into those that were found.
//
// Mirage searches a program as it is. Each such operator is one more in a block, with an operand besides:
// softmax(Q K / c + mask) V takes fifteen, beyond what a search covers in minutes, softmax(Q K) V eleven,
// which takes a second. What comes of it is judged again, as a muGraph of the whole program.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "mugraph/mugraph.h"
#include "mugraph/programs.h"
#include "mugraph/steps.h"

namespace isomer::mugraph {

struct SetAside {
  struct Operator {
    std::string op;
    size_t with = 0;          ///< its other operand: an input of the program
    bool with_first = false;  ///< which is the first one
  };
  Program core;                ///< the program without them
  std::vector<size_t> inputs;  ///< of the program, by input of `core`
  size_t left = 0, right = 0;  ///< inputs of `core`: those of the product that they follow
  std::vector<Operator> operators;
};

/// Of a program of these steps, if it has one softmax, and operators between it and a product of inputs.
std::optional<SetAside> set_aside(const Program& program, const std::vector<ProgramStep>& steps);

/// A muGraph of `aside.core` with what was set aside behind the product, wherever that is made; `inputs`:
/// sizes of the program's. None where the product is not made as a whole, or the result is no muGraph.
std::optional<MuGraph> put_back(const MuGraph& core, const SetAside& aside, std::vector<Sizes> inputs);

}  // namespace isomer::mugraph
