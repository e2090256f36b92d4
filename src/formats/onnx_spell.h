// How single ONNX nodes are read as operators and operators written as nodes: nearly all by what the operator
// declares (onnx_spell_rows.h); what that cannot say by code, reading and writing side by side, in
// onnx_spell_<family>.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "eval/size_values.h"
#include "formats/onnx.h"
#include "ir/constant.h"
#include "ir/graph.h"
#include "ir/size_formula.h"
#include "ir/size_sums.h"

namespace onnx {
class AttributeProto;
class NodeProto;
}  // namespace onnx

namespace isomer::formats {

class ModelWriter;
using ir::kContribDomain;

/// One node while it is read. Accessors that meet something else than what they ask for make the reading
/// fail: then the node is kept opaque.
class NodeReader {
 public:
  /// `sizes` knows small tensors of the builder's graph.
  NodeReader(const onnx::NodeProto& node, const Dialect& dialect, ir::Builder& builder,
             eval::SizeValues& sizes, std::vector<ir::ValueId> inputs);

  const onnx::NodeProto& node() const { return node_; }
  int64_t opset() const { return dialect_.opset; }
  const Dialect& dialect() const { return dialect_; }
  ir::Builder& builder() const { return builder_; }
  ir::Context& context() const { return builder_.context(); }

  size_t inputs() const { return inputs_.size(); }
  bool has(size_t input) const { return input < inputs_.size() && inputs_[input].valid(); }
  /// Fails when the input is missing.
  ir::ValueId in(size_t input);
  /// The first `count` inputs, none of which may be missing.
  std::vector<ir::ValueId> ins(size_t count);
  /// Shape of an input; fails when its rank is not known.
  const ir::Shape& shape(size_t input);
  ir::DType dtype(size_t input);
  int64_t rank(size_t input) { return static_cast<int64_t>(shape(input).size()); }

  int64_t i(std::string_view attr, int64_t fallback);
  double f(std::string_view attr, double fallback);
  std::string s(std::string_view attr, const std::string& fallback);
  std::optional<std::vector<std::string>> strings(std::string_view attr);
  std::optional<std::vector<int64_t>> ints(std::string_view attr);
  std::optional<std::vector<double>> floats(std::string_view attr);
  /// A tensor attribute with data in the node.
  std::optional<ir::Constant> tensor(std::string_view attr);
  bool has_attr(std::string_view attr) const { return find(attr) != nullptr; }

  /// Elements of a constant integer input of rank 0 or 1.
  std::optional<std::vector<int64_t>> const_ints(size_t input);
  std::optional<int64_t> const_int(size_t input);  ///< the only one
  /// As const_ints, with names for sizes that are not fixed.
  std::optional<std::vector<ir::Size>> sizes(size_t input);
  /// Those of them that are certain, nothing when not even their number is.
  std::span<const eval::SizeElement> some_sizes(size_t input);
  /// The dimension of that size; unknown for a negative number, and for what is no size.
  ir::Dim dim(const std::optional<ir::Size>& size) {
    return size ? ir::dim_of(context(), *size) : ir::Dim::unknown();
  }
  /// The element of a constant input with one element, if a double holds it exactly.
  std::optional<double> const_number(size_t input);
  /// Elements of a constant float input.
  std::optional<std::vector<double>> const_numbers(size_t input);
  /// An attribute up to opset `last`, a constant input afterwards; nullopt when absent; fails when not
  /// constant.
  std::optional<std::vector<int64_t>> ints_attr_or_input(std::string_view attr, size_t input, int64_t last);
  /// Axis made non-negative; fails when out of range.
  int64_t axis(int64_t axis, int64_t rank);

  /// Adds an operator; fails when the table has none of that name or its type rule refuses.
  ir::ValueId add(std::string_view op, const std::vector<ir::ValueId>& operands,
                  const std::vector<ir::NamedAttr>& attrs = {});
  /// Fails when it is not certain that the inputs broadcast together.
  std::vector<ir::ValueId> broadcast_together(const std::vector<ir::ValueId>& values);
  ir::ValueId broadcast(ir::ValueId value, const ir::Shape& shape);

  ir::ValueId fail(std::string why);
  bool failed() const { return !why_.empty(); }
  const std::string& why() const { return why_; }
  /// Not empty when the node is wrong for every input, rather than beyond us: what was expected.
  const std::string& wrong() const { return wrong_; }
  /// For a tuple: which outputs of the node its elements are. Fails when the node has other outputs.
  void results_at(std::vector<int> places);
  /// Empty: element by element.
  const std::vector<int>& places() const { return places_; }
  /// An attribute that may be there.
  void know(std::string_view attr) { asked_.emplace(attr); }
  /// Whether the node has no attribute that nobody asked for.
  bool all_asked() const;

 private:
  bool is_shape_error(const ir::OpDef& op, const std::vector<ir::ValueId>& operands) const;
  std::optional<ir::Constant> constant(size_t input) const;
  /// Elements of a constant integer input that is too long for a list of sizes; nothing of others.
  std::optional<std::vector<ir::Size>> long_list(size_t input) const;
  std::optional<double> number(const eval::SizeElement& element) const;
  const onnx::AttributeProto* find(std::string_view attr) const;
  const onnx::AttributeProto* ask(std::string_view attr, int type);

  const onnx::NodeProto& node_;
  Dialect dialect_;
  ir::Builder& builder_;
  eval::SizeValues& sizes_;
  std::vector<ir::ValueId> inputs_;
  std::set<std::string, std::less<>> asked_;
  std::string why_;
  std::string wrong_;
  std::vector<int> places_;
};

/// One value while it is written.
class NodeWriter {
 public:
  NodeWriter(ModelWriter& model, const ir::Graph& graph, ir::ValueId value,
             std::span<const ir::ValueId> operands);

  ir::OpInstance op() const;
  const ir::Context& context() const { return graph_.context(); }
  const Dialect& dialect() const;
  int64_t opset() const { return dialect().opset; }
  size_t inputs() const { return operands_.size(); }
  std::string in(size_t input) const;
  std::vector<std::string> ins() const;
  const ir::Type& type(size_t input) const { return graph_.type(operands_[input]); }
  /// Type of the operand before broadcasts were absorbed.
  const ir::Type& full_type(size_t input) const { return graph_.type(graph_.operands(value_)[input]); }
  const ir::Type& result() const { return graph_.type(value_); }

  /// Whether anything needs an element of the result, a tuple.
  bool needed(size_t element) const;

  /// A node that makes this value.
  onnx::NodeProto& node(const std::string& op_type, const std::vector<std::string>& inputs,
                        const std::string& domain = {});
  /// A node beside it, which makes what that needs: the name of its result.
  std::string helper(const std::string& op_type, const std::vector<std::string>& inputs,
                     std::optional<int64_t> axis = {});
  /// An input of the program that has a dimension of this name, and which. REQUIREs that one has it.
  std::pair<std::string, int64_t> input_of_size(ir::SymbolId name);
  /// A one-dimensional int64 initializer; equal ones are shared.
  std::string ints(const std::vector<int64_t>& values);
  /// The same in f32.
  std::string floats(const std::vector<double>& values);
  /// An initializer without dimensions.
  std::string scalar(ir::DType dtype, double value);
  /// Attribute up to opset `last`, initializer input afterwards.
  void ints_attr_or_input(onnx::NodeProto& node, const std::string& attr, const std::vector<int64_t>& values,
                          int64_t last);

 private:
  ModelWriter& model_;
  const ir::Graph& graph_;
  ir::ValueId value_;
  std::span<const ir::ValueId> operands_;
  std::vector<ir::TypeId> types_;  // of the operands before broadcasts were absorbed
};

void set(onnx::NodeProto& node, const std::string& attr, int64_t value);
void set(onnx::NodeProto& node, const std::string& attr, double value);
void set(onnx::NodeProto& node, const std::string& attr, const std::string& value);
void set(onnx::NodeProto& node, const std::string& attr, const std::vector<int64_t>& values);
void set(onnx::NodeProto& node, const std::string& attr, const std::vector<std::string>& values);

/// The code for irregular spellings.
class Spellings {
 public:
  using Read = ir::ValueId (*)(NodeReader&);
  using Write = void (*)(NodeWriter&);
  using Can = bool (*)(const ir::OpInstance&, const Dialect&);
  struct Writer {
    Write write;
    Can can = nullptr;  ///< further conditions
  };

  void reads(const std::string& op_type, Read read) { readers_[{"", op_type}] = read; }
  void writes(const std::string& op, Writer writer) { writers_[{"", op}] = writer; }
  /// The same for ONNX Runtime's own operators.
  void reads_contrib(const std::string& op_type, Read read) { readers_[{kContribDomain, op_type}] = read; }
  void writes_contrib(const std::string& op, Writer writer) { writers_[{kContribDomain, op}] = writer; }
  /// Null when there is none.
  Read reader(const std::string& domain, const std::string& op_type) const;
  const Writer* writer(const ir::Spelling& spelling, const std::string& op) const;

  /// Those of all families.
  static const Spellings& all();

 private:
  using Key = std::pair<std::string, std::string>;  // domain, name
  std::map<Key, Read> readers_;
  std::map<Key, Writer> writers_;
};

void spell_movement(Spellings& table);
void spell_shape(Spellings& table);
void spell_resize(Spellings& table);
void spell_fusion(Spellings& table);
void spell_alike(Spellings& table);  ///< nodes that are read as other operators

/// Translates a node; an invalid id, and `why`, when it must stay opaque.
ir::ValueId read_node(NodeReader& reader, std::string& why);
/// The first spelling that says this operator as it is, in this dialect; null when there is none.
const ir::Spelling* spelling_of(const ir::OpInstance& op, const Dialect& dialect);
void write_node(NodeWriter& writer, const ir::Spelling& spelling);

/// Whether a size of Resize's result is one number in single precision, as ONNX Runtime works it out, and
/// another in double: 5 of 2.6.
bool has_doubtful_size(const ir::Shape& shape, const std::vector<int64_t>& axes,
                       const std::vector<double>& scales);

}  // namespace isomer::formats
