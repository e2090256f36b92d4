#include "runtime/onnxruntime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <utility>

#include "runtime/onnxruntime_json.h"
#include "runtime/worker.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

using nlohmann::json;

/// What a worker that was asked to stop gets for it.
constexpr double kGrace = 1;

std::vector<Argument> to_arguments(const json& list) {
  std::vector<Argument> out;
  for (const json& item : list) {
    Argument argument{item["name"], item["dtype"], {}};
    for (const json& dim : item["shape"]) {
      if (dim.is_number_integer()) {
        argument.shape.emplace_back(dim.get<int64_t>());
      } else {
        argument.shape.emplace_back(dim.get<std::string>());
      }
    }
    out.push_back(std::move(argument));
  }
  return out;
}

/// A tensor as a reference; its bytes go into `folder`.
json hand_over(const NamedTensor& tensor, const std::filesystem::path& folder, size_t number) {
  if (tensor.dtype == ir::DType::kString) return {{"strings", tensor.strings}, {"shape", tensor.shape}};
  const std::string path = (folder / fmt::format("input_{}.raw", number)).string();
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(tensor.bytes.data()),
             static_cast<std::streamsize>(tensor.bytes.size()));
  REQUIRE(file.good(), "writing " + path + " failed");
  return {{"file", path}, {"dtype", std::string(ir::name(tensor.dtype))}, {"shape", tensor.shape}};
}

/// Rounds of a timing as they are told (workers/timing.py): what there is when the worker has to be ended.
class ToldRounds {
 public:
  explicit ToldRounds(size_t models) : samples_(models) {}

  void add(const json& what) {
    if (!what.contains("new") || what["new"].size() != samples_.size()) return;
    for (size_t i = 0; i < samples_.size(); ++i) {
      Samples& s = samples_[i];
      for (const json& ms : what["new"][i]["wall_ms"]) s.wall_ms.push_back(ms);
      for (const json& ms : what["new"][i]["cpu_ms"]) s.cpu_ms.push_back(ms);
      s.load.resize(s.wall_ms.size(), what["load"].get<int>());
    }
  }
  bool any() const { return !samples_.empty() && !samples_[0].wall_ms.empty(); }
  std::vector<Samples> take() { return std::move(samples_); }

 private:
  std::vector<Samples> samples_;
};

/// JSON has no NaN and no infinity; Python writes them as such words, which our parser refuses, so the
/// worker's numbers are finite by construction. A number that is not there is 0.
double number(const json& item, const char* key) { return item.value(key, 0.0); }

}  // namespace

NamedTensor take_over(const json& reference) {
  NamedTensor out{reference["name"], ir::DType::kString, reference["shape"], {}, {}};
  if (reference.contains("strings")) {
    out.strings = reference["strings"].get<std::vector<std::string>>();
    return out;
  }
  out.dtype = ir::parse_dtype(reference["dtype"].get<std::string>()).value_or(ir::DType::kUndefined);
  int64_t count = 1;
  for (int64_t size : out.shape) count *= size;
  out.bytes.resize(static_cast<size_t>(ir::byte_size(out.dtype, count)));
  std::ifstream file(reference["file"].get<std::string>(), std::ios::binary);
  file.read(reinterpret_cast<char*>(out.bytes.data()), static_cast<std::streamsize>(out.bytes.size()));
  REQUIRE(file.good(), "reading an output of the worker failed");
  return out;
}

json to_json(const LoadOptions& options) {
  json out = {
      {"threads", options.threads}, {"optimisation", options.optimisation}, {"config", options.config}};
  if (!options.write_optimised.empty()) out["write_optimised"] = options.write_optimised;
  if (!options.arena) out["arena"] = false;
  if (!options.patterns) out["patterns"] = false;
  if (options.shared_arena) out["shared_arena"] = true;
  return out;
}

json to_json(const InputSpec& spec) {
  json out = {{"seed", spec.seed}, {"dims", spec.dims}, {"default_dim", spec.default_dim}};
  if (!spec.npz.empty()) out["npz"] = spec.npz;
  for (const auto& [name, range] : spec.bounds) {
    out["bounds"][name] = {{"low", range.low}, {"high", range.high}};
    if (!range.values.empty()) out["bounds"][name]["values"] = range.values;
  }
  return out;
}

RequestOptions request_options(const Wait& wait) {
  RequestOptions out{
      .timeout_seconds = wait.timeout_seconds, .stop = wait.stop, .progress = {}, .grace_seconds = kGrace};
  if (wait.progress)
    out.progress = [tell = wait.progress](const json& what) {
      if (what.contains("of")) {
        tell(what["done"].get<double>() / what["of"].get<double>(), "comparing");
      } else {
        tell(-1, fmt::format("timing, round {}", what.value("rounds", 0)));
      }
    };
  return out;
}

Failure to_failure(const Reply& reply, const RuntimeKind& kind) {
  switch (reply.status) {
    case ReplyStatus::kMissing:
      throw MissingRuntimeError(fmt::format(
          "{} cannot be used: {}\nInstall it with `pip install {}` into the Python that ISOMER_PYTHON names.",
          kind.name, reply.error, kind.package));
    case ReplyStatus::kTimedOut: return {FailureKind::kTimedOut, reply.error};
    case ReplyStatus::kStopped: return {FailureKind::kStopped, reply.error};
    case ReplyStatus::kRefused: return {FailureKind::kRefused, reply.error};
    case ReplyStatus::kFault: return {FailureKind::kFault, "a fault of our worker: " + reply.error};
    case ReplyStatus::kOk:
    case ReplyStatus::kCrashed: break;
  }
  return {FailureKind::kCrashed, reply.error};
}

const char* to_string(FailureKind kind) {
  switch (kind) {
    case FailureKind::kRefused: return "refused";
    case FailureKind::kFault: return "failed in the worker";
    case FailureKind::kCrashed: return "crashed";
    case FailureKind::kTimedOut: return "timed out";
    case FailureKind::kStopped: return "stopped";
  }
  return "?";
}

Wait wait_until(const Deadline& until, double longest) {
  Wait wait;
  wait.timeout_seconds = std::min(until.remaining(), longest);
  wait.stop = until.stop();
  return wait;
}

bool Comparison::bit_equal() const {
  return std::all_of(outputs.begin(), outputs.end(), [](const OutputDifference& o) { return o.bit_equal; });
}
bool Comparison::agrees(double tolerance) const {
  return std::all_of(outputs.begin(), outputs.end(),
                     [=](const OutputDifference& o) { return o.agrees(tolerance); });
}
double Comparison::max_relative_error() const {
  double out = 0;
  for (const OutputDifference& o : outputs) out = std::max(out, o.max_relative_error);
  return out;
}

std::string RuntimeInfo::name() const {
  return fmt::format("{} {}{}{}", runtime, version, provider.empty() ? "" : " with ", provider);
}

OnnxRuntime::OnnxRuntime(const RuntimeKind& kind, std::string provider)
    : kind_(kind),
      provider_(std::move(provider)),
      worker_(std::make_unique<Worker>(kind.program, provider_)) {}
OnnxRuntime::~OnnxRuntime() = default;

void OnnxRuntime::begin() { worker_->begin(); }

OrFailure<RuntimeInfo> OnnxRuntime::hello(const Wait& wait) {
  const Reply reply = worker_->request("hello", json::object(), request_options(wait));
  if (!reply) {
    Failure failure = to_failure(reply, kind_);
    if (failure.kind == FailureKind::kTimedOut || failure.kind == FailureKind::kStopped) return failure;
    throw MissingRuntimeError(fmt::format("{} does not start: {}", kind_.name, failure.message));
  }
  const json& b = reply.body;
  RuntimeInfo found{b["runtime"], b["version"], b["cpu"], b["python"], b["providers"], provider_, b["cores"]};
  if (const std::string why = provider_.empty() ? "" : b.value("unusable", ""); !why.empty())
    throw MissingRuntimeError(
        fmt::format("{} {} {} {}; it has {}\nPackages of it differ in the providers that they bring "
                    "(onnxruntime-gpu, onnxruntime-openvino, ...): ISOMER_PYTHON names the Python whose "
                    "package is used.",
                    kind_.name, found.version, why, provider_, fmt::join(found.providers, ", ")));
  return *(info_ = std::move(found));
}

RuntimeInfo OnnxRuntime::info(double longest, const StopToken& stop) {
  if (info_) return *info_;
  Wait wait;
  wait.timeout_seconds = longest;
  wait.stop = stop;
  const OrFailure<RuntimeInfo> answer = hello(wait);
  if (!answer && answer.failure().kind == FailureKind::kStopped) return {};
  if (!answer)
    throw MissingRuntimeError(fmt::format("{} does not start: {}", kind_.name, answer.failure().message));
  return *answer;
}

OrFailure<Session> OnnxRuntime::load(const std::string& path, const LoadOptions& options, const Wait& wait) {
  json body = to_json(options);
  body["model"] = path;
  const Reply reply = worker_->request("load", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  return Session{reply.body["session"], worker_->generation(), to_arguments(reply.body["inputs"]),
                 to_arguments(reply.body["outputs"])};
}

OrFailure<std::vector<Argument>> OnnxRuntime::archived(const std::string& npz, const Wait& wait) {
  const Reply reply = worker_->request("archive", {{"npz", npz}}, request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  return to_arguments(reply.body["tensors"]);
}

void OnnxRuntime::unload(const Session& session) {
  if (session.generation == worker_->generation() && worker_->pid() > 0)
    worker_->request("unload", {{"session", session.id}});
}

OrFailure<std::vector<NamedTensor>> OnnxRuntime::run(const Session& session,
                                                     const std::vector<NamedTensor>& inputs,
                                                     const InputSpec& spec, const Wait& wait) {
  if (session.generation != worker_->generation() || worker_->pid() <= 0)
    return Failure{FailureKind::kCrashed, "the worker that held the session is gone"};
  const std::filesystem::path& folder = worker_->folder();
  json body = {{"session", session.id}, {"inputs", to_json(spec)}, {"folder", folder.string()}};
  for (size_t i = 0; i < inputs.size(); ++i)
    body["inputs"]["tensors"][inputs[i].name] = hand_over(inputs[i], folder, i);
  const Reply reply = worker_->request("run", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  std::vector<NamedTensor> out;
  for (const json& reference : reply.body["outputs"]) out.push_back(take_over(reference));
  for (const auto& file : std::filesystem::directory_iterator(folder)) std::filesystem::remove(file);
  return out;
}

OrFailure<bool> OnnxRuntime::probe(const Session& session, const InputSpec& spec, const Wait& wait) {
  if (session.generation != worker_->generation() || worker_->pid() <= 0)
    return Failure{FailureKind::kCrashed, "the worker that held the session is gone"};
  const Reply reply =
      worker_->request("probe", {{"session", session.id}, {"inputs", to_json(spec)}}, request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  return true;
}

OrFailure<std::map<std::string, uint64_t>> OnnxRuntime::placement(const std::string& model,
                                                                  const InputSpec& spec,
                                                                  const LoadOptions& options,
                                                                  const Wait& wait) {
  json body = to_json(options);
  body["model"] = model;
  body["inputs"] = to_json(spec);
  const Reply reply = worker_->request("placement", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  return reply.body["operators"].get<std::map<std::string, uint64_t>>();
}

OrFailure<std::map<std::string, std::vector<int64_t>>> OnnxRuntime::given_shapes(const InputSpec& spec,
                                                                                 const Wait& wait) {
  const Reply reply = worker_->request("given_shapes", {{"inputs", to_json(spec)}}, request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  return reply.body["shapes"].get<std::map<std::string, std::vector<int64_t>>>();
}

OrFailure<Comparison> OnnxRuntime::compare(const std::string& model_a, const std::string& model_b,
                                           const InputSpec& inputs, int samples, const LoadOptions& options,
                                           const Wait& wait, const CompareExtras& extras) {
  json body = to_json(options);
  body["model_a"] = model_a;
  body["model_b"] = model_b;
  body["inputs"] = to_json(inputs);
  body["samples"] = samples;
  body["pairs"] = extras.pairs;
  body["choices"] = json::array();
  for (const Choice& c : extras.choices)
    body["choices"].push_back({{"output", c.output},
                               {"data", c.data},
                               {"inner", c.inner},
                               {"axis", c.axis},
                               {"keepdims", c.keepdims}});
  const Reply reply = worker_->request("compare", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  Comparison out{{}, reply.body["samples"], reply.body["same_input_names"], reply.body["same_output_names"]};
  for (const json& o : reply.body["outputs"])
    out.outputs.push_back({o["name"], o["dtype"], o["same_type"], o["same_shape"], o["nan_agree"],
                           o["inf_agree"], o["bit_equal"], o["exact_equal"], o["is_float"],
                           number(o, "max_abs_error"), number(o, "max_abs_value"),
                           number(o, "max_relative_error"), o["note"]});
  return out;
}

OrFailure<std::vector<Digest>> OnnxRuntime::digests(const std::string& model,
                                                    const std::vector<std::string>& values,
                                                    const InputSpec& inputs, const LoadOptions& options,
                                                    const Wait& wait) {
  json body = to_json(options);
  body["model"] = model;
  body["names"] = values;
  body["inputs"] = to_json(inputs);
  const Reply reply = worker_->request("digest", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  std::vector<Digest> out;
  for (const json& d : reply.body["digests"])
    out.push_back(d.is_null() ? Digest{} : Digest{d["count"], d["norm"], d["sum"], d["samples"]});
  return out;
}

OrFailure<std::vector<Samples>> OnnxRuntime::time(const std::vector<std::string>& models,
                                                  const TimingOptions& options, const Wait& wait) {
  json body = to_json(options.load);
  for (const std::string& model : models) body["targets"].push_back({{"model", model}});
  body["inputs"] = to_json(options.inputs);
  body["loads"] = options.loads;
  body["warmups"] = options.warmups;
  body["min_rounds"] = options.min_rounds;
  body["max_rounds"] = options.max_rounds;
  body["max_seconds"] = options.max_seconds;
  body["min_sample_ms"] = options.min_sample_ms;
  body["one_at_a_time"] = options.one_at_a_time;
  body["seed"] = options.seed;
  if (options.settle)
    body["settle"] = {{"clock", clock(options.load.threads)}, {"clear", kClearGain}, {"slow_ms", kSlowMs}};
  if (std::isfinite(options.deadline_seconds)) body["deadline_seconds"] = options.deadline_seconds;
  ToldRounds told(models.size());
  RequestOptions request = request_options(wait);
  request.progress = [&told, tell = request.progress](const json& what) {
    told.add(what);
    if (tell) tell(what);
  };
  const Reply reply = worker_->request("time", std::move(body), request);
  const bool ended = reply.status == ReplyStatus::kStopped || reply.status == ReplyStatus::kTimedOut;
  if (ended && told.any()) return told.take();
  if (!reply) return to_failure(reply, kind_);
  std::vector<Samples> out;
  for (const json& target : reply.body["targets"])
    out.push_back({target["wall_ms"], target["cpu_ms"], reply.body["loads"]});
  if (reply.body["rounds"].get<int>() == 0)
    return Failure{FailureKind::kStopped, "no round of runs came to its end"};
  return out;
}

OrFailure<PairedTiming> OnnxRuntime::time_pair(const std::string& original, const std::string& candidate,
                                               const TimingOptions& options, const Wait& wait) {
  const OrFailure<std::vector<Samples>> both = time({original, candidate}, options, wait);
  if (!both) return both.failure();
  return pair_up((*both)[0], (*both)[1]);
}

OrFailure<std::vector<std::optional<double>>> OnnxRuntime::time_operators(const json& request,
                                                                          const Wait& wait) {
  const Reply reply = worker_->request("operator_costs", request, request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  std::vector<std::optional<double>> out;
  for (const json& cost : reply.body["costs"]) {
    out.emplace_back();
    if (cost.is_number()) out.back() = cost.get<double>();
  }
  return out;
}

OrFailure<KernelTimes> OnnxRuntime::time_kernels(int threads, double seconds, const Wait& wait) {
  const Reply reply =
      worker_->request("calibrate", {{"threads", threads}, {"clock", clock(threads)}, {"seconds", seconds}},
                       request_options(wait));
  if (!reply) return to_failure(reply, kind_);
  const json& b = reply.body;
  return KernelTimes{b["product_ms"], b["product_flops"], b["addition_ms"], b["addition_bytes"],
                     b["node_ms"]};
}

}  // namespace isomer::runtime
