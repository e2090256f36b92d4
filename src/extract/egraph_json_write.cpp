#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "extract/egraph_json.h"
#include "support/errors.h"

namespace isomer::extract {

namespace {

using Json = nlohmann::json;

std::string quoted(const std::string& s) {
  return Json(s).dump(-1, ' ', false, Json::error_handler_t::replace);
}

/// A child is named by the first node of its class.
std::string node_json(const SerializedEGraph& egraph, NodeId n) {
  const Problem& problem = egraph.problem;
  std::string out = fmt::format("    {}: {{\"op\": {}", quoted(egraph.node_names[n.index()]),
                                quoted(egraph.ops[n.index()]));
  if (!egraph.operators.empty() && !egraph.operators[n.index()].empty())
    out += ", \"operator\": " + quoted(egraph.operators[n.index()]);
  if (!egraph.values.empty() && egraph.values[n.index()] >= 0)
    out += fmt::format(", \"value\": {}", egraph.values[n.index()]);
  out += ", \"children\": [";
  const char* separator = "";
  for (ClassId c : problem.children(n)) {
    const auto nodes = problem.nodes_of(c);
    REQUIRE(!nodes.empty(), "a class without nodes cannot be written as a child");
    out += separator + quoted(egraph.node_names[nodes[0].index()]);
    separator = ", ";
  }
  return out + fmt::format("], \"eclass\": {}, \"cost\": {}}}",
                           quoted(egraph.class_names[problem.class_of(n).index()]),
                           Json(problem.cost(n)).dump());
}

std::string class_data_json(const SerializedEGraph& egraph) {
  std::string out = "\n  \"class_data\": {";
  for (size_t c = 0; c < egraph.types.size(); ++c) {
    const bool holds = c < egraph.held.size() && !egraph.held[c].empty();
    out += fmt::format("{}    {}: {{\"type\": {}{}}}", c == 0 ? "\n" : ",\n", quoted(egraph.class_names[c]),
                       quoted(egraph.types[c]),
                       holds ? fmt::format(", \"values\": \"{}\"", fmt::join(egraph.held[c], " ")) : "");
  }
  return out + "\n  },";
}

}  // namespace

std::string write_egraph_json(const SerializedEGraph& egraph) {
  const Problem& problem = egraph.problem;
  std::string out = "{";
  if (!egraph.program.empty())
    out += "\n  \"program\": " + quoted(egraph.program) + "," + class_data_json(egraph);
  out += "\n  \"nodes\": {";
  for (uint32_t n = 0; n < problem.nodes(); ++n)
    out += (n == 0 ? "\n" : ",\n") + node_json(egraph, NodeId(n));
  out += "\n  },\n  \"root_eclasses\": [";
  const char* separator = "";
  for (ClassId root : problem.roots()) {
    out += separator + quoted(egraph.class_names[root.index()]);
    separator = ", ";
  }
  return out + "]\n}\n";
}

Selection parse_selection_json(const SerializedEGraph& egraph, std::string_view text,
                               const std::string& file) {
  const auto fail = [&](const std::string& message) { throw InputError({file, 0, 0}, message); };
  const Json picks = Json::parse(text, nullptr, false);
  if (!picks.is_object()) fail("expected a selection: a JSON object, class id -> e-node id");
  const auto numbers = [](const std::vector<std::string>& names) {
    std::unordered_map<std::string_view, uint32_t> out;
    for (const std::string& name : names) out.emplace(name, static_cast<uint32_t>(out.size()));
    return out;
  };
  const auto classes = numbers(egraph.class_names), nodes = numbers(egraph.node_names);
  Selection out(egraph.problem.classes());
  for (const auto& [c, n] : picks.items()) {
    const auto of = classes.find(c);
    if (of == classes.end()) fail(fmt::format("expected classes of the e-graph, found \"{}\"", c));
    const auto pick = n.is_string() ? nodes.find(n.get_ref<const std::string&>()) : nodes.end();
    if (pick == nodes.end())
      fail(fmt::format("class \"{}\": expected the id of an e-node of the e-graph, found {}", c, n.dump()));
    out.pick(ClassId(of->second), NodeId(pick->second));
  }
  return out;
}

std::string write_selection_json(const SerializedEGraph& egraph, const Selection& selection) {
  Json picks = Json::object();
  for (uint32_t c = 0; c < selection.classes(); ++c) {
    const NodeId n = selection[ClassId(c)];
    if (n.valid()) picks[egraph.class_names[c]] = egraph.node_names[n.index()];
  }
  return picks.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace isomer::extract
