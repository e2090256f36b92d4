#include "report/search_json.h"

#include <map>
#include <nlohmann/json.hpp>

#include "report/egraph_layout.h"
#include "report/json_value.h"

namespace isomer::report {
namespace {

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

Json json_of(const SearchRecord& record) {
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
  return {{"start_cost", number(record.start_cost)},
          {"start_nodes", record.start_nodes},
          {"steps", std::move(steps)},
          {"tree", std::move(tree)},
          {"first", egraph_json(record.first)},
          {"last", egraph_json(record.last)}};
}

std::string to_json(const SearchRecord& record) { return text_of(json_of(record)); }

}  // namespace isomer::report
