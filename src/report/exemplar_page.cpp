#include "report/exemplar_page.h"

#include <nlohmann/json.hpp>
#include <string_view>

#include "report/json_value.h"
#include "report/page_template.h"

namespace isomer::report {

extern const std::string_view kExemplarsHtml, kExemplarsCss, kExemplarsJs, kGraphJs;

namespace {

/// As graph.js draws it.
Json graph_json(const ExemplarGraph& graph) {
  Json nodes = Json::array(), outputs = Json::array();
  for (const ExemplarGraph::Node& n : graph.nodes) {
    Json node{{"op", n.op}, {"name", n.name}, {"type", n.type}, {"in", n.operands}};
    if (!n.attributes.empty()) node["attributes"] = n.attributes;
    if (!n.constants.empty()) node["constants"] = n.constants;
    node["state"] = n.shared ? "kept" : "alone";
    nodes.push_back(std::move(node));
  }
  for (const size_t output : graph.outputs)
    outputs.push_back({{"name", graph.nodes[output].name}, {"node", output}});
  return {{"nodes", std::move(nodes)}, {"outputs", std::move(outputs)}};
}

Json result_json(const ExemplarResult& r) {
  return {{"cost", number(r.cost)},
          {"instructions", r.instructions},
          {"graph", graph_json(r.graph)},
          {"steps", r.steps}};
}

Json exemplar_json(const Exemplar& e) {
  Json differences = Json::array();
  for (const Exemplar::Difference& d : e.differences)
    differences.push_back({{"rule", d.rule}, {"ordinary", d.ordinary}, {"found", d.found}});
  return {{"name", e.name},
          {"start_cost", number(e.start_cost)},
          {"ordinary", result_json(e.ordinary)},
          {"found", result_json(e.found)},
          {"differences", std::move(differences)}};
}

}  // namespace

std::string exemplars_html(const ExemplarPage& page) {
  Json data{{"note", page.note}, {"exemplars", Json::array()}};
  for (const Exemplar& e : page.exemplars) data["exemplars"].push_back(exemplar_json(e));
  return page_html(
      {page.title, {}, {kExemplarsCss}, kExemplarsHtml, text_of(data), {kGraphJs, kExemplarsJs}});
}

}  // namespace isomer::report
