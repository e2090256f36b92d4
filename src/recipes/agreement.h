// What two models are compared on, and how closely: inputs in the ranges that the programs ask for,
// tolerances by precision, outputs that choose among numbers.
#pragma once

#include <map>
#include <string>
#include <utility>
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
/// Shares up to here are told from 0 by nobody: a runtime computes them to so many digits of 1.
constexpr double kNextToNothing = 1e-6;
constexpr double kMuchOfShares = 0.25;  ///< of the largest one
/// What is near 0 in all of an output that holds shares is told from 0 by nobody: errors of at most
/// kNextToNothing agree, unless they are more than `much` of the largest element. `tolerance`: of errors
/// relative to that.
runtime::Comparison in_scale(runtime::Comparison comparison, const OutputSet& shares, double tolerance,
                             double much = kMuchOfShares);

/// Inner values of both models that a Sigmoid makes an output of, by the number of that output: near 0 a
/// runtime's sigmoid has the digits of 1, and what it was computed of says whether the outputs agree.
std::map<size_t, std::pair<std::string, std::string>> operands_of_sigmoids(const formats::OnnxNodes& a,
                                                                           const formats::OnnxNodes& b);
constexpr double kDigitsOfOne = 0x1p-22;  ///< a runtime's sigmoid is off by up to half of this
/// Outputs that are apart by no more than that: worth asking what they were computed of.
std::vector<size_t> apart_by_digits(const runtime::Comparison& seen, double tolerance);
/// `within`: the same, and after its outputs what the outputs `asked` were computed of, which decides.
runtime::Comparison by_operands(runtime::Comparison seen, const std::vector<size_t>& asked,
                                const runtime::Comparison& within, double tolerance);

/// Outputs that are ArgMax, ArgMin or the indices of TopK of some value.
std::vector<runtime::Choice> choices_of(const formats::OnnxNodes& model);

/// The outputs that disagree, in words; empty when none does.
std::string describe_differences(const runtime::Comparison& comparison, double tolerance);

}  // namespace isomer::recipes
