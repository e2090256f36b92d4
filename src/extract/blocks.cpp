#include "extract/blocks.h"

#include <algorithm>

#include "extract/components.h"

namespace isomer::extract {

Selection Block::restrict(const Selection& whole) const {
  // Nodes of a block are in the order of the whole within each class.
  Selection part(problem.classes());
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    const ClassId c = problem.class_of(NodeId(n));
    if (whole[class_of[c.index()]] == node_of[n]) part.pick(c, NodeId(n));
  }
  return part;
}

void Block::write_back(const Selection& part, Selection& whole) const {
  for (uint32_t c = 0; c < class_of.size(); ++c) {
    const NodeId n = part[ClassId(c)];
    if (n.valid()) whole.pick(class_of[c], node_of[n.index()]);
  }
}

std::vector<Block> blocks(const Problem& problem) {
  const Components parts = weak_components(choices_of(problem));
  std::vector<ProblemBuilder> builders(parts.size.size());
  std::vector<Block> all(parts.size.size());
  std::vector<ClassId> number(problem.classes());
  for (uint32_t c = 0; c < problem.classes(); ++c) {
    number[c] = builders[parts.of[c]].add_class();
    all[parts.of[c]].class_of.push_back(ClassId(c));
  }
  std::vector<ClassId> children;
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    const ClassId c = problem.class_of(NodeId(n));
    children.clear();
    for (ClassId m : problem.children(NodeId(n))) children.push_back(number[m.index()]);
    builders[parts.of[c.index()]].add_node(number[c.index()], problem.cost(NodeId(n)), children);
    all[parts.of[c.index()]].node_of.push_back(NodeId(n));
  }
  for (ClassId root : problem.roots()) builders[parts.of[root.index()]].add_root(number[root.index()]);
  for (size_t b = 0; b < all.size(); ++b) all[b].problem = builders[b].build();
  std::erase_if(all, [](const Block& b) { return b.problem.roots().empty(); });
  std::ranges::stable_sort(all, {}, [](const Block& b) { return b.problem.nodes(); });
  return all;
}

Block restricted(const Problem& problem, const std::vector<bool>& keep, std::span<const ClassId> roots) {
  Block block;
  ProblemBuilder builder;
  std::vector<ClassId> number(problem.classes());
  const auto number_of = [&](ClassId c) {
    ClassId& known = number[c.index()];
    if (!known.valid()) {
      known = builder.add_class();
      block.class_of.push_back(c);
    }
    return known;
  };
  for (ClassId root : roots) builder.add_root(number_of(root));
  std::vector<ClassId> children;
  for (size_t i = 0; i < block.class_of.size(); ++i) {  // grows while it is walked
    for (NodeId n : problem.nodes_of(block.class_of[i])) {
      if (!keep[n.index()]) continue;
      children.clear();
      for (ClassId m : problem.children(n)) children.push_back(number_of(m));
      builder.add_node(ClassId(i), problem.cost(n), children);
      block.node_of.push_back(n);
    }
  }
  block.problem = builder.build();
  return block;
}

}  // namespace isomer::extract
