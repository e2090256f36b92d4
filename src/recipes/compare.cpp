#include "recipes/compare.h"

#include <fmt/format.h>

#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "recipes/load.h"
#include "runtime/onnxruntime.h"
#include "support/errors.h"

namespace isomer::recipes {

CompareResult compare(const std::string& a, const std::string& b, const std::string& inputs, double tolerance,
                      uint64_t seed) {
  CompareResult result;
  {
    ir::Context ctx(ir::standard_ops());
    const Program left = load_program(ctx, a), right = load_program(ctx, b);
    if (ir::dag_hash(left.graph) == ir::dag_hash(right.graph)) {
      result.equivalent = true;
      result.method = "the same program: equal operators, attributes and constants";
      result.max_relative_error = 0;
      result.error_probability = 0x1p-64;
      return result;
    }
    if (left.envelope == nullptr || right.envelope == nullptr)
      throw UsageError(
          "programs that differ in structure are compared by running them: both must be ONNX models");
  }
  runtime::OnnxRuntime runtime;
  const runtime::RuntimeInfo info = runtime.info();
  runtime::InputSpec spec;
  spec.npz = inputs;
  spec.seed = seed;
  runtime::LoadOptions load;
  load.optimisation = "basic";
  constexpr int kSamples = 3;
  const auto outcome = runtime.compare(a, b, spec, kSamples, load);
  if (!outcome)
    throw Error(ExitStatus::kBadInput, "the runtime cannot compare them: " + outcome.failure().message);
  result.max_relative_error = outcome->max_relative_error();
  result.equivalent = outcome->agrees(tolerance);
  result.method =
      fmt::format("tested in {} {} on {} sets of inputs, largest error {:.3g} of an output's largest element",
                  info.runtime, info.version, outcome->samples, result.max_relative_error);
  for (const runtime::OutputDifference& d : outcome->outputs)
    if (!d.agrees(tolerance))
      result.detail += fmt::format("{}output {}: relative error {:.3g}{}", result.detail.empty() ? "" : "\n",
                                   d.name, d.max_relative_error, d.note.empty() ? "" : ", " + d.note);
  return result;
}

}  // namespace isomer::recipes
