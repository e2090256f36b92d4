#include "report/search_json.h"

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "report/egraph_layout.h"

namespace isomer::report {
namespace {

using Json = nlohmann::ordered_json;

Json number(double v) { return std::isfinite(v) ? Json(v) : Json(); }

Json egraph_json(const EGraphPicture& picture) {
  Json operators = Json::array(), boxes = Json::array(), nodes = Json::array();
  std::map<std::string, size_t> numbers;
  for (const ClassBox& b : layout(picture)) boxes.push_back({b.x, b.y, b.columns, b.rows});
  for (const EGraphPicture::Node& node : picture.nodes) {
    const auto [it, fresh] = numbers.try_emplace(node.op, operators.size());
    if (fresh) operators.push_back(node.op);
    Json j = {node.of_class, it->second, node.picked ? 1 : 0};
    for (const uint32_t c : node.children) j.push_back(c);
    nodes.push_back(std::move(j));
  }
  return {{"operators", std::move(operators)},
          {"boxes", std::move(boxes)},
          {"nodes", std::move(nodes)},
          {"left_out", picture.left_out}};
}

}  // namespace

std::string to_json(const SearchRecord& record) {
  Json steps = Json::array(), tree = Json::array();
  for (const SearchRecord::Step& s : record.steps)
    steps.push_back({{"rule", s.rule},
                     {"cost", number(s.cost)},
                     {"e_nodes", s.e_nodes},
                     {"rollouts", s.rollouts},
                     {"cpu_seconds", s.cpu_seconds}});
  for (const SearchRecord::TreeNode& n : record.tree)
    tree.push_back({{"parent", n.parent},
                    {"rule", n.rule},
                    {"visits", n.visits},
                    {"worth", number(n.worth)},
                    {"cost", number(n.cost)},
                    {"saturated", n.saturated}});
  const Json j = {{"start_cost", number(record.start_cost)},
                  {"start_nodes", record.start_nodes},
                  {"steps", std::move(steps)},
                  {"tree", std::move(tree)},
                  {"first", egraph_json(record.first)},
                  {"last", egraph_json(record.last)}};
  return j.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace isomer::report
