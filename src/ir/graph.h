// The one graph: values in topological order, immutable once built. A node has one result; several outputs
// are a tuple and `get`. Names belong to values and survive for the user's sake only: they are no part of the
// structure (dag_hash.h).
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "ir/op.h"

namespace isomer::ir {

class Graph {
 public:
  Context& context() const { return *ctx_; }
  size_t size() const { return op_.size(); }

  OpId op(ValueId v) const { return op_[v.index()]; }
  const OpDef& def(ValueId v) const;
  PayloadId payload(ValueId v) const { return payload_[v.index()]; }
  std::span<const AttrId> attrs(ValueId v) const { return ctx_->get(payload_[v.index()]); }
  TypeId type_id(ValueId v) const { return type_[v.index()]; }
  const Type& type(ValueId v) const { return ctx_->get(type_[v.index()]); }
  std::span<const ValueId> operands(ValueId v) const {
    return {operand_.data() + first_operand_[v.index()], operand_.data() + first_operand_[v.index() + 1]};
  }
  /// Empty when the value has no name.
  const std::string& name(ValueId v) const { return name_[v.index()]; }

  /// Input leaves in declaration order (also those that nothing uses), and the results.
  const std::vector<ValueId>& inputs() const { return inputs_; }
  const std::vector<ValueId>& outputs() const { return outputs_; }
  const std::string& title() const { return title_; }

  /// Outputs that may be written over an input that nobody reads any more (buffer donation: a cache that is
  /// updated in place). A permission, no duty: what ignores it is right.
  struct Donation {
    uint32_t output = 0, input = 0;
    bool operator==(const Donation&) const = default;
  };
  const std::vector<Donation>& donations() const { return donations_; }

  /// The same graph over a branch of its context (Context::branch), made when the graph was there already.
  Graph over(Context& branch) const;

  /// Number of uses of each value by nodes and outputs.
  std::vector<uint32_t> use_counts() const;

 private:
  friend class Builder;
  Graph() = default;

  Context* ctx_ = nullptr;
  std::string title_;
  std::vector<OpId> op_;
  std::vector<PayloadId> payload_;
  std::vector<TypeId> type_;
  std::vector<uint32_t> first_operand_{0};
  std::vector<ValueId> operand_;
  std::vector<std::string> name_;
  std::vector<ValueId> inputs_;
  std::vector<ValueId> outputs_;
  std::vector<Donation> donations_;
};

/// An attribute by name, as callers write it.
struct NamedAttr {
  std::string_view name;
  AttrValue value;
};

/// Append-only construction of a Graph. `add` infers the type and throws MisuseError when there is none;
/// `try_add` reports it instead.
class Builder {
 public:
  explicit Builder(Context& ctx, std::string title = {});

  ValueId add(OpId op, PayloadId payload, std::span<const ValueId> operands);
  ValueId add(std::string_view op, std::vector<ValueId> operands, std::vector<NamedAttr> attrs = {});
  /// The type must be what `infer` gave, or, for opaque operators, what the format says.
  ValueId add_typed(OpId op, PayloadId payload, std::span<const ValueId> operands, TypeId type);
  Inferred try_add(OpId op, PayloadId payload, std::span<const ValueId> operands, ValueId& out);

  /// A program input; inputs keep the order of these calls.
  ValueId input(std::string name, TypeId type);
  ValueId constant(ConstantId id);
  /// Scalar or tensor constants of our own, given as doubles or integers, converted to `dtype`.
  ValueId constant(DType dtype, const std::vector<int64_t>& shape, const std::vector<double>& values);
  ValueId get(ValueId tuple, int64_t index);

  PayloadId make_payload(OpId op, const std::vector<NamedAttr>& attrs);
  void set_name(ValueId v, std::string name) { graph_.name_[v.index()] = std::move(name); }
  const Type& type(ValueId v) const { return graph_.type(v); }
  TypeId type_id(ValueId v) const { return graph_.type_id(v); }
  Context& context() const { return *graph_.ctx_; }
  const Graph& so_far() const { return graph_; }

  /// That an output may take an input's place. By output, each once; `finish` leaves out those of two types.
  void donate(Graph::Donation donation) { graph_.donations_.push_back(donation); }
  /// Those of a graph with the same inputs and outputs.
  void donate_as(const Graph& graph) { graph_.donations_ = graph.donations_; }

  Graph finish(std::vector<ValueId> outputs);

 private:
  Graph graph_;
};

/// The same graph without what no output needs; inputs stay.
Graph prune(const Graph& graph);

/// Names that dimensions of the inputs have, each once: sizes that whoever has the inputs can ask for.
std::vector<SymbolId> names_of_inputs(const Graph& graph);

}  // namespace isomer::ir
