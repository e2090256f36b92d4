#include "report/run_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "report/page_template.h"
#include "support/errors.h"

namespace isomer::report {

extern const std::string_view kComparisonHtml, kComparisonCss, kComparisonJs;

namespace {

/// Of a result, in the order of the page.
struct Figure {
  const char* what;
  const char* key;
  const char* unit;  ///< "", "ms", "s", "bytes"
};
constexpr std::array kFigures = {
    Figure{"input", "input", ""},
    Figure{"decision", "decision", ""},
    Figure{"why", "why", ""},
    Figure{"speed-up", "speedup", ""},
    Figure{"speed-up, lower end", "speedup_low", ""},
    Figure{"speed-up, upper end", "speedup_high", ""},
    Figure{"speed-up on all cores", "speedup_all_cores", ""},
    Figure{"latency before", "latency_before_ms", "ms"},
    Figure{"latency after", "latency_after_ms", "ms"},
    Figure{"cost model", "cost_model", ""},
    Figure{"cost before", "cost_before", ""},
    Figure{"cost of what was written", "cost_after", ""},
    Figure{"cost of the cheapest", "cost_found", ""},
    Figure{"bound", "bound", ""},
    Figure{"proved optimal", "optimal", ""},
    Figure{"operators before", "nodes_before", ""},
    Figure{"operators after", "nodes_after", ""},
    Figure{"multiply-adds after", "macs_after", ""},
    Figure{"weights after", "weight_bytes_after", "bytes"},
    Figure{"e-nodes", "e_nodes", ""},
    Figure{"iterations", "iterations", ""},
    Figure{"the search ended by", "stop_reason", ""},
    Figure{"promise for floats", "float", ""},
    Figure{"runtime", "runtime", ""},
    Figure{"largest relative error", "max_relative_error", ""},
    Figure{"seconds", "seconds", "s"},
};

constexpr std::string_view kKeys[] = {
#define ISOMER_RESULT(type, field, fallback, key, form, help) key,
#include "isomer/optimize_result.inc"
#undef ISOMER_RESULT
};
static_assert(std::ranges::all_of(kFigures, [](const Figure& f) {
  return std::ranges::find(kKeys, std::string_view(f.key)) != std::ranges::end(kKeys);
}));

Json member(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found == object.end() ? Json() : *found;
}

Json figures(const Json& a, const Json& b) {
  Json out = Json::array();
  for (const auto& [what, key, unit] : kFigures) {
    const Json values = {member(a["result"], key), member(b["result"], key)};
    if (values[0].is_null() && values[1].is_null()) continue;
    out.push_back({{"what", what}, {"unit", unit}, {"values", values}, {"differs", values[0] != values[1]}});
  }
  return out;
}

/// In the first run's order, then what the second alone has; of steps that were made again their sums.
Json steps(const Json& a, const Json& b) {
  std::vector<std::string> names;
  std::map<std::string, std::array<Json, 2>> seconds, outcomes;
  for (const size_t run : {0, 1})
    for (const Json& phase : (run == 0 ? a : b)["phases"]) {
      const std::string name = phase["name"];
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
      Json& sum = seconds[name][run];
      sum = phase["wall_seconds"].get<double>() + (sum.is_null() ? 0.0 : sum.get<double>());
      outcomes[name][run] = phase["outcome"];
    }
  Json out = Json::array();
  for (const std::string& name : names)
    out.push_back({{"step", name},
                   {"seconds", seconds[name]},
                   {"outcomes", outcomes[name]},
                   {"differs", outcomes[name][0] != outcomes[name][1]}});
  return out;
}

Json rules(const Json& a, const Json& b) {
  std::map<std::string, std::array<uint64_t, 2>> counts;
  for (const size_t run : {0, 1})
    for (const auto& [rule, count] : (run == 0 ? a : b)["result"]["rules_applied"].items())
      counts[rule][run] = count;
  Json out = Json::array();
  for (const auto& [rule, of_runs] : counts)
    if (of_runs[0] != of_runs[1]) out.push_back({{"rule", rule}, {"counts", of_runs}, {"differs", true}});
  return out;
}

/// What tells a rewrite from another: places are by the models' names.
Json rewrite(const Json& entry) {
  Json out;
  for (const char* key : {"rule", "places", "before", "after"}) out[key] = member(entry, key);
  return out;
}

/// Of both runs what the other does not have as often, in order; then how many both have.
std::pair<std::array<Json, 2>, size_t> rewrites(const Json& a, const Json& b) {
  std::map<Json, std::array<size_t, 2>> counts;
  for (const size_t run : {0, 1})
    for (const Json& entry : (run == 0 ? a : b)["chain"]) ++counts[rewrite(entry)][run];
  size_t common = 0;
  for (const auto& [one, of_runs] : counts) common += std::min(of_runs[0], of_runs[1]);
  std::array<Json, 2> alone = {Json::array(), Json::array()};
  for (const size_t run : {0, 1})
    for (const Json& entry : (run == 0 ? a : b)["chain"]) {
      const Json one = rewrite(entry);
      std::array<size_t, 2>& of_runs = counts[one];
      if (of_runs[run] <= of_runs[1 - run]) continue;
      --of_runs[run];
      alone[run].push_back(one);
    }
  return {alone, common};
}

}  // namespace

std::vector<std::string> compared_keys() {
  std::vector<std::string> out;
  for (const Figure& figure : kFigures) out.emplace_back(figure.key);
  return out;
}

Json checked_record(const std::string& path, const std::string& text) {
  Json out = Json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto good_phase = [](const Json& p) {
    return p.is_object() && member(p, "name").is_string() && member(p, "wall_seconds").is_number() &&
           member(p, "outcome").is_string();
  };
  const auto good_rewrite = [](const Json& r) {
    if (!r.is_object()) return false;
    const Json places = member(r, "places");
    return places.is_null() || (places.is_array() && std::ranges::all_of(places, &Json::is_string));
  };
  const auto good = [&] {
    if (!out.is_object()) return false;
    const Json result = member(out, "result"), phases = member(out, "phases");
    if (!result.is_object() || !phases.is_array()) return false;
    const Json rules = member(result, "rules_applied");
    return rules.is_object() && std::ranges::all_of(rules, &Json::is_number_unsigned) &&
           std::ranges::all_of(phases, good_phase) && out["chain"].is_array() &&
           std::ranges::all_of(out["chain"], good_rewrite);
  };
  if (out.is_object()) out.emplace("chain", Json::array());  // a record has none where nothing was rewritten
  if (!good())
    throw InputError(path + ": expected a record of the main job, as `isomer optimize --record` writes it");
  return out;
}

Json compared(const RecordedRun& a, const RecordedRun& b) {
  const auto [alone, common] = rewrites(a.record, b.record);
  return {{"runs", {a.name, b.name}},
          {"figures", figures(a.record, b.record)},
          {"steps", steps(a.record, b.record)},
          {"rules", rules(a.record, b.record)},
          {"rewrites", alone},
          {"common_rewrites", common}};
}

std::string comparison_title(const Json& comparison) {
  const std::array<std::string, 2> runs = {comparison["runs"][0], comparison["runs"][1]};
  std::array<std::string, 2> models;
  for (const Json& figure : comparison["figures"])
    if (figure["what"] == "input")
      for (const size_t run : {0, 1})
        if (figure["values"][run].is_string())
          models[run] = std::filesystem::path(figure["values"][run].get<std::string>()).filename().string();
  const auto of = [](const std::string& model) { return model.empty() ? "" : " of " + model; };
  if (models[0] == models[1]) return fmt::format("Two runs{}: {} and {}", of(models[0]), runs[0], runs[1]);
  return fmt::format("Two runs: {}{} and {}{}", runs[0], of(models[0]), runs[1], of(models[1]));
}

std::string comparison_html(const Json& comparison) {
  return page_html({comparison_title(comparison),
                    {},
                    {kComparisonCss},
                    kComparisonHtml,
                    text_of(comparison),
                    {kComparisonJs}});
}

}  // namespace isomer::report
