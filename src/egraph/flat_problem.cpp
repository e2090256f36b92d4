#include "egraph/flat_problem.h"

#include <cmath>

#include "support/errors.h"

namespace isomer::egraph {

std::vector<NodeId> FlatProblem::picked(const extract::Selection& selection) const {
  std::vector<NodeId> picked(selection.classes());
  for (uint32_t c = 0; c < selection.classes(); ++c) {
    const extract::NodeId n = selection[extract::ClassId(c)];
    if (n.valid()) picked[c] = node_of[n.index()];
  }
  return picked;
}

FlatProblem flat_problem(const Store& store, std::span<const ClassId> roots,
                         const std::function<double(NodeId)>& cost) {
  REQUIRE(store.clean(), "rebuild before flattening");
  FlatProblem flat;
  extract::ProblemBuilder builder;
  std::vector<extract::ClassId> number(store.slots());
  const auto number_of = [&](ClassId c) {
    c = store.find(c);
    extract::ClassId& known = number[c.index()];
    if (!known.valid()) {
      known = builder.add_class();
      flat.class_of.push_back(c);
    }
    return known;
  };
  for (ClassId root : roots) builder.add_root(number_of(root));
  std::vector<extract::ClassId> children;
  for (size_t i = 0; i < flat.class_of.size(); ++i) {  // grows while it is walked
    for (NodeId n : store.nodes_in(flat.class_of[i])) {
      if (!store.usable(n)) continue;
      const double price = cost(n);
      if (std::isinf(price) && price > 0) continue;
      children.clear();
      for (ClassId c : store.children(n)) children.push_back(number_of(c));
      builder.add_node(extract::ClassId(i), price, children);
      flat.node_of.push_back(n);
    }
  }
  flat.problem = builder.build();
  return flat;
}

}  // namespace isomer::egraph
