#include "report/html.h"

#include <map>
#include <nlohmann/json.hpp>
#include <string_view>
#include <type_traits>

#include "report/chain_text.h"
#include "report/drawing_json.h"
#include "report/json_value.h"
#include "report/machine.h"
#include "report/page_template.h"

namespace isomer::report {

extern const std::string_view kPageHtml, kPageJs, kGraphJs, kGrowthJs;

namespace {

Json options_json(const OptimizeOptions& o) {
  Json j = Json::array();
  const OptimizeOptions plain;
  const auto add = [&](const char* flag, const auto& value, const auto& fallback, const char* help) {
    Json shown, usual;
    if constexpr (std::is_floating_point_v<std::decay_t<decltype(value)>>) {
      shown = number(value);
      usual = number(fallback);
    } else {
      shown = value;
      usual = fallback;
    }
    j.push_back({{"flag", flag}, {"value", shown}, {"set", shown != usual}, {"help", help}});
  };
#define ISOMER_OPTION(type, field, fallback, flag, help) add(flag, o.field, plain.field, help);
#include "isomer/optimize_options.inc"
#undef ISOMER_OPTION
  return j;
}

Json graphs_json(const PageInput& in) {
  Json j = Json::object();
  if (in.before == nullptr) return j;
  const Drawing before = draw(*in.before, in.before_costs);
  if (before.nodes.size() > in.most_drawn) return {{"omitted", before.nodes.size()}};
  if (in.after == nullptr) {
    j["before"] = json_of(before);
    return j;
  }
  const Drawing after = draw(*in.after, in.after_costs);
  if (after.nodes.size() > in.most_drawn) return {{"omitted", after.nodes.size()}};
  const Correspondence c = correspond(*in.before, *in.after);
  j["before"] = json_of(before, after, c.of_a, c.a);
  j["after"] = json_of(after, before, c.of_b, c.b);
  return j;
}

Json chain_json(const std::vector<RewriteEntry>& chain) {
  Json groups = Json::array();
  for (const ChainGroup& g : group(chain)) {
    const RewriteEntry& e = chain[g.steps.front()];
    Json costs = Json::array();
    for (size_t step : g.steps) costs.push_back(number(chain[step].cost));
    groups.push_back({{"rule", e.rule},
                      {"backward", e.backward},
                      {"steps", g.steps},
                      {"places", g.places},
                      {"before", e.before},
                      {"after", e.after},
                      {"variables", e.variables},
                      {"aim", e.aim},
                      {"costs", costs}});
  }
  return groups;
}

}  // namespace

std::string page_json(const PageInput& in) {
  Json j = json_of(in.result, in.record);
  j.erase("chain");
  j["version"] = in.version;
  j["rewrites"] = chain_json(in.record.chain);
  j["graphs"] = graphs_json(in);
  if (in.record.search) j["search"] = json_of(*in.record.search);
  j["options"] = options_json(in.options);
  Json machine = Json::object();
  for (const auto& [what, value] : describe_machine()) machine[what] = value;
  j["machine"] = machine;
  return text_of(j);
}

std::string html(const PageInput& in) {
  const size_t slash = in.result.input.find_last_of('/');
  const std::string title = in.result.input.substr(slash == std::string::npos ? 0 : slash + 1);
  return page_html({title, {}, {}, kPageHtml, page_json(in), {kGraphJs, kGrowthJs, kPageJs}});
}

std::string default_page(const std::string& output) {
  const std::string stem = output.ends_with(".onnx") ? output.substr(0, output.size() - 5) : output;
  return stem + (stem.ends_with(".isomer") ? ".html" : ".isomer.html");
}

}  // namespace isomer::report
