// What a node costs. Extraction, the rewards of searches that grow e-graphs or rewrite terms, and those who
// measure operators ask here, so that a search is after what the extraction charges.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "rewrite/operand_facts.h"
#include "support/sequences.h"

namespace isomer::rewrite {

struct PriceOptions {
  /// What is known at compile time costs nothing, since it is folded when the result is written. Such a class
  /// then holds compile-time nodes only.
  bool weights_free = true;
  /// Of computed weights, in milliseconds a byte. A broadcast is not charged, since writers absorb it.
  double weight_byte_cost = 0;
};
/// A whisper of a price on folded constants, so that of equally fast programs the one is picked whose are
/// smaller: for programs that are written. The papers' evaluations have none.
inline constexpr PriceOptions kSmallConstantsFirst{.weight_byte_cost = 1e-13};

/// A node by what its price depends on.
struct PricedNode {
  uint32_t op = 0, payload = 0;
  ir::TypeId type;
  bool is_weight = false;
  std::span<const ir::TypeId> types;          ///< of its operands
  std::span<const cost::OperandFacts> facts;  ///< of its operands
};

class Pricer {
 public:
  static constexpr double kNever = std::numeric_limits<double>::infinity();

  Pricer(ir::Context& ctx, cost::CostModel& model, PriceOptions options)
      : ctx_(ctx), model_(model), options_(options) {}

  /// kNever for what must not be picked. Asked of the model once for nodes that are alike.
  double price(const PricedNode& n) { return at(number(n)); }
  /// Of an e-node. `facts`: of the classes, empty where the model asks for weights only; `of_sum`: SumTaker.
  double price(const EGraph& g, egraph::NodeId n, std::span<const cost::OperandFacts> facts, bool of_sum) {
    return at(number(g, n, facts, of_sum));
  }
  /// Equal for nodes that are alike.
  uint32_t number(const EGraph& g, egraph::NodeId n, std::span<const cost::OperandFacts> facts, bool of_sum);
  uint32_t number(const PricedNode& n);
  double at(uint32_t number) const { return prices_[number]; }

 private:
  double ask(const PricedNode& n);

  ir::Context& ctx_;
  cost::CostModel& model_;
  PriceOptions options_;
  Sequences questions_;  ///< operator, payload, and what matters of the facts
  std::vector<double> prices_;
  std::vector<uint32_t> words_;
  std::vector<ir::TypeId> types_;
  std::vector<cost::OperandFacts> facts_;
};

/// The prices of all nodes of an e-graph as it is now.
class NodePrices {
 public:
  NodePrices(const EGraph& g, ir::Context& ctx, cost::CostModel& model, PriceOptions options);
  double operator()(egraph::NodeId n);

 private:
  const EGraph& g_;
  Pricer pricer_;
  ClassFacts facts_;
  std::vector<egraph::NodeId> of_sum_;  ///< ascending
};

/// Calls `ask` with the questions about these nodes.
void for_each_query(const EGraph& g, ir::Context& ctx, std::span<const egraph::NodeId> nodes,
                    const std::function<void(const cost::NodeCostQuery&)>& ask);

}  // namespace isomer::rewrite
