// What cost models are told of the classes of an e-graph as operands: what made them, whether they are in a
// runtime's own layout, their type before a broadcast. An e-node knows a class, not the node that will be
// picked, so what some usable node of the class says counts for the class. That is no fact of equal terms, so
// it is not part of the e-graph's analysis (tensor_facts.h): there, each union of terms that were made in
// different ways had all users analysed and matched again, which made searches take 2.4 times as long.
#pragma once

#include <span>
#include <vector>

#include "cost/cost_model.h"
#include "rewrite/tensor_egraph.h"

namespace isomer::rewrite {

/// By class; ids that were merged have their class's.
using ClassFacts = std::vector<cost::OperandFacts>;

/// Additions that a runtime may compute together with a node that takes them first (cost::takes_sum): of two
/// computed values, and taken by no other addition. (A residual connection that goes on has two users, and no
/// runtime fuses it away.)
struct SumTaker {
  egraph::NodeId node;
  bool of_sum;
};

/// What the node's operands are, into a list. `facts`: empty where only weights matter.
void operand_facts(const EGraph& g, egraph::NodeId n, std::span<const cost::OperandFacts> facts,
                   std::vector<cost::OperandFacts>& out);

class OperandAnalysis {
 public:
  explicit OperandAnalysis(ir::Context& ctx);

  /// Of an e-graph as it is now.
  ClassFacts all(const EGraph& g);
  /// The same, from those of the e-graph before it grew: nodes from `from` on are new; of the others, types,
  /// weights and filters are as they were. `merged`: classes that were there before may be one now. True if
  /// facts changed of classes that were there before.
  bool extend(const EGraph& g, size_t from, bool merged, ClassFacts& facts);
  /// Nodes that may take a sum, by number, dead ones left out; most e-graphs have none. Good until the next
  /// call.
  std::span<const SumTaker> sum_takers(const EGraph& g, std::span<const cost::OperandFacts> facts);

 private:
  bool visit(const EGraph& g, egraph::NodeId n, ClassFacts& facts);

  ir::Context& ctx_;
  std::vector<cost::OperandFacts> alone_;  ///< by operator: what it is whatever its operands are
  std::vector<bool> takes_, adds_;         ///< by operator
  std::vector<cost::OperandFacts> operands_;
  std::vector<uint32_t> first_;  ///< by canonical class: its first member
  std::vector<bool> sum_, goes_on_;
  std::vector<SumTaker> takers_;
};

}  // namespace isomer::rewrite
