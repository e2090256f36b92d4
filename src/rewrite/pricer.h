// What an e-node costs. Extraction, the rewards of searches that grow e-graphs or rewrite terms, and those
// who measure operators ask here, so that a search is after what the extraction charges. What a cost model is
// told of an operand stands in the facts of its class (tensor_facts.h): an e-node knows a class, not the node
// that will be picked, so a stage or a broadcast that some node of the class has counts for the class. Sums
// alone depend on who else takes them, and are looked for in the e-graph as it is (OpenSums).
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "rewrite/tensor_egraph.h"
#include "support/sequences.h"

namespace isomer::rewrite {

struct PriceOptions {
  /// What is known at compile time costs nothing, since it is folded when the result is written. Such a class
  /// then holds compile-time nodes only.
  bool weights_free = true;
  /// A whisper of a price on computed weights, so that of equally fast programs the one is picked whose
  /// folded constants are smaller: milliseconds a byte. A broadcast is not charged, since writers absorb it.
  double weight_byte_cost = 1e-13;
};

/// Nodes whose first operand is a sum that a runtime may compute together with them (cost::takes_sum): an
/// addition of two computed values that no other addition takes further. (A residual connection that goes on
/// has two users, and no runtime fuses it away.)
class OpenSums {
 public:
  struct Taker {
    egraph::NodeId node;
    bool of_sum;
  };
  explicit OpenSums(const ir::OpTable& ops);
  /// The takers of an e-graph as it is now, by number, dead ones left out; most e-graphs have none. Good
  /// until the next call.
  std::span<const Taker> find(const EGraph& graph);
  /// Of any node of that e-graph.
  bool feeds(egraph::NodeId n) const;

 private:
  const ir::OpTable& ops_;
  std::vector<bool> takes_, adds_;  ///< by operator
  std::vector<bool> sum_, goes_on_;
  std::vector<Taker> takers_;
};

class Pricer {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Pricer(ir::Context& ctx, cost::CostModel& model, PriceOptions options)
      : ctx_(ctx), model_(model), options_(options) {}

  /// kNever for what must not be picked. Asked of the model once for nodes that are alike.
  double price(const EGraph& g, egraph::NodeId n, bool of_sum) { return at(number(g, n, of_sum)); }
  /// Equal for nodes that are alike.
  uint32_t number(const EGraph& g, egraph::NodeId n, bool of_sum);
  double at(uint32_t number) const { return prices_[number]; }
  /// The same without an e-graph.
  double price(uint32_t op, uint32_t payload, const TensorFacts& own, std::span<const TensorFacts> operands,
               bool of_sum) {
    return at(number(op, payload, own, operands, of_sum));
  }

  /// Calls `ask` with the question about a node.
  static void with_query(const EGraph& g, ir::Context& ctx, egraph::NodeId n, bool of_sum,
                         const std::function<void(const cost::NodeCostQuery&)>& ask);

 private:
  uint32_t number(uint32_t op, uint32_t payload, const TensorFacts& own,
                  std::span<const TensorFacts> operands, bool of_sum);
  double ask(uint32_t op, uint32_t payload, const TensorFacts& own, std::span<const TensorFacts> operands,
             bool of_sum);

  ir::Context& ctx_;
  cost::CostModel& model_;
  PriceOptions options_;
  Sequences questions_;  ///< operator, payload, and what matters of the facts
  std::vector<double> prices_;
  std::vector<uint32_t> words_;
  std::vector<TensorFacts> operands_;
};

}  // namespace isomer::rewrite
