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

/// Rewrites that achieve the same thing, on the way from the input to what was found.
struct Gain {
  std::string what;  ///< that: "scales and shifts by constants are folded into the weights that they meet"
  uint64_t steps = 0;
  double saved = 0;  ///< how much more the cheapest costs that was found without them; NaN: not known
  std::vector<std::string> rules;
};

using Sizes = std::map<std::string, int64_t>;
using Counts = std::map<std::string, uint64_t>;
using Words = std::map<std::string, std::string>;
using Lists = std::map<std::string, std::vector<std::string>>;
inline constexpr double kNotDetermined = std::numeric_limits<double>::quiet_NaN();
/// Of OptimizeResult::rules_left_out: rules on the runtime's own operators, where ONNX's alone are wanted.
inline constexpr const char* kNotForOnnx = "not for --target onnx";

/// What came of it. Fields, defaults and meanings: optimize_result.inc.
struct OptimizeResult {
#define ISOMER_RESULT(type, field, fallback, key, form, help) type field = fallback;
#include "isomer/optimize_result.inc"
#undef ISOMER_RESULT
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
  /// Of compile_model: set it beside `stop` to have nothing written (an Error of status 130).
  const std::atomic<bool>* abandon = nullptr;
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
  /// As of optimisation, of which a model is a result: "strict": what overflows, or loses digits, in the
  /// first alone is a difference; "finite": an exception that is named.
  std::string float_promise = "finite";
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

/// Where models that are equivalent otherwise are not: only the first one overflows (its results are infinite
/// or NaN, the second one's are not), or only the first loses digits where numbers cancel.
enum class Except : uint8_t { kNothing, kOverflow, kPrecision };
/// "", "overflow", "precision".
constexpr std::string_view to_string(Except except) {
  switch (except) {
    case Except::kNothing: return "";
    case Except::kOverflow: return "overflow";
    case Except::kPrecision: return "precision";
  }
  return "";
}

/// What came of it. Fields, defaults and meanings: compare_result.inc.
struct CompareResult {
#define ISOMER_RESULT(type, field, fallback, key, form, help) type field = fallback;
#include "isomer/compare_result.inc"
#undef ISOMER_RESULT
};

/// Runs both models on the same inputs and compares all outputs; what else is done docs/verify.md says. Set
/// `stop` to end it within a second or two with what is known.
CompareResult compare_models(const std::string& a, const std::string& b, const CompareOptions& options,
                             const std::atomic<bool>* stop = nullptr);
CompareResult compare_models(const std::string& a, const std::string& b, const std::string& inputs = {},
                             double tolerance = 1e-4, uint64_t seed = 0);

std::string version();

}  // namespace isomer
