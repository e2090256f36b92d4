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

using R = OptimizeResult;

Json plain(const R&, double value) { return number(value); }
Json plain(const R&, const std::vector<RuntimeRefusal>& refusals) {
  Json out = Json::array();
  for (const RuntimeRefusal& f : refusals)
    out.push_back({{"candidate", f.candidate}, {"node", f.node}, {"message", f.message}});
  return out;
}
template <class T>
Json plain(const R&, const T& value) {
  return value;
}
Json plain(const R&, const std::vector<Gain>& gains) {
  Json out = Json::array();
  for (const Gain& g : gains)
    out.push_back({{"what", g.what}, {"steps", g.steps}, {"saved", number(g.saved)}, {"rules", g.rules}});
  return out;
}
Json count(const R&, int64_t n) { return n < 0 ? Json(nullptr) : Json(n); }
Json text(const R&, const std::string& s) { return s.empty() ? Json(nullptr) : Json(s); }
Json size_before(const R& r, uint64_t n) { return r.nodes_before < 0 ? Json(nullptr) : Json(n); }
Json size_after(const R& r, uint64_t n) { return r.nodes_after < 0 ? Json(nullptr) : Json(n); }
struct Absent {};
Absent absent(const R&, const std::string&) { return {}; }

void put(Json& j, const char* key, Json value) { j[key] = std::move(value); }
void put(Json&, const char*, Absent) {}

}  // namespace

Json json_of(const OptimizeResult& r) {
  Json j;
#define ISOMER_RESULT(type, field, fallback, key, form, help) put(j, key, form(r, r.field));
#include "isomer/optimize_result.inc"
#undef ISOMER_RESULT
  return j;
}

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

std::string to_json(const CompareResult& r) {
  Json j;
  j["equivalent"] = r.verdict == Agreement::kUndecided ? Json(nullptr) : Json(r.equivalent);
  j["verdict"] = to_string(r.verdict);
  j["except"] = r.except == Except::kNothing ? Json(nullptr) : Json(to_string(r.except));
  j["scope"] = r.scope;
  j["method"] = r.method;
  j["max_relative_error"] = number(r.max_relative_error);
  j["error_probability"] = number(r.error_probability);
  j["detail"] = r.detail;
  j["inputs_tried"] = r.inputs_tried;
  j["ways"] = r.ways;
  j["sizes"] = r.sizes;
  j["witness"] = r.witness.empty() ? Json(nullptr) : Json(r.witness);
  j["interrupted"] = r.interrupted;
  j["first_difference"] = nullptr;
  if (const FirstDifference& f = r.first; !f.value_a.empty())
    j["first_difference"] = {{"value_a", f.value_a},
                             {"value_b", f.value_b},
                             {"operator_a", f.operator_a},
                             {"operator_b", f.operator_b},
                             {"error", number(f.error)},
                             {"note", f.note},
                             {"from", f.from},
                             {"operators_between_a", f.operators_between_a},
                             {"operators_between_b", f.operators_between_b}};
  return text_of(j);
}

std::string to_json(const OptimizeResult& result, const RunRecord& record) {
  return text_of(json_of(result, record), 1);
}

}  // namespace isomer::report
