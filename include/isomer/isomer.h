// Isomer's public interface: optimise a model, compare two models. Standard types only.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace isomer {

/// What `optimize` is asked for. Fields, defaults and meanings: optimize_options.inc.
struct OptimizeOptions {
  std::string input;   ///< path of an ONNX model
  std::string output;  ///< path to write; empty: INPUT with .isomer.onnx
#define ISOMER_OPTION(type, field, fallback, flag, help) type field = fallback;
#include "isomer/optimize_options.inc"
#undef ISOMER_OPTION
};

/// A program that was written to be tried, and that the runtime refused although it takes the original: a
/// fault of this program, whatever was rewritten.
struct RuntimeRefusal {
  std::string candidate;  ///< how it was found: "cheapest", "greedy"; "the original" as written
  std::string node;       ///< the operator that the runtime names: "Slice '/mlp/Split'"; empty: none
  std::string message;    ///< what the runtime said
};

/// What came of it. Times in milliseconds, costs in the cost model's unit (milliseconds, but for ast-size).
/// Numbers that were not determined are NaN.
struct OptimizeResult {
  std::string input, output;
  /// Operators, leaves not counted; -1, as everywhere here: not known. After: of what was written, or would
  /// be, and not known where verification failed.
  int64_t nodes_before = -1, nodes_after = -1;
  int64_t macs_before = -1, macs_after = -1;  ///< multiply-accumulates of products and convolutions
  /// Of the dimensions that stay dynamic, by name: at which it was priced, timed and verified.
  std::map<std::string, int64_t> sizes;
  std::vector<std::map<std::string, int64_t>> verified_sizes;  ///< these, and others
  uint64_t weight_bytes_before = 0, weight_bytes_after = 0;    ///< known where the nodes are
  int64_t types_inferred = 0;  ///< results of operators without a meaning here whose types ONNX inferred
  std::string float_promise;   ///< strict, finite or fast: what the result promises of its floats
  std::string cost_model;
  double cost_before = std::numeric_limits<double>::quiet_NaN();
  double cost_after = std::numeric_limits<double>::quiet_NaN();  ///< of what was written, or would be
  double cost_found = std::numeric_limits<double>::quiet_NaN();  ///< of the cheapest that was extracted
  /// Of the candidate that was written, or would have been: the fastest as a whole. Costs that are measured
  /// operator by operator are not a program's time: it may be dearer than the cheapest, and by a few percent
  /// than the input.
  double cost_candidate = std::numeric_limits<double>::quiet_NaN();
  double bound = std::numeric_limits<double>::quiet_NaN();  ///< proved lower bound of the extraction
  bool optimal = false;  ///< the extraction is proved optimal in its e-graph
  uint64_t e_nodes = 0, e_classes = 0, iterations = 0;
  std::map<std::string, uint64_t> rules_applied;  ///< rule -> instances in what was found
  /// rule -> class of its arithmetic, measured: "bit-exact, except at -0"
  std::map<std::string, std::string> rules_arithmetic;
  uint64_t rules_used = 0;                                         ///< rules that the e-graph was grown by
  std::map<std::string, std::vector<std::string>> rules_left_out;  ///< why -> which of the others
  std::string runtime;  ///< "onnxruntime 1.31.1", or why none was used
  double latency_before_ms = std::numeric_limits<double>::quiet_NaN();
  double latency_after_ms = std::numeric_limits<double>::quiet_NaN();
  double speedup = std::numeric_limits<double>::quiet_NaN();  ///< paired median
  double speedup_low = std::numeric_limits<double>::quiet_NaN(),
         speedup_high = std::numeric_limits<double>::quiet_NaN();
  bool changed = false;  ///< false: the input program was written as it was
  std::string decision;  ///< why that was written, in words
  bool verified = false;
  std::string verification;  ///< how, in words
  double max_relative_error = std::numeric_limits<double>::quiet_NaN();
  /// Outputs that differ from run to run (random operators without a seed lead to them): not compared by
  /// value.
  std::vector<std::string> not_compared;
  std::vector<RuntimeRefusal> refused_by_runtime;
  std::string stop_reason;
  std::string
      interrupted;      ///< the step (explore, price, ..., measure) that the user's stop ended; empty: none
  std::string failure;  ///< what failed, where an Error says that verification did (RunHooks::failed)
  double seconds = 0;
  std::vector<std::string> warnings;
  std::string report;       ///< path of the HTML report; empty: none was asked for
  std::string explanation;  ///< the chain of rewrites from the input to what was found, a paragraph a step
};

/// What a run tells while it works (see Progress in docs/architecture.md).
struct RunHooks {
  std::function<void(const std::string& phase, double fraction, double best, double seconds_left,
                     const std::string& note)>
      progress;
  std::function<void(const std::string& line)> message;
  /// What is known of a run that ends with a failed verification, before that is thrown.
  std::function<void(const OptimizeResult&)> failed;
  const std::atomic<bool>* stop = nullptr;  ///< set it to end the search with the best so far
};

/// Writes an equivalent model that is not slower, and says what it did.
/// Throws isomer::Error (support/errors.h), whose status is the program's exit status.
OptimizeResult optimize(const OptimizeOptions& options, const RunHooks& hooks = {});

/// The first values of two models that correspond and differ, going along the first model.
struct FirstDifference {
  std::string value_a, value_b;                             ///< names; empty: no place was found
  std::string operator_a, operator_b;                       ///< what computes them there
  double error = std::numeric_limits<double>::quiet_NaN();  ///< relative to the largest element
  std::string note;                                         ///< when they differ in more than numbers
  std::vector<std::string>
      from;  ///< values (of the first model) that they are computed from and that still agree
  std::vector<std::string> operators_between_a,
      operators_between_b;  ///< what computes them from there: "MatMul x3"
};

struct CompareOptions {
  std::string inputs;       ///< an .npz file; empty: inputs are generated
  double tolerance = 1e-4;  ///< of an element, relative to what it was computed from
  uint64_t seed = 0;
  std::string witness;     ///< .npz file for inputs that tell the models apart, and what both make of them
  double time_limit = 60;  ///< seconds of trying inputs
};

enum class Agreement : uint8_t {
  kUndecided,  ///< nothing that was seen tells them apart, and nothing shows that they agree
  kTested,
  kProved,
  kDifferent,
};
/// "undecided", "tested", "proved", "different".
constexpr std::string_view to_string(Agreement verdict) {
  switch (verdict) {
    case Agreement::kUndecided: return "undecided";
    case Agreement::kTested: return "tested";
    case Agreement::kProved: return "proved";
    case Agreement::kDifferent: return "different";
  }
  return "";
}

struct CompareResult {
  bool equivalent = false;  ///< proved or tested
  Agreement verdict = Agreement::kUndecided;
  std::string scope;  ///< what the verdict is said of: inputs and sizes
  std::string method;
  double max_relative_error = std::numeric_limits<double>::quiet_NaN();
  double error_probability = std::numeric_limits<double>::quiet_NaN();  ///< NaN: no proof, a test on floats
  std::string detail;
  FirstDifference first;                              ///< where they part, when they differ
  int64_t inputs_tried = 0;                           ///< sets of inputs on which both were run
  std::map<std::string, int64_t> ways;                ///< how these were drawn, and how many so
  std::vector<std::map<std::string, int64_t>> sizes;  ///< of dynamic dimensions, at which they were run
  std::string witness;                                ///< the file that was written
};

/// Runs both models on the same inputs and compares all outputs; what else is done docs/verify.md says.
CompareResult compare_models(const std::string& a, const std::string& b, const CompareOptions& options);
CompareResult compare_models(const std::string& a, const std::string& b, const std::string& inputs = {},
                             double tolerance = 1e-4, uint64_t seed = 0);

std::string version();

}  // namespace isomer
