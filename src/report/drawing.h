// A program as the page draws it: operators and the inputs that are used. Constants, what is computed from
// constants alone, and values that only pass on others (an output of several, a broadcast whose price is
// nothing) are told at their users and have no box of their own, unless they are outputs of the program.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "report/graph_diff.h"

namespace isomer::report {

struct DrawnNode {
  ir::ValueId value;                   ///< invalid where it is drawn of no graph of the IR
  std::string op;                      ///< opaque operators by what their format calls them
  std::string name, type, attributes;  ///< as printed
  double cost = std::numeric_limits<double>::quiet_NaN();  ///< NaN when it was not priced
  std::vector<uint32_t> operands;                          ///< indices of drawn nodes, each once
  std::vector<std::string> constants;  ///< types of operands that are known at compile time
  Correspondence::State state = Correspondence::State::kKept;  ///< beside another drawing
};

struct Drawing {
  std::vector<DrawnNode> nodes;  ///< operands before their users
  struct Output {
    std::string name;
    uint32_t node = 0;
  };
  std::vector<Output> outputs;
  /// By value of the graph: the drawn node that stands for it, or kHidden.
  std::vector<uint32_t> shown_as;
  static constexpr uint32_t kHidden = 0xFFFFFFFFu;
};

/// `costs` by value, or empty: then nothing is priced.
Drawing draw(const ir::Graph& graph, std::span<const double> costs);

}  // namespace isomer::report
