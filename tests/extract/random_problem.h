// Random extraction problems small enough to enumerate, and their optimum by brute force.
#pragma once

#include <limits>
#include <vector>

#include "extract/check.h"
#include "extract/problem.h"
#include "support/rng.h"

namespace isomer::extract {

struct RandomShape {
  uint32_t classes = 6;
  uint32_t max_nodes = 3;     ///< a class
  uint32_t max_children = 3;  ///< a node
  bool cyclic = true;         ///< children may be any class, not only later ones
  bool negative = false;
  bool zeros = true;
};

inline Problem random_problem(Rng& rng, const RandomShape& shape) {
  ProblemBuilder builder;
  for (uint32_t c = 0; c < shape.classes; ++c) builder.add_class();
  for (uint32_t c = 0; c < shape.classes; ++c) {
    const uint64_t nodes = 1 + rng.below(shape.max_nodes);
    for (uint64_t i = 0; i < nodes; ++i) {
      std::vector<ClassId> children;
      const uint64_t wanted = rng.below(shape.max_children + 1);
      for (uint64_t k = 0; k < wanted; ++k) {
        const uint64_t lowest = shape.cyclic ? 0 : c + 1;
        if (lowest < shape.classes) children.push_back(ClassId(lowest + rng.below(shape.classes - lowest)));
      }
      double cost = static_cast<double>(rng.below(10));
      if (!shape.zeros) cost += 1;
      if (shape.negative) cost -= 4;
      builder.add_node(ClassId(c), cost, children);
    }
  }
  builder.add_root(ClassId(0));
  if (rng.chance(0.3)) builder.add_root(ClassId(rng.below(shape.classes)));
  return builder.build();
}

/// Layers of three classes; nodes need one or two of the next layer, or, if cyclic, sometimes of the one
/// above. Two ways down soon meet again, so that relaxations are fractional; tree decompositions are narrow.
inline Problem layered_problem(Rng& rng, uint32_t layers, bool cyclic) {
  constexpr uint32_t kWide = 3;
  ProblemBuilder builder;
  for (uint32_t c = 0; c < layers * kWide; ++c) builder.add_class();
  for (uint32_t c = 0; c < layers * kWide; ++c) {
    const uint32_t layer = c / kWide;
    for (int i = 0; i < 3; ++i) {
      std::vector<ClassId> children;
      const uint64_t wanted = layer + 1 == layers ? 0 : 1 + rng.below(2);
      for (uint64_t k = 0; k < wanted; ++k) {
        const bool back = cyclic && layer > 0 && rng.chance(0.15);
        children.push_back(ClassId((back ? layer - 1 : layer + 1) * kWide + rng.below(kWide)));
      }
      builder.add_node(ClassId(c), static_cast<double>(1 + rng.below(9)), children);
    }
  }
  builder.add_root(ClassId(0));
  return builder.build();
}

struct Optimum {
  double dag_cost = std::numeric_limits<double>::infinity();
  double tree_cost = std::numeric_limits<double>::infinity();
  bool feasible = false;
};

/// Tries every combination of nodes.
inline Optimum brute_force(const Problem& problem) {
  Optimum best;
  Selection selection(problem.classes());
  const auto choose = [&](auto&& self, uint32_t c) -> void {
    if (c == problem.classes()) {
      const Verdict verdict = check(problem, selection);
      if (!verdict.valid) return;
      best.feasible = true;
      best.dag_cost = std::min(best.dag_cost, verdict.dag_cost);
      best.tree_cost = std::min(best.tree_cost, verdict.tree_cost);
      return;
    }
    for (NodeId n : problem.nodes_of(ClassId(c))) {
      selection.pick(ClassId(c), n);
      self(self, c + 1);
    }
  };
  choose(choose, 0);
  return best;
}

}  // namespace isomer::extract
