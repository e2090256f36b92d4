// A tensor program as an e-graph, and the way back: operators and payloads are the ids of ir/, roots are the
// outputs.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egraph/egraph.h"
#include "ir/graph.h"
#include "rewrite/tensor_facts.h"

namespace isomer::rewrite {

using EGraph = egraph::EGraph<TensorAnalysis>;

class TensorEGraph {
 public:
  /// All values that an output or an effect needs. `graph` must outlive this. `promise`: what rules that are
  /// applied to it keep to (float_range.h).
  explicit TensorEGraph(const ir::Graph& graph, FloatPromise promise = FloatPromise::kFast);
  /// Grows apart from now on; the analysis is shared, which holds nothing of one e-graph alone.
  TensorEGraph(const TensorEGraph& other);
  TensorEGraph& operator=(const TensorEGraph&) = delete;

  EGraph& graph() { return *graph_; }
  const EGraph& graph() const { return *graph_; }
  ir::Context& context() const { return source_.context(); }
  const ir::Graph& source() const { return source_; }
  TensorLanguage& language() { return language_; }
  const TensorAnalysis& analysis() const { return *analysis_; }

  /// The classes of the outputs, in order; canonical.
  std::vector<egraph::ClassId> roots() const;
  /// Adds what the outputs of another program need, of this context, whose inputs are the source's where they
  /// have the same names and types. Their classes, in order; to be rebuilt.
  std::vector<egraph::ClassId> add(const ir::Graph& graph);
  /// What a value of the source began as; invalid where nothing needs it.
  egraph::ClassId first_class(ir::ValueId v) const { return class_of_[v.index()]; }
  /// Ids below this are of the program itself: rules made the others.
  size_t source_nodes() const { return source_nodes_; }

  /// The program that picks one node of each class. All inputs are kept, in order, and names of inputs,
  /// outputs and values that are in both programs. REQUIREs that the picks are complete and acyclic.
  ir::Graph to_graph(const std::function<egraph::NodeId(egraph::ClassId)>& pick) const;
  /// Nothing, and why, where a class that is needed has no pick of its own, or picks need themselves.
  std::optional<ir::Graph> try_graph(const std::function<egraph::NodeId(egraph::ClassId)>& pick,
                                     std::string& why) const;

 private:
  egraph::ClassId add_value(const ir::Graph& graph, ir::ValueId v, std::span<const egraph::ClassId> class_of);
  ir::AttrId promised_range(ir::ValueId v) const;

  const ir::Graph& source_;
  std::shared_ptr<TensorAnalysis> analysis_;
  TensorLanguage language_;
  std::unique_ptr<EGraph> graph_;
  std::vector<egraph::ClassId> class_of_;  ///< by source value; invalid where nothing needs it
  size_t source_nodes_ = 0;
};

/// What TENSAT would count: live e-nodes, and the distinct attribute literals and names that they reference
/// (there, attributes are e-nodes of their own). Only for programs in TENSAT's language; other operators
/// count as one each.
size_t tensat_count(const TensorEGraph& program);

}  // namespace isomer::rewrite
