#include "report/egraph_page.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/json_value.h"
#include "report/page_template.h"

namespace isomer::report {

extern const std::string_view kEGraphHtml, kEGraphCss, kEGraphJs;

namespace {

Json classes_json(const extract::SerializedEGraph& e) {
  Json out = Json::array();
  const auto roots = e.problem.roots();
  for (uint32_t c = 0; c < e.problem.classes(); ++c)
    out.push_back({{"name", e.class_names[c]},
                   {"type", c < e.types.size() ? e.types[c] : ""},
                   {"root", std::ranges::find(roots, extract::ClassId(c)) != roots.end()}});
  return out;
}

Json nodes_json(const EGraphPage& page) {
  const extract::SerializedEGraph& e = page.egraph;
  Json out = Json::array();
  for (uint32_t i = 0; i < e.problem.nodes(); ++i) {
    const extract::NodeId n(i);
    const extract::ClassId home = e.problem.class_of(n);
    Json in = Json::array();
    for (extract::ClassId c : e.problem.children(n)) in.push_back(c.v);
    const bool has_text = i < e.operators.size() && !e.operators[i].empty();
    Json node{{"op", e.ops[i]},
              {"text", has_text ? e.operators[i] : e.ops[i]},
              {"rule", i < page.rules.size() ? page.rules[i] : ""},
              {"of", home.v},
              {"cost", number(e.problem.cost(n))},
              {"in", std::move(in)}};
    if (page.chosen[home] == n) node["picked"] = 1;
    out.push_back(std::move(node));
  }
  return out;
}

}  // namespace

std::string egraph_html(const EGraphPage& page) {
  const Json data{{"classes", classes_json(page.egraph)}, {"nodes", nodes_json(page)}};
  return page_html({page.title, "e-graph", {kEGraphCss}, kEGraphHtml, text_of(data), {kEGraphJs}});
}

}  // namespace isomer::report
