#include "report/result_json.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "report/json_value.h"
#include "support/errors.h"
#include "support/float_promise.h"
#include "support/units.h"

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
                          {"cost", number(e.cost)}});
  for (const auto& [name, value] : record.numbers) j["numbers"][name] = number(value);
  j["texts"] = record.texts;
  j["warnings"] = record.warnings;
  return j;
}

namespace {

std::string ratio(double before, double after) {
  return std::isfinite(before) && std::isfinite(after) && after > 0 ? fmt::format("{:.3f}x", before / after)
                                                                    : "";
}

std::string promise_text(const std::string& promise) {
  const auto known = parse_float_promise(promise);
  REQUIRE(known.has_value(), "a promise of floats");
  switch (*known) {
    case FloatPromise::kStrict: return promise + ": the same bits, operator by operator (--float)";
    case FloatPromise::kFinite: return promise + ": may round otherwise; what is finite stays so (--float)";
    case FloatPromise::kFast: return promise + ": equal in exact arithmetic (--float)";
  }
  return promise;
}

/// "batch=2, seq=64 (the model stays dynamic); also verified at batch=3, seq=40".
std::string sizes_text(const OptimizeResult& r) {
  const auto text = [](const std::map<std::string, int64_t>& sizes) {
    std::string out;
    for (const auto& [name, size] : sizes) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, size);
    return out;
  };
  std::string out = text(r.sizes) + " (the model stays dynamic)";
  for (size_t i = 1; i < r.verified_sizes.size(); ++i)
    out += (i == 1 ? "; also verified at " : " and ") + text(r.verified_sizes[i]);
  return out;
}

}  // namespace

std::string to_json(const OptimizeResult& result) { return text_of(json_of(result)); }

std::string to_json(const CompareResult& r) {
  Json j;
  j["equivalent"] = r.verdict == Agreement::kUndecided ? Json(nullptr) : Json(r.equivalent);
  j["verdict"] = to_string(r.verdict);
  j["scope"] = r.scope;
  j["method"] = r.method;
  j["max_relative_error"] = number(r.max_relative_error);
  j["error_probability"] = number(r.error_probability);
  j["detail"] = r.detail;
  j["inputs_tried"] = r.inputs_tried;
  j["ways"] = r.ways;
  j["sizes"] = r.sizes;
  j["witness"] = r.witness.empty() ? Json(nullptr) : Json(r.witness);
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

std::string left_out(uint64_t used, const std::map<std::string, std::vector<std::string>>& others) {
  size_t count = 0;
  std::string reasons;
  for (const auto& [reason, rules] : others) {
    count += rules.size();
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", rules.size(), reason);
  }
  return count == 0 ? "" : fmt::format("{} of {} rules ({})", count, used + count, reasons);
}

std::string summary(const OptimizeResult& r) {
  const auto row = [](std::string_view label, const std::string& before, const std::string& after,
                      const std::string& gain = {}) {
    return fmt::format("  {:<14}{:>14} {:>14}  {}\n", label, before, after, gain);
  };
  const auto cost = [](double v) { return std::isfinite(v) ? fmt::format("{:.5g}", v) : std::string("-"); };
  const auto macs = [](int64_t v) {
    return v < 0 ? std::string("-") : fmt::format("{:.4g} M", static_cast<double>(v) / 1e6);
  };
  const auto time = [](double v) { return std::isfinite(v) ? format_seconds(v * 1e-3) : std::string("-"); };

  std::string out = fmt::format("{} -> {}\n", r.input, r.output);
  out += row("", "before", "after");
  out += row("operators", std::to_string(r.nodes_before), std::to_string(r.nodes_after));
  out += row("multiply-adds", macs(r.macs_before), macs(r.macs_after));
  out += row("weights", format_bytes(r.weight_bytes_before), format_bytes(r.weight_bytes_after));
  out += row("cost", cost(r.cost_before), cost(r.cost_after),
             ratio(r.cost_before, r.cost_after) + " by " + r.cost_model);
  if (std::isfinite(r.latency_before_ms))
    out += row("latency", time(r.latency_before_ms), time(r.latency_after_ms),
               fmt::format("{}{:.3f}x (95 %: {:.3f} to {:.3f}) in {}", r.changed ? "" : "best candidate ",
                           r.speedup, r.speedup_low, r.speedup_high, r.runtime));
  if (r.changed && r.cost_candidate > r.cost_found)
    out += row("cheapest", "", cost(r.cost_found), "by that cost; what was written is faster as a whole");
  if (!r.sizes.empty()) out += fmt::format("  sizes:   {}\n", sizes_text(r));
  out += fmt::format("  written: {}\n", r.decision);
  if (!r.interrupted.empty())
    out +=
        fmt::format("  interrupted in the step `{}`: the rest is done with what there was\n", r.interrupted);
  if (!r.verification.empty()) out += fmt::format("  checked: {}\n", r.verification);
  if (!r.float_promise.empty()) out += fmt::format("  floats:  {}\n", promise_text(r.float_promise));
  if (r.e_nodes > 0)
    out += fmt::format("  e-graph: {} e-nodes, {} e-classes, {} iterations, {}; extraction {}\n", r.e_nodes,
                       r.e_classes, r.iterations, r.stop_reason,
                       r.optimal ? "proved optimal" : fmt::format("bound {:.5g}", r.bound));
  if (!r.rules_applied.empty()) {
    out += "  rules:   ";
    for (const auto& [name, n] : r.rules_applied) out += fmt::format(" {} x{}", name, n);
    out += "\n";
  }
  if (const std::string without = left_out(r.rules_used, r.rules_left_out); !without.empty())
    out += fmt::format("  without: {}\n", without);
  for (const std::string& w : r.warnings) out += "  warning: " + w + "\n";
  if (!r.report.empty()) out += fmt::format("  report:  {}\n", r.report);
  out += fmt::format("  in {}\n", format_seconds(r.seconds));
  return out;
}

}  // namespace isomer::report
