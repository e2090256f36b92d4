// The interpreter: whole tensors, node by node, over any value domain. Composites are written out first.
//
// A domain is a class with a type Number and the operations of float_domain.h: Float64 and PrimeField, for
// which all functions here are instantiated, and Float32 and the small fields, for which `evaluate` is.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "eval/evaluation_cut.h"
#include "eval/tensor.h"
#include "ir/graph.h"
#include "meaning/known_nests.h"
#include "support/deadline.h"

namespace isomer::eval {

/// What a node "constant" holds.
ir::ConstantId constant_id(const ir::Graph& graph, ir::ValueId v);
const ir::Constant& constant_of(const ir::Graph& graph, ir::ValueId v);

template <class D>
struct EvalOptions {
  using Values = Value<typename D::Number>;
  /// The value of a node that has no meaning here (weights, opaque and procedural operators, what has
  /// symbolic shapes), given its operands; without it such a node is an error.
  std::function<Values(const ir::Graph&, ir::ValueId, std::span<const Values>)> unknown;
  /// Float64: round every result to the element type that the operator yields.
  bool round_results = false;
  /// Float64: elements of each product of a library that are held to the reference. VerificationError where
  /// they differ.
  int checked_samples = 0;
  /// Run what has a schedule by it, block after block, instead of by its definition: the slow reference
  /// (scheduled_run.h).
  bool by_schedule = false;
  /// What was compiled in earlier evaluations, and is kept for later ones; null: each operator is compiled
  /// where it is met, but those of regions and tiles once.
  meaning::KnownNests* nests = nullptr;
  /// EvaluationCut once it has passed, within an operator too.
  Deadline until = {};
};

/// Values of the graph's outputs. `inputs` in the order of graph.inputs(); their shapes must be the types'.
/// Throws InputError, naming the node, for what cannot be evaluated and for reads out of bounds.
template <class D>
std::vector<Value<typename D::Number>> evaluate(D& domain, const ir::Graph& graph,
                                                std::span<const Value<typename D::Number>> inputs,
                                                const EvalOptions<D>& options = {});

/// One operator (composite or not) on given operands.
template <class D>
Value<typename D::Number> apply(D& domain, const ir::Graph& graph, ir::ValueId v,
                                std::span<const Value<typename D::Number>> operands,
                                const EvalOptions<D>& options = {});

/// The elements of a numeric constant.
template <class D>
Value<typename D::Number> constant_value(D& domain, const ir::Context& ctx, const ir::Constant& constant);

/// Whether `apply` needs no EvalOptions::unknown for this node: static shapes, numeric elements, a meaning
/// that is written down. Composites count as evaluable when their type is.
bool can_evaluate(const ir::Graph& graph, ir::ValueId v);

}  // namespace isomer::eval
