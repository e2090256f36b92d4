#include "report/result_json.h"

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/json_value.h"

namespace isomer::report {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string text_of(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

namespace {

Json value_of(double value) { return number(value); }
Json value_of(Agreement verdict) { return to_string(verdict); }
Json value_of(const std::vector<RuntimeRefusal>& refusals) {
  Json out = Json::array();
  for (const RuntimeRefusal& f : refusals)
    out.push_back({{"candidate", f.candidate}, {"node", f.node}, {"message", f.message}});
  return out;
}
Json value_of(const std::vector<Gain>& gains) {
  Json out = Json::array();
  for (const Gain& g : gains)
    out.push_back({{"what", g.what}, {"steps", g.steps}, {"saved", number(g.saved)}, {"rules", g.rules}});
  return out;
}
Json value_of(const FirstDifference& f) {
  if (f.value_a.empty()) return nullptr;
  return {{"value_a", f.value_a},
          {"value_b", f.value_b},
          {"operator_a", f.operator_a},
          {"operator_b", f.operator_b},
          {"error", number(f.error)},
          {"note", f.note},
          {"from", f.from},
          {"operators_between_a", f.operators_between_a},
          {"operators_between_b", f.operators_between_b}};
}
Json value_of(const Ratio& r) {
  if (r.median == 0) return nullptr;
  return {{"median", r.median}, {"least", r.least}, {"most", r.most}};
}
Json value_of(const std::vector<CompiledPiece>& pieces) {
  Json out = Json::array();
  for (const CompiledPiece& p : pieces)
    out.push_back({{"what", p.what},
                   {"times", p.times},
                   {"structures", p.structures},
                   {"schedules", p.schedules},
                   {"plain_seconds", p.plain_seconds},
                   {"kernel_seconds", p.kernel_seconds},
                   {"gain", p.gain.median},
                   {"taken", p.taken},
                   {"reason", p.reason}});
  return out;
}
template <class T>
Json value_of(const T& value) {
  return value;
}

// The forms that the lists of results name.
template <class Result, class T>
Json plain(const Result&, const T& value) {
  return value_of(value);
}
template <class Result>
Json count(const Result&, int64_t n) {
  return n < 0 ? Json(nullptr) : Json(n);
}
template <class Result>
Json text(const Result&, std::string_view s) {
  return s.empty() ? Json(nullptr) : Json(s);
}
Json text(const CompareResult& r, Except except) { return text(r, to_string(except)); }
Json size_before(const OptimizeResult& r, uint64_t n) { return r.nodes_before < 0 ? Json(nullptr) : Json(n); }
Json size_after(const OptimizeResult& r, uint64_t n) { return r.nodes_after < 0 ? Json(nullptr) : Json(n); }
Json decided(const CompareResult& r, bool value) {
  return r.verdict == Agreement::kUndecided ? Json(nullptr) : Json(value);
}
Json checked(const CompileResult& r, double value) { return r.checked ? number(value) : Json(nullptr); }
Json rewritten(const CompileResult& r, double median) {
  if (!r.rewritten) return nullptr;
  return {{"median", median}, {"low", r.rewrite_gain_low}, {"high", r.rewrite_gain_high}};
}
struct Absent {};
template <class Result, class T>
Absent absent(const Result&, const T&) {
  return {};
}

void put(Json& j, const char* key, Json value) { j[key] = std::move(value); }
void put(Json&, const char*, Absent) {}

}  // namespace

#define ISOMER_RESULT(type, field, fallback, key, form, help) put(j, key, form(r, r.field));
Json json_of(const OptimizeResult& r) {
  Json j;
#include "isomer/optimize_result.inc"
  return j;
}

Json json_of(const CompareResult& r) {
  Json j;
#include "isomer/compare_result.inc"
  return j;
}

Json json_of(const CompileResult& r) {
  Json j;
#include "isomer/compile_result.inc"
  return j;
}
#undef ISOMER_RESULT

Json json_of(const OptimizeResult& result, const RunRecord& record) {
  Json j;
  j["result"] = json_of(result);
  for (const Phase& p : record.phases)
    j["phases"].push_back({{"name", p.name},
                           {"wall_seconds", number(p.wall_seconds)},
                           {"cpu_seconds", number(p.cpu_seconds)},
                           {"outcome", p.outcome}});
  for (const Step& s : record.steps)
    j["steps"].push_back({{"seconds", number(s.seconds)}, {"what", s.what}, {"cost", number(s.cost)}});
  for (const RewriteEntry& e : record.chain)
    j["chain"].push_back({{"rule", e.rule},
                          {"backward", e.backward},
                          {"places", e.places},
                          {"before", e.before},
                          {"after", e.after},
                          {"variables", e.variables},
                          {"aim", e.aim},
                          {"cost", number(e.cost)}});
  for (const auto& [name, value] : record.numbers) j["numbers"][name] = number(value);
  j["texts"] = record.texts;
  j["warnings"] = record.warnings;
  return j;
}

std::string to_json(const OptimizeResult& result) { return text_of(json_of(result)); }

std::string to_json(const CompareResult& result) { return text_of(json_of(result)); }

std::string to_json(const OptimizeResult& result, const RunRecord& record) {
  return text_of(json_of(result, record), 1);
}

}  // namespace isomer::report
