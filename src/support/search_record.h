// How a search grew an e-graph: what pictures of it are drawn from, by the report and by benches.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isomer {

/// An e-graph as nodes in classes, numbered breadth first from the roots.
struct EGraphPicture {
  struct Node {
    uint32_t of_class = 0;
    std::string op;
    bool picked = false;             ///< in the cheapest program, by the cost that the search went by
    std::vector<uint32_t> children;  ///< classes, each once
  };
  uint32_t classes = 0;
  std::vector<Node> nodes;  ///< by class, ascending
  uint64_t left_out = 0;    ///< nodes beyond the limit of a picture; what is picked is never left out
};

struct SearchRecord {
  struct Step {
    std::string rule;
    double cost = 0;  ///< of the cheapest program after it, by the cost that the search went by
    uint64_t e_nodes = 0, rollouts = 0;
    double cpu_seconds = 0;  ///< since the search began
  };
  struct TreeNode {
    uint32_t parent = 0;  ///< its number; the root is 0, parents come before their children
    std::string rule;     ///< that led to it
    double visits = 0, worth = 0, cost = 0;
    bool saturated = false;  ///< the rule changed nothing
  };
  double start_cost = 0;
  uint64_t start_nodes = 0;
  std::vector<Step> steps;
  std::vector<TreeNode> tree;  ///< of the first step
  EGraphPicture first, last;
};

}  // namespace isomer
