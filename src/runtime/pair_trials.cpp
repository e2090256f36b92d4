#include "runtime/pair_trials.h"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <utility>

#include "runtime/onnxruntime_json.h"
#include "support/errors.h"

namespace isomer::runtime {

using nlohmann::json;

namespace {

json to_json(const std::vector<Condition>& conditions) {
  json out = json::array();
  for (const Condition& c : conditions)
    out.push_back({{"name", c.name},
                   {"op", c.op},
                   {"operands", c.operands},
                   {"can", json::array({c.can_be_true, c.can_be_false})},
                   {"of_sizes", c.of_sizes}});
  return out;
}

json to_json(const std::vector<Rounds>& rounds) {
  json out = json::array();
  for (const Rounds& r : rounds) out.push_back({{"name", r.name}, {"of", r.of}});
  return out;
}

json to_json(const std::vector<StoredTensor>& stored) {
  json out = json::array();
  for (const StoredTensor& t : stored) {
    json values = t.integers.empty() ? json(t.numbers) : json(t.integers);
    out.push_back({{"dtype", t.dtype}, {"values", std::move(values)}});
  }
  return out;
}

/// The worker's word for it.
DifferenceKind difference_kind(std::string_view word) {
  static constexpr std::pair<std::string_view, DifferenceKind> kWords[] = {
      {"values", DifferenceKind::kValues}, {"shapes", DifferenceKind::kShapes},
      {"types", DifferenceKind::kTypes},   {"finite", DifferenceKind::kFinite},
      {"error", DifferenceKind::kError},
  };
  const auto* const it = std::ranges::find(kWords, word, &std::pair<std::string_view, DifferenceKind>::first);
  REQUIRE(it != std::end(kWords), "a kind of difference that the worker knows");
  return it->second;
}

/// What the worker wrote there was taken over.
void empty_folder(OnnxRuntime& runtime) {
  for (const auto& file : std::filesystem::directory_iterator(runtime.worker().folder()))
    std::filesystem::remove(file);
}

}  // namespace

OrFailure<TrialReport> try_pair(OnnxRuntime& runtime, const std::string& model_a, const std::string& model_b,
                                const TrialRequest& request, const Wait& wait) {
  json body = to_json(request.load);
  body["model_a"] = model_a;
  body["model_b"] = model_b;
  body["inputs"] = to_json(request.inputs);
  body["sizes"] = request.sizes;
  body["thresholds"] = request.thresholds;
  body["integers"] = request.integers;
  body["stored"] = to_json(request.stored);
  body["pointwise"] = request.pointwise;
  body["overflow_differs"] = request.overflow_differs;
  body["skip"] = request.skip;
  body["tolerance"] = request.tolerance;
  body["tolerances"] = request.tolerances;
  body["seconds"] = request.seconds;
  body["witness"] = request.witness;
  body["tame"] = request.tame;
  body["without_empty"] = request.without_empty;
  body["inner_a"] = request.inner_a;
  body["inner_b"] = request.inner_b;
  body["conditions_a"] = to_json(request.conditions_a);
  body["conditions_b"] = to_json(request.conditions_b);
  body["loops"] = request.loops;
  body["rounds_a"] = to_json(request.rounds_a);
  body["rounds_b"] = to_json(request.rounds_b);
  body["evaluated"] = request.evaluated;
  body["deciders"] = request.deciders;
  body["shares"] = {{"outputs", request.shares.outputs}, {"nothing", request.shares.nothing}};
  body["folder"] = runtime.worker().folder();
  const Reply reply = runtime.worker().request("try", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply);
  TrialReport out;
  out.evaluated = request.evaluated;
  out.confirmed = reply.body["confirmed"];
  out.tame = request.tame;
  out.without_empty = request.without_empty;
  out.runs = reply.body["runs"];
  out.ran = reply.body["ran"];
  out.ways = reply.body["ways"].get<std::map<std::string, int64_t>>();
  for (const json& sizes : reply.body["sizes"])
    out.sizes.push_back(sizes.get<std::map<std::string, int64_t>>());
  out.worst = reply.body["worst"];
  out.notes = reply.body["notes"].get<std::map<std::string, std::string>>();
  out.outputs = reply.body["outputs"].get<std::vector<std::string>>();
  out.empty = reply.body["empty"].get<std::vector<bool>>();
  out.finite = reply.body["finite"].get<std::vector<bool>>();
  out.still = reply.body["still"].get<std::vector<bool>>();
  if (const json& all = reply.body["all_inputs"]; !all.is_null()) {
    out.all_inputs = all["count"];
    out.same_bits = all["exact"];
  }
  for (const json& unmet : reply.body["unmet"])
    out.unmet.push_back({unmet["in_first"], unmet["name"], unmet["never"], unmet["of_sizes"]});
  for (const json& few : reply.body["few_rounds"])
    out.few_rounds.push_back({few["in_first"], few["name"], few["seen"], few["of"]});
  for (const json& doubt : reply.body["doubts"]) {
    Doubt& d = out.doubts.emplace_back(doubt["output"], doubt["what"],
                                       doubt["sizes"].get<std::map<std::string, int64_t>>());
    for (const json& reference : doubt["inputs"]) d.inputs.push_back(take_over(reference));
  }
  out.doubt_left_out = reply.body["doubt_left_out"];
  empty_folder(runtime);
  if (const json& found = reply.body["found"]; !found.is_null())
    out.found =
        TrialDifference{found["output"], difference_kind(found["kind"].get<std::string>()), found["way"],
                        found["what"], found["sizes"].get<std::map<std::string, int64_t>>()};
  return out;
}

OrFailure<FedRun> fed_run(OnnxRuntime& runtime, const std::string& model, const InputSpec& spec, int sample,
                          const LoadOptions& load, const Wait& wait) {
  json body = to_json(load);
  body["model"] = model;
  body["inputs"] = to_json(spec);
  body["sample"] = sample;
  body["folder"] = runtime.worker().folder();
  const Reply reply = runtime.worker().request("fed_run", std::move(body), request_options(wait));
  if (!reply) return to_failure(reply);
  FedRun out;
  for (const json& reference : reply.body["inputs"]) out.inputs.push_back(take_over(reference));
  for (const json& reference : reply.body["outputs"]) out.outputs.push_back(take_over(reference));
  empty_folder(runtime);
  return out;
}

}  // namespace isomer::runtime
