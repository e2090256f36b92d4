// Two models in ONNX Runtime on inputs of many kinds and sizes (workers/trials.py): what was tried, and the
// first difference. One model on known inputs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "runtime/onnxruntime.h"

namespace isomer::runtime {

/// A comparison of a model's main graph, or what joins some (And, Or, Not; a minimum or maximum of them).
struct Condition {
  std::string name;  ///< of its result
  std::string op;
  std::vector<std::string> operands;
  bool can_be_true = true, can_be_false = true;  ///< by what its operands can be
  bool of_sizes = false;                         ///< dynamic sizes alone decide it
};

/// A loop that goes round as often as the inputs say, within bounds that the model sets.
struct Rounds {
  std::string name;  ///< of the value that says how often
  int64_t of = 0;    ///< how many numbers it can be, as far as is known; below 0 counts as 0
};

/// A tensor that a program names, as large as one of the inputs: what is compared with it is often equal to
/// it.
struct StoredTensor {
  std::string dtype;
  std::vector<double> numbers;  ///< of floats, or
  std::vector<int64_t> integers;
};

/// Outputs that hold shares, and up to which size these are told from 0 by nobody.
struct Shares {
  std::vector<size_t> outputs;
  double nothing = 0;
};

struct TrialRequest {
  InputSpec inputs;
  LoadOptions load;
  /// At which the first model is known to run; further ones are tried after these. Empty: nothing is dynamic.
  std::vector<std::map<std::string, int64_t>> sizes;
  std::vector<double> thresholds;  ///< floats that the programs name
  std::vector<int64_t> integers;   ///< and integers
  std::vector<StoredTensor> stored;
  bool pointwise = false;  ///< each element of both is computed from single ones: infinity is not NaN
  /// What the first model alone makes infinite or NaN is a difference, not a note.
  bool overflow_differs = false;
  std::vector<size_t> skip;        ///< outputs that are not compared
  Shares shares;                   ///< whose differences are left to be judged
  double tolerance = 1e-4;         ///< of an element, relative to what it was computed from
  std::vector<double> tolerances;  ///< of each output, where they are not all alike
  double seconds = 20;
  std::string witness;  ///< where to write the inputs and both models' outputs, should they differ; or empty
  bool tame = false;    ///< no large integers
  bool without_empty = false;                         ///< no sizes of 0
  std::vector<std::string> inner_a, inner_b;          ///< inner values of both, where these are few
  std::vector<Condition> conditions_a, conditions_b;  ///< those that should be seen both ways
  bool loops = false;                                 ///< either goes round
  std::vector<Rounds> rounds_a, rounds_b;             ///< each number of which should be run
  bool evaluated = false;                             ///< by ONNX's reference evaluator, not the runtime
  /// What inputs of one element are in a part of the draws of each way: other branches run at each of these.
  std::map<std::string, std::vector<double>> deciders;
};

enum class DifferenceKind : uint8_t {
  kValues,
  kShapes,
  kTypes,
  kFinite,  ///< on one side only
  kError,   ///< of one of the models only
};

struct TrialDifference {
  int64_t output = -1;  ///< -1: only one of the models fails
  DifferenceKind kind = DifferenceKind::kValues;
  std::string way;   ///< of drawing the inputs
  std::string what;  ///< "at [0, 3]: 1.5 against 2"
  std::map<std::string, int64_t> sizes;
};

/// A condition that no input met.
struct UnmetCondition {
  bool in_first = true;  ///< of the models
  std::string name;      ///< of its result
  bool never = true;     ///< what it never was
  bool of_sizes = false;
};

/// A loop that was not run with each number of rounds.
struct FewRounds {
  bool in_first = true;  ///< of the models
  std::string name;      ///< of the number
  int64_t seen = 0, of = 0;
};

/// Inputs at which the runtime tells the models apart, and is not believed.
struct Doubt {
  int64_t output = -1;  ///< a share that is next to nothing; -1: what ONNX's reference evaluator does not see
  std::string what;     ///< "output y at [0, 3]: 1e-09 against 0 (normal inputs)"
  std::map<std::string, int64_t> sizes;
  std::vector<NamedTensor> inputs;
  bool of_a_share() const { return output >= 0; }
};

struct TrialReport {
  bool evaluated = false;  ///< by ONNX's reference evaluator
  int64_t confirmed = 0;   ///< operators that the runtime, by themselves, computes as that does
  bool tame = false, without_empty = false;  ///< as it was asked for
  int64_t runs = 0, ran = 0;                 ///< inputs; those that both models ran on
  std::map<std::string, int64_t> ways;       ///< how many inputs of each way agreed
  std::vector<std::map<std::string, int64_t>> sizes;
  double worst = 0;  ///< largest error of an element, relative to what it was computed from
  std::map<std::string, std::string>
      notes;  ///< what is no difference in ordinary numbers: "overflow", "kinds"
  std::vector<std::string> outputs;
  int64_t all_inputs = 0;           ///< where all inputs that there are were tried, how many these are
  bool same_bits = false;           ///< and both models gave the same bits on all of them, or both none
  std::vector<bool> empty, finite;  ///< of each output: no element was ever seen; some were comparable
  std::vector<bool> still;          ///< all elements were one value on all inputs
  std::vector<UnmetCondition> unmet;
  std::vector<FewRounds> few_rounds;
  std::vector<Doubt> doubts;
  std::string doubt_left_out;  ///< in words, the first for which there was no room; empty: none
  std::optional<TrialDifference> found;
};

OrFailure<TrialReport> try_pair(OnnxRuntime& runtime, const std::string& model_a, const std::string& model_b,
                                const TrialRequest& request, const Wait& wait = {});

/// One run of a model: what it was given, and what it made of that.
struct FedRun {
  std::vector<NamedTensor> inputs, outputs;
};
/// Inputs as Sampler makes them of `spec` (workers/sampling.py): of a file, or generated as this sample.
OrFailure<FedRun> fed_run(OnnxRuntime& runtime, const std::string& model, const InputSpec& spec, int sample,
                          const LoadOptions& load, const Wait& wait = {});

}  // namespace isomer::runtime
