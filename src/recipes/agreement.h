// What two models are compared on, and how closely: inputs in the ranges that the programs ask for,
// tolerances by precision, outputs that choose among numbers.
#pragma once

#include <string>
#include <vector>

#include "formats/onnx_nodes.h"
#include "ir/graph.h"
#include "recipes/unrepeatable.h"
#include "runtime/onnxruntime.h"

namespace isomer::recipes {

/// Ranges of generated inputs, by name (verify/input_ranges.h).
std::map<std::string, runtime::Bounds> input_bounds(const ir::Graph& graph);

/// `tolerance` is for float32. The coarsest float type that a program computes in decides: float16 and
/// bfloat16 get what their rounding needs, pure float64 is held to more. Integers are exact anyhow.
double tolerance_for(const ir::Graph& graph, double tolerance);

/// The same of each output: the coarsest float type that it is computed through decides.
std::vector<double> tolerances_for(const ir::Graph& graph, double tolerance);

/// Outputs whose elements lie between 0 and 1 by what computes them (sigmoid, softmax), by number.
OutputSet shares_of(const ir::Graph& graph);
/// Those of them that a function of single numbers computes (sigmoid): near 0 a runtime has few digits of
/// them, those of 1.
OutputSet coarse_shares_of(const ir::Graph& graph);
constexpr double kDigitsOfOne = 0x1p-22;  ///< a runtime's sigmoid is off by up to half of this
/// Shares up to here are told from 0 by nobody: a runtime computes them to so many digits of 1.
constexpr double kNextToNothing = 1e-6;
constexpr double kMuchOfShares = 0.25;  ///< of the largest one
/// What is near 0 in all of an output that holds shares is told from 0 by nobody: errors of at most
/// kNextToNothing agree, unless they are more than `much` of the largest element; of a coarse one, errors of
/// at most kDigitsOfOne do. `tolerance`: of errors relative to that.
runtime::Comparison in_scale(runtime::Comparison comparison, const OutputSet& shares, double tolerance,
                             double much = kMuchOfShares, const OutputSet& coarse = {});

/// Outputs that are ArgMax, ArgMin or the indices of TopK of some value.
std::vector<runtime::Choice> choices_of(const formats::OnnxNodes& model);

/// The outputs that disagree, in words; empty when none does.
std::string describe_differences(const runtime::Comparison& comparison, double tolerance);

}  // namespace isomer::recipes
