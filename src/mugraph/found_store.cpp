#include "mugraph/found_store.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "mugraph/mirage_json.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

using Json = nlohmann::json;
constexpr const char* kSpace = "mugraphs";
/// Raise it when a search may find other muGraphs, prices are others, or a verdict may be another.
constexpr uint64_t kVersion = 6;

std::string key_of(const Program& program, const Extents& extents, const SearchOptions& o) {
  uint64_t h = hash_combine(kVersion, search_number(program, extents, o));
  for (int64_t n : {static_cast<int64_t>(target_number(o.target)), static_cast<int64_t>(o.seed),
                    static_cast<int64_t>(o.verify.seed), static_cast<int64_t>(o.verify.log2_error),
                    int64_t{o.verify.max_tests}, int64_t{o.verify.floats},
                    static_cast<int64_t>(o.verify.tests), static_cast<int64_t>(o.verify.fields)})
    h = hash_combine(h, static_cast<uint64_t>(n));
  return fmt::format("{:016x}", h);
}

Json json_of(const MuVerdict& v) {
  return {{"kind", static_cast<int>(v.verdict.kind)},
          {"method", v.verdict.method},
          {"log2_error", v.verdict.log2_error},
          {"on_floats", v.verdict.on_floats},
          {"max_relative_error", v.verdict.max_relative_error},
          {"note", v.verdict.note},
          {"tests", v.tests},
          {"reduced", v.reduced},
          {"terms", v.exponential_terms}};
}

MuVerdict verdict_of(const Json& j) {
  MuVerdict v;
  v.verdict.kind = static_cast<verify::VerdictKind>(j.at("kind").get<int>());
  v.verdict.method = j.at("method").get<std::string>();
  v.verdict.log2_error = j.at("log2_error").get<double>();
  v.verdict.on_floats = j.at("on_floats").get<bool>();
  v.verdict.max_relative_error = j.at("max_relative_error").get<double>();
  v.verdict.note = j.at("note").get<std::string>();
  v.tests = j.at("tests").get<int>();
  v.reduced = j.at("reduced").get<Extents>();
  v.exponential_terms = j.at("terms").get<double>();
  return v;
}

/// The counters that a result has, in one order.
template <class Result>
auto counters(Result& r) {
  return std::array{&r.states, &r.queries,          &r.pruned, &r.distinct_terms, &r.candidates, &r.tested,
                    &r.passed, &r.without_schedule, &r.cut};
}

/// Of others a name may mean something else the next time, so that a verdict would not hold.
bool has_standard_operators(const SearchOptions& options) { return options.ops == &standard_mu_ops(); }

}  // namespace

std::optional<SearchResult> load_found(Store& store, const Program& program, const Extents& extents,
                                       const SearchOptions& options) {
  if (!has_standard_operators(options)) return std::nullopt;
  const std::string key = key_of(program, extents, options);
  const auto text = store.get(kSpace, key);
  if (!text) return std::nullopt;
  try {
    const Json j = Json::parse(*text);
    SearchResult r;
    r.stop_reason = StopReason::kSaturated;
    for (size_t i = 0; uint64_t* counter : counters(r)) *counter = j.at("counters").at(i++).get<uint64_t>();
    r.pruning_complete = j.at("pruning_complete").get<bool>();
    r.target = j.at("target").get<std::string>();
    r.cpu_seconds = j.at("cpu_seconds").get<double>();
    for (const Json& f : j.at("found")) {
      FoundMuGraph found;
      found.model = parse_mirage_json(f.at("model").get<std::string>(), kSpace, *options.ops).at(0);
      found.schedules = parse_mirage_json(f.at("schedules").get<std::string>(), kSpace, *options.ops);
      found.verdict = verdict_of(f.at("verdict"));
      found.verdict.extents = extents;
      found.costs = f.at("costs").get<std::vector<double>>();
      if (found.costs.size() != found.schedules.size()) return std::nullopt;
      r.found.push_back(std::move(found));
    }
    return r;
  } catch (const Json::exception&) {
    return std::nullopt;
  } catch (const InputError&) {
    return std::nullopt;
  }
}

bool keep_found(Store& store, const Program& program, const Extents& extents, const SearchOptions& options,
                const SearchResult& r) {
  if (r.stop_reason != StopReason::kSaturated || !has_standard_operators(options)) return false;
  Json j;
  j["counters"] = Json::array();
  for (const uint64_t* counter : counters(r)) j["counters"].push_back(*counter);
  j["pruning_complete"] = r.pruning_complete;
  j["target"] = r.target;
  j["cpu_seconds"] = r.cpu_seconds;
  j["found"] = Json::array();
  for (const FoundMuGraph& f : r.found)
    j["found"].push_back({{"model", write_mirage_json({f.model})},
                          {"schedules", write_mirage_json(f.schedules)},
                          {"costs", f.costs},
                          {"verdict", json_of(f.verdict)}});
  return store.put(kSpace, key_of(program, extents, options), j.dump());
}

}  // namespace isomer::mugraph
