// Types of what opaque nodes yield, so that opacity does not spread. What is said of a result, in the order
// in which it is believed:
//   1. our own rules (onnx_result_types.h), which hold in every run in which the node comes to its end;
//   2. the file's value_info;
//   3. what another program infers (InferTypes, onnx.h), asked only where the first two leave something open.
// Each fills in what those before it leave open, dimension by dimension, and a number of ours stands against
// any other; a name in the file stands against a name of ours, since files name sizes alike that we have
// different formulas for. 3 cannot contradict, as it is only asked for the rest. A dimension of which nobody
// says anything gets a name of its own: in a run a value has one size, and the name stands for it.
//
// What if 3 is wrong? A type is used to translate the nodes that follow (the -1 of a Reshape becomes a
// number) and as a side condition of rewrites. Where it makes the rest of the model impossible, the model is
// read again without (onnx_read.cpp). Where it does not, what is written may compute something else, or
// nothing: so the main job compares it with the original file in the runtime before it is published, and
// refuses what differs; where nothing could run it, it writes the model as it is read without 3
// (recipes/optimize.cpp).
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "eval/size_values.h"
#include "formats/onnx.h"
#include "ir/graph.h"

namespace onnx {
class ModelProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

/// What our rule and the file say of one result, together; either may be invalid (nothing is said).
ir::TypeId agreed_type(ir::Context& ctx, ir::TypeId ours, ir::TypeId declared);
/// `known` with what it leaves open filled in from `claim`.
ir::TypeId filled_type(ir::Context& ctx, ir::TypeId known, ir::TypeId claim);
/// Whether rank and all dimensions are numbers or names.
bool is_settled(const ir::Context& ctx, ir::TypeId type);
/// Whether of one of the values, an input aside, another node leaves something open: its type, its rank, or a
/// size that is not made of the `given` ones.
bool any_left_open(const ir::Graph& graph, std::span<const ir::ValueId> values,
                   std::span<const ir::SymbolId> given);

/// The outer values that a node uses, by the names it has for them.
using NamedValues = std::vector<std::pair<std::string, ir::ValueId>>;

class OpaqueTypes {
 public:
  OpaqueTypes(ir::Builder& builder, eval::SizeValues& sizes, const InferTypes& infer)
      : builder_(builder), sizes_(sizes), infer_(infer) {}

  /// Settles what `known` leaves open, for the outputs in `used` (the others stay). `key` tells nodes apart
  /// that may differ in what they yield: equal nodes over equal values get equal types, so that they can
  /// still be merged. `model` has operator sets and functions.
  void settle(const onnx::ModelProto& model, const onnx::NodeProto& node, const NamedValues& values,
              std::string_view key, const std::unordered_set<std::string>& used,
              std::vector<ir::TypeId>& known);
  /// Of the results' types, those that another program filled in.
  int64_t inferred() const { return inferred_; }

 private:
  std::vector<ir::TypeId> ask(const onnx::ModelProto& model, const onnx::NodeProto& node,
                              const NamedValues& values);
  ir::TypeId fresh(ir::TypeId type, const std::string& name);
  uint32_t term(ir::ValueId v);

  ir::Builder& builder_;
  eval::SizeValues& sizes_;
  const InferTypes& infer_;
  std::vector<uint32_t> terms_;  ///< numbers of the terms below the first values of the graph
  std::map<std::vector<uint32_t>, uint32_t> numbers_;  ///< by operator, payload and operands' terms
  std::map<std::pair<std::string, std::vector<uint32_t>>, std::vector<ir::TypeId>> settled_;
  int64_t inferred_ = 0;
};

}  // namespace isomer::formats
