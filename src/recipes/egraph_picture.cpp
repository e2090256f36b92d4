#include "recipes/egraph_picture.h"

#include <algorithm>
#include <unordered_set>

#include "egraph/flat_problem.h"
#include "ir/context.h"

namespace isomer::recipes {

EGraphPicture picture(const rewrite::TensorEGraph& program, std::span<const egraph::NodeId> picked,
                      size_t most) {
  const rewrite::EGraph& g = program.graph();
  const std::vector<egraph::ClassId> roots = program.roots();
  const egraph::FlatProblem flat = egraph::flat_problem(g, roots, [](egraph::NodeId) { return 0.0; });
  std::unordered_set<uint32_t> taken;
  for (const egraph::NodeId n : picked) taken.insert(n.v);

  EGraphPicture out;
  // Classes, and so nodes, come breadth first from the roots.
  size_t others = most - std::min(most, taken.size());
  std::vector<bool> shown(flat.problem.classes());
  for (size_t i = 0; i < flat.node_of.size(); ++i) {
    const bool stands_out = taken.contains(flat.node_of[i].v);
    if (!stands_out && others == 0) {
      ++out.left_out;
      continue;
    }
    others -= !stands_out;
    const extract::NodeId n(static_cast<uint32_t>(i));
    EGraphPicture::Node node;
    node.of_class = flat.problem.class_of(n).v;
    node.op = program.context().ops().get(ir::OpId(g.op(flat.node_of[i]))).name;
    node.picked = stands_out;
    for (const extract::ClassId c : flat.problem.children(n)) node.children.push_back(c.v);
    std::ranges::sort(node.children);
    node.children.erase(std::unique(node.children.begin(), node.children.end()), node.children.end());
    shown[node.of_class] = true;
    out.nodes.push_back(std::move(node));
  }
  // Classes that have lost all their nodes are gone too.
  std::vector<uint32_t> number(shown.size());
  for (size_t c = 0; c < shown.size(); ++c)
    if (shown[c]) number[c] = out.classes++;
  for (EGraphPicture::Node& node : out.nodes) {
    node.of_class = number[node.of_class];
    std::erase_if(node.children, [&](uint32_t c) { return !shown[c]; });
    for (uint32_t& c : node.children) c = number[c];
  }
  return out;
}

}  // namespace isomer::recipes
