#include "report/drawing_json.h"

#include <nlohmann/json.hpp>

namespace isomer::report {
namespace {

const char* state_name(Correspondence::State s) {
  switch (s) {
    case Correspondence::State::kKept: return "kept";
    case Correspondence::State::kChanged: return "changed";
    case Correspondence::State::kAlone: return "alone";
  }
  return "kept";
}

}  // namespace

Json json_of(const Drawing& drawing) {
  Json nodes = Json::array(), outputs = Json::array();
  for (const DrawnNode& n : drawing.nodes) {
    Json j{{"op", n.op}, {"name", n.name}, {"type", n.type}};
    if (!n.attributes.empty()) j["attributes"] = n.attributes;
    j["cost"] = number(n.cost);
    j["in"] = n.operands;
    if (!n.constants.empty()) j["constants"] = n.constants;
    j["state"] = state_name(n.state);
    nodes.push_back(std::move(j));
  }
  for (const Drawing::Output& o : drawing.outputs) outputs.push_back({{"name", o.name}, {"node", o.node}});
  return {{"nodes", std::move(nodes)}, {"outputs", std::move(outputs)}};
}

Json json_of(const Drawing& own, const Drawing& other, const std::vector<ir::ValueId>& twins,
             const std::vector<Correspondence::State>& states) {
  Json out = json_of(own);
  for (size_t i = 0; i < own.nodes.size(); ++i) {
    const size_t value = own.nodes[i].value.index();
    out["nodes"][i]["state"] = state_name(states[value]);
    const ir::ValueId twin = twins[value];
    if (twin.valid() && other.shown_as[twin.index()] != Drawing::kHidden)
      out["nodes"][i]["twin"] = other.shown_as[twin.index()];
  }
  return out;
}

}  // namespace isomer::report
