// A runtime of ONNX files, driven in a worker process: load, run, compare, time. That is ONNX Runtime, or
// another one whose worker answers the same requests (workers/serving.py). What the runtime does wrong comes
// back as a Failure; only a runtime that is not installed is thrown (MissingRuntimeError).
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/dtype.h"
#include "runtime/timing_statistics.h"
#include "support/deadline.h"
#include "support/limits.h"

namespace isomer::runtime {

class Worker;

enum class FailureKind : uint8_t {
  kRefused,  ///< the runtime said no: invalid model, unsupported operator, bad inputs
  kFault,    ///< our worker failed at it: nothing is known
  kCrashed,  ///< it took its process down
  kTimedOut,
  kStopped,  ///< by the stop token
};
struct Failure {
  FailureKind kind = FailureKind::kRefused;
  std::string message;
};
/// "refused", "crashed", "timed out", "stopped".
const char* to_string(FailureKind kind);

/// A value, or why there is none.
template <class T>
class OrFailure {
 public:
  OrFailure(T value) : content_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  OrFailure(Failure failure) : content_(std::move(failure)) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return content_.index() == 0; }
  const T& operator*() const { return std::get<0>(content_); }
  const T* operator->() const { return &std::get<0>(content_); }
  const Failure& failure() const { return std::get<1>(content_); }

 private:
  std::variant<T, Failure> content_;
};

/// Which runtime it is.
struct RuntimeKind {
  const char* name;     ///< for people
  const char* program;  ///< its worker
  const char* package;  ///< of Python; also what costs that are measured on it are called
  bool keeps_names;     ///< of dimensions
  bool merges_equals;   ///< whatever it is told: of equal operators on the same values one is computed
};
inline constexpr RuntimeKind kOnnxRuntime = {"ONNX Runtime", "onnxruntime_worker.py", "onnxruntime", true,
                                             false};
/// Does not try pairs (runtime/pair_trials.h).
inline constexpr RuntimeKind kOpenVino = {"OpenVINO", "openvino_worker.py", "openvino", false, true};

struct RuntimeInfo {
  std::string runtime, version, cpu, python;
  std::vector<std::string> providers;  ///< that are built into it
  std::string provider;                ///< the one that was named, if any
  int cores = 0;

  std::string name() const;  ///< "onnxruntime 1.31.1", "onnxruntime 1.31.1 with OpenVINOExecutionProvider"
};

/// How a model is loaded.
struct LoadOptions {
  int threads = 1;                            ///< within operators; 0: as many as the runtime likes
  std::string optimisation = "all";           ///< the runtime's own rewrites: off, basic, extended, all
  std::map<std::string, std::string> config;  ///< session configuration entries
  std::string write_optimised;                ///< path for what the runtime made of the model
  bool arena = true;                          ///< keeps what the largest run held for the next one
  bool patterns = true;  ///< from the second run on one block for all that is computed, beside the first's
  bool shared_arena = false;  ///< one for all models that say so: what they compute lies in the same places
};

/// Half-open range of generated values; floats are uniform in it.
struct Bounds {
  double low = 0, high = 2;
  std::vector<double> values = {};  ///< if any: one of these instead
};
/// Where inputs come from: the file, else generated (workers/sampling.py says how).
struct InputSpec {
  uint64_t seed = 0;
  std::string npz;
  std::map<std::string, int64_t> dims;  ///< sizes of symbolic dimensions; "x:0" names an unnamed one
  int64_t default_dim = 1;              ///< of those that `dims` does not name
  std::map<std::string, Bounds> bounds;
};

struct Wait {
  double timeout_seconds = 600;
  StopToken stop;
  /// Share done in [0, 1] where it is known, else -1; a short text.
  std::function<void(double, const std::string&)> progress;
};
/// Until the deadline, and at most `longest` seconds. A worker that has not answered by then is ended: what
/// can come to an end by itself is told a sooner one (TimingOptions::deadline_seconds).
Wait wait_until(const Deadline& until, double longest);

/// A tensor that goes to or comes from the runtime; little-endian, row-major.
struct NamedTensor {
  std::string name;
  ir::DType dtype = ir::DType::kUndefined;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;
  std::vector<std::string> strings;  ///< instead of bytes, for string tensors
};

/// An input or output of a loaded model. Dimensions: a number, a symbol, or "" for unknown.
struct Argument {
  std::string name;
  std::string dtype;
  std::vector<std::variant<int64_t, std::string>> shape;
};
struct Session {
  int64_t id = 0;
  uint64_t generation = 0;  ///< of the worker: a session does not outlive it
  std::vector<Argument> inputs, outputs;
};

struct OutputDifference {
  std::string name;
  std::string dtype;  ///< as in Argument
  bool same_type = false, same_shape = false, nan_agree = false, inf_agree = false;
  bool bit_equal = false;  ///< every byte
  bool exact_equal =
      false;  ///< integers, bools, strings: every value (true for floats of equal type and shape)
  bool is_float = false;
  double max_abs_error = 0;
  double max_abs_value = 0;  ///< largest finite |value| of the first model's output
  double max_relative_error =
      0;  ///< per sample: max_abs_error / largest |value|; the largest over the samples
  std::string note;
  bool agrees(double tolerance) const {
    return same_type && same_shape && nan_agree && inf_agree && exact_equal &&
           max_relative_error <= tolerance;
  }
};
/// An output that holds indices along an axis of another value: indices of equal numbers agree.
struct Choice {
  size_t output = 0;
  std::string data;   ///< of the first model
  bool inner = true;  ///< false: `data` is an output or input of the model
  int64_t axis = 0;
  bool keepdims = true;
};
/// What is compared beside the outputs.
struct CompareExtras {
  std::vector<std::pair<std::string, std::string>> pairs;  ///< inner values of both models, no outputs
  std::vector<Choice> choices;
};
/// What identifies a tensor whatever it is called: equal tensors have equal ones up to rounding.
struct Digest {
  int64_t count = 0;  ///< 0: no numeric tensor, or not finite
  double norm = 0, sum = 0;
  std::vector<double> samples;  ///< evenly spread over the elements, row-major
};
struct Comparison {
  std::vector<OutputDifference> outputs;  ///< outputs, then CompareExtras::pairs
  int samples = 0;
  bool same_input_names = false, same_output_names = false;
  bool bit_equal() const;
  bool agrees(double tolerance) const;
  double max_relative_error() const;
};

struct TimingOptions {
  LoadOptions load;
  InputSpec inputs;
  int loads = 12;  ///< times that the models are loaded anew; half are done anyhow; 6 make an interval
  int warmups = 3;
  int min_rounds = 12;
  int max_rounds = 2000;
  double max_seconds = 3;  ///< loading included; min_rounds and half the loads are done in any case
  /// Of the request: then it ends with the rounds that there are, fewer than the least or none.
  double deadline_seconds = std::numeric_limits<double>::infinity();
  /// Shorter runs are repeated within a sample; with `settle` longer ones, too (workers/timing.py).
  double min_sample_ms = 0.2;
  bool one_at_a_time = false;  ///< only one model in memory at any time
  /// Of two models: no further loads where those so far are clear (workers/timing.py, Settling), by CPU time
  /// where one thread runs, else by wall time.
  bool settle = false;
  uint64_t seed = 0;  ///< of the order within rounds
};

/// What a calibration measured: best times (of one thread CPU time, of more wall time) and the work behind
/// them.
struct KernelTimes {
  double product_ms = 0, product_flops = 0;  ///< square float32 matrices that fit the caches
  double addition_ms = 0,
         addition_bytes = 0;  ///< float32 tensors of 16 MiB, both read and the result written
  double node_ms = 0;         ///< one more tiny operator in a chain
};

class OnnxRuntime {
 public:
  /// `provider`: of ONNX Runtime, which computes what it takes of a model; CPU's does the rest. Empty: CPU's
  /// alone.
  explicit OnnxRuntime(const RuntimeKind& kind = kOnnxRuntime, std::string provider = {});
  ~OnnxRuntime();
  OnnxRuntime(const OnnxRuntime&) = delete;
  OnnxRuntime& operator=(const OnnxRuntime&) = delete;

  const RuntimeKind& kind() const { return kind_; }
  const std::string& provider() const { return provider_; }
  /// Whether CPU time counts, else wall time: where one thread runs, and nothing computes beside it.
  bool counts_cpu_time(int threads) const { return threads == 1 && provider_.empty(); }
  /// That as requests say it. On a busy machine even the best wall time of one thread may be several times
  /// what it works for.
  const char* clock(int threads) const { return counts_cpu_time(threads) ? "cpu_ms" : "wall_ms"; }
  /// Starts the worker without waiting for it: what is asked first then waits less.
  void begin();
  /// Starts the worker if need be. Throws MissingRuntimeError where it does not start, or has not the
  /// provider; no answer in time is a Failure.
  OrFailure<RuntimeInfo> hello(const Wait& wait);
  /// What it last said, if it ever did: nothing is waited for then. Else as hello; no answer in so many
  /// seconds is a runtime that is missing. Nothing is said after a stop.
  RuntimeInfo info(double longest = 120, const StopToken& stop = {});
  OrFailure<Session> load(const std::string& path, const LoadOptions& options = {}, const Wait& wait = {});
  void unload(const Session& session);
  /// Names, element types and shapes of the tensors in an .npz file.
  OrFailure<std::vector<Argument>> archived(const std::string& npz, const Wait& wait = {});

  /// Whether the model runs on inputs from `spec`: it is run once.
  OrFailure<bool> probe(const Session& session, const InputSpec& spec, const Wait& wait = {});
  /// How many operators of the model each provider computes, as the runtime joins them: it is run once.
  OrFailure<std::map<std::string, uint64_t>> placement(const std::string& model, const InputSpec& spec,
                                                       const LoadOptions& options = {},
                                                       const Wait& wait = {});
  /// Shapes of the inputs that `spec` gives in a file, by name.
  OrFailure<std::map<std::string, std::vector<int64_t>>> given_shapes(const InputSpec& spec,
                                                                      const Wait& wait = {});
  /// Missing inputs are generated from `spec`.
  OrFailure<std::vector<NamedTensor>> run(const Session& session, const std::vector<NamedTensor>& inputs,
                                          const InputSpec& spec = {}, const Wait& wait = {});
  /// Both models on the same inputs, one after the other, so that only one is in memory.
  OrFailure<Comparison> compare(const std::string& model_a, const std::string& model_b,
                                const InputSpec& inputs, int samples = 1, const LoadOptions& options = {},
                                const Wait& wait = {}, const CompareExtras& extras = {});
  /// Of inner values (no outputs), on the first set of inputs.
  OrFailure<std::vector<Digest>> digests(const std::string& model, const std::vector<std::string>& values,
                                         const InputSpec& inputs, const LoadOptions& options = {},
                                         const Wait& wait = {});
  /// All models interleaved; one Samples a model. A stop, the deadline or the timeout yields what there is
  /// (also where the worker had to be ended for it), or Failure without any round.
  OrFailure<std::vector<Samples>> time(const std::vector<std::string>& models, const TimingOptions& options,
                                       const Wait& wait = {});
  OrFailure<PairedTiming> time_pair(const std::string& original, const std::string& candidate,
                                    const TimingOptions& options, const Wait& wait = {});

  /// A request of workers/operator_costs.py: milliseconds of each operator, nothing for one that the runtime
  /// refused. Fewer than were asked for when it was stopped.
  OrFailure<std::vector<std::optional<double>>> time_operators(const nlohmann::json& request,
                                                               const Wait& wait = {});

  OrFailure<KernelTimes> time_kernels(int threads, double seconds, const Wait& wait = {});

  /// The process behind it, for tests.
  Worker& worker() { return *worker_; }

 private:
  const RuntimeKind& kind_;
  std::string provider_;
  std::unique_ptr<Worker> worker_;
  std::optional<RuntimeInfo> info_;
};

}  // namespace isomer::runtime
