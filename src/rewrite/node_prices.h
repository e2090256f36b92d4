// What a cost model is asked about e-nodes. Of an operand an e-node knows a class, not the node that will be
// picked: a stage or a broadcast that some node of the class has counts for the class.
#pragma once

#include <functional>
#include <vector>

#include "cost/cost_model.h"
#include "rewrite/tensor_egraph.h"

namespace isomer::rewrite {

class NodePrices {
 public:
  /// Looks at the e-graph as it is now; it must outlive this and stay unchanged.
  explicit NodePrices(const TensorEGraph& program) : NodePrices(program.graph(), program.context()) {}
  /// Of an e-graph by itself, over the context of its program.
  NodePrices(const EGraph& graph, ir::Context& ctx);

  /// Calls `ask` with the question about a node.
  void with_query(egraph::NodeId n, const std::function<void(const cost::NodeCostQuery&)>& ask) const;

 private:
  const EGraph& graph_;
  ir::Context& ctx_;
  void find_sums();

  std::vector<cost::OperandFacts> facts_;  ///< by canonical class
};

}  // namespace isomer::rewrite
