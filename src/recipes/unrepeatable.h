// Outputs that differ between two runs of one program: nothing can be said by comparing their values. Random
// operators without a seed lead to some, which is known beforehand; what else does not repeat (an operator of
// the user's own) shows when the original is run against itself.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "formats/onnx_nodes.h"
#include "runtime/onnxruntime.h"

namespace isomer::recipes {

/// By number.
using OutputSet = std::set<size_t>;

/// Outputs that some node depends on which draws random numbers.
OutputSet random_outputs(const formats::OnnxNodes& model);
/// Outputs that disagree.
OutputSet disagreeing(const runtime::Comparison& comparison, double tolerance);
/// The comparison with these outputs held to their element types only.
runtime::Comparison without_values(runtime::Comparison comparison, const OutputSet& outputs);
/// Their names, in order.
std::vector<std::string> names_of(const runtime::Comparison& comparison, const OutputSet& outputs);
/// "output y depends on random operators, output z differs between two runs of the input model; not
/// compared by value", where the second were not known beforehand.
std::string say_not_compared(const std::vector<std::string>& random,
                             const std::vector<std::string>& unrepeated);

}  // namespace isomer::recipes
