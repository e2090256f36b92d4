// What a node costs, in milliseconds unless a model says otherwise. Searches and extractors know only this
// interface; a program's cost is the sum over its distinct nodes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.h"

namespace isomer::cost {

/// What made a value, as far as runtimes care that compute some operators within the one before; of several
/// the last counts.
enum class Stage : uint8_t {
  kOther,
  kSum,          ///< an addition of two computed values, which no other addition takes further
  kProduct,      ///< a matrix product
  kConvolution,  ///< a convolution, or one with normalisation, scale, bias or sum, before any activation
};

/// What is known of an operand beside its type.
struct OperandFacts {
  bool weight = false;  ///< known at compile time
  Stage stage = Stage::kOther;
  /// What comes from a convolution or pool by way of operators that take any layout: a runtime with a layout
  /// of its own for convolutions has it in that.
  bool blocked = false;
  ir::TypeId narrow;  ///< the type before a broadcast; invalid where there is none
  bool operator==(const OperandFacts&) const = default;
};

/// A node: operator, attributes, operand types and its result type (`op.output` must be set).
struct NodeCostQuery {
  const ir::OpInstance& op;
  /// Every operand is known at compile time (and there is one): the node can be folded away.
  bool operands_are_weights = false;
  /// One for each operand, or none.
  std::span<const OperandFacts> operands = {};
};

class CostModel {
 public:
  virtual ~CostModel() = default;
  /// As the user writes it: "roofline:a100", "anchor", ...
  virtual std::string name() const = 0;
  /// At least 0. May remember what it computed; not thread-safe.
  virtual double cost(const NodeCostQuery& query) = 0;
  /// Whether it looks at more of operands than their types and whether they are weights.
  virtual bool asks_operands() const { return true; }
  /// One that says the same, for another thread and for operators of another context; null where there is
  /// none, because what it says depends on when it is asked.
  virtual std::unique_ptr<CostModel> fork() const { return nullptr; }
};

/// A model by its name: "ast-size", "anchor", "roofline:a100", "roofline:t4", "table:FILE" (table.h),
/// "roofline:a100+nhwc" (layout_cost.h). Throws UsageError that lists the names. "roofline:local" needs a
/// runtime: runtime/calibrate.h.
std::unique_ptr<CostModel> make_cost_model(std::string_view name);

/// For each value: is it known at compile time? Constants and weights, and what is computed from them alone
/// by operators that can be folded (not opaque).
std::vector<bool> known_at_compile_time(const ir::Graph& graph);

/// The stage of a node's result, and whether it is blocked. Who else takes a sum is not seen here: a caller
/// that finds a further addition calls it kOther.
Stage stage_of(const ir::OpDef& op, std::span<const OperandFacts> operands);
bool is_blocked(const ir::OpDef& op, std::span<const OperandFacts> operands);
/// All that a node says of its result; `first`: the type of its first operand, if it has any.
OperandFacts facts_of(const ir::OpDef& op, bool weight, ir::TypeId first,
                      std::span<const OperandFacts> operands);
/// For each value, what it is as an operand.
std::vector<OperandFacts> operand_facts(const ir::Graph& graph);

/// The question about each node that an output needs, the last node first.
void for_each_query(const ir::Graph& graph,
                    const std::function<void(ir::ValueId, const NodeCostQuery&)>& ask);
/// Cost of each node; 0 for those that no output needs.
std::vector<double> node_costs(CostModel& model, const ir::Graph& graph);
double graph_cost(CostModel& model, const ir::Graph& graph);

}  // namespace isomer::cost
