#include "formats/onnx_write.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "formats/onnx_broadcast.h"
#include "formats/onnx_nesting.h"
#include "formats/onnx_opaque.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_spell.h"
#include "formats/onnx_tensor.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

constexpr int64_t kDefaultOpset = 17;
constexpr int64_t kNewestIrVersion = 13;  // of ONNX Runtime 1.31

/// The IR version that came with a version of the default operator set; 4 is the first in which initializers
/// need not be inputs.
int64_t ir_version_of(int64_t opset) {
  if (opset >= 25) return 13;
  if (opset >= 23) return opset - 12;
  if (opset >= 21) return 10;
  if (opset >= 19) return 9;
  if (opset >= 15) return 8;
  if (opset >= 12) return 7;
  return opset >= 10 ? opset - 5 : 4;
}

int64_t int_attr(const ir::Graph& graph, ValueId v, size_t i) {
  return std::get<int64_t>(graph.context().get(graph.attrs(v)[i]));
}

bool is_tensor_body(const ir::Graph& graph, ValueId v) {
  return graph.def(v).is(ir::Core::kOpaque) && view_opaque(graph, v).format != kOpaqueNode;
}

}  // namespace

ModelWriter::ModelWriter(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib)
    : graph_(graph),
      envelope_(envelope.parts()),
      dialect_(dialect_of(graph, envelope, contrib)),
      labels_(envelope_.labels) {
  parts_.model = envelope_.model;
  if (dialect_.opset == 0) dialect_.opset = kDefaultOpset;
}

OnnxParts ModelWriter::run() {
  REQUIRE(static_cast<int>(graph_.outputs().size()) == envelope_.model.graph().output_size(),
          "the graph has another number of outputs than its envelope");
  plan();
  name_values();
  for (size_t i = 0; i < graph_.size(); ++i)
    if (needed_[i]) write_value(ValueId(i));
  write_outputs();
  add_loose();
  finish_model();
  return std::move(parts_);
}

/// Elements of tuples stand for themselves; equal elements of one node are one value.
ValueId ModelWriter::resolve(ValueId v) {
  if (!graph_.def(v).is(ir::Core::kGet)) return v;
  const ValueId tuple = canonical_[graph_.operands(v)[0].index()];
  const int64_t index = int_attr(graph_, v, 0);
  if (graph_.def(tuple).is(ir::Core::kTuple))
    return canonical_[graph_.operands(tuple)[static_cast<size_t>(index)].index()];
  return element_.try_emplace({tuple.v, index}, v).first->second;
}

void ModelWriter::plan() {
  canonical_.resize(graph_.size());
  for (size_t i = 0; i < graph_.size(); ++i) canonical_[i] = resolve(ValueId(i));
  operands_.resize(graph_.size());
  needed_.resize(graph_.size());
  for (ValueId o : graph_.outputs()) needed_[canonical_[o.index()].index()] = true;
  for (size_t i = graph_.size(); i-- > 0;) {
    if (!needed_[i]) continue;
    operands_[i] = absorb_broadcasts(graph_, ValueId(i));
    for (ValueId& o : operands_[i]) {
      o = canonical_[o.index()];
      needed_[o.index()] = true;
    }
  }
}

std::string ModelWriter::fresh_name() {
  for (;;) {
    std::string name = fmt::format("isomer_{}", next_name_++);
    if (!avoided_.contains(name) && taken_.insert(name).second) return name;
  }
}

std::string ModelWriter::claim(const std::string& wanted) {
  return !wanted.empty() && taken_.insert(wanted).second ? wanted : fresh_name();
}

void ModelWriter::name_values() {
  names_.resize(graph_.size());
  const onnx::GraphProto& declared = envelope_.model.graph();
  for (const auto& info : declared.input()) taken_.insert(info.name());
  for (const auto& info : declared.output()) taken_.insert(info.name());
  for (const auto& [name, constant] : envelope_.loose_constants) taken_.insert(name);
  for (const auto& tensor : envelope_.loose_tensors) taken_.insert(tensor.name());
  for (const auto& tensor : envelope_.loose_sparse_tensors) taken_.insert(tensor.values().name());
  for (const auto& [name, label] : envelope_.labels) avoided_.insert(name);
  avoided_.insert(envelope_.around.begin(), envelope_.around.end());
  for (size_t i = 0; i < graph_.size(); ++i) {
    avoided_.insert(graph_.name(ValueId(i)));
    if (!needed_[i] || !graph_.def(ValueId(i)).is(ir::Core::kOpaque)) continue;
    const OpaqueView view = view_opaque(graph_, ValueId(i));
    onnx::NodeProto node;
    if (view.format != kOpaqueNode || !parse_nested(node, view.body)) continue;
    collect_names(node, avoided_);
    labels_.avoid_bodies(node);
  }
  for (ValueId v : graph_.inputs()) names_[v.index()] = graph_.name(v);
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const ValueId v = canonical_[graph_.outputs()[i].index()];
    const bool stored = graph_.def(v).is(ir::Core::kConstant) || is_tensor_body(graph_, v);
    if (names_[v.index()].empty() && !stored) names_[v.index()] = declared.output(static_cast<int>(i)).name();
  }
  for (size_t i = 0; i < graph_.size(); ++i)
    if (needed_[i] && names_[i].empty() && graph_.type(ValueId(i)).kind != ir::TypeKind::kTuple)
      names_[i] = claim(graph_.name(ValueId(i)));
  // What is written as it was read keeps its name, whatever else was made of nodes of that name.
  for (size_t i = 0; i < graph_.size(); ++i)
    if (needed_[i] && graph_.def(ValueId(i)).is(ir::Core::kOpaque))
      labels_.choose(static_cast<uint32_t>(i), made_by(ValueId(i)));
}

const std::string& ModelWriter::name(ValueId v) { return names_[canonical_[v.index()].index()]; }

std::vector<std::string> ModelWriter::output_names(ValueId v) {
  const ir::Type& type = graph_.type(v);
  if (type.kind != ir::TypeKind::kTuple) return {names_[v.index()]};
  std::vector<std::string> names;
  for (size_t i = 0; i < type.elements.size(); ++i)
    names.push_back(is_needed(v, i) ? names_[element_.at({v.v, static_cast<int64_t>(i)}).index()]
                                    : fresh_name());
  return names;
}

bool ModelWriter::is_needed(ValueId tuple, size_t element) const {
  const auto it = element_.find({tuple.v, static_cast<int64_t>(element)});
  return it != element_.end() && needed_[it->second.index()];
}

std::vector<std::string> ModelWriter::made_by(ValueId v) const {
  std::vector<ValueId> values = {v};
  const ir::Type& type = graph_.type(v);
  for (size_t i = 0; type.kind == ir::TypeKind::kTuple && i < type.elements.size(); ++i)
    if (const auto it = element_.find({v.v, static_cast<int64_t>(i)}); it != element_.end())
      values.push_back(it->second);
  std::vector<std::string> names;
  for (ValueId value : values) names.push_back(graph_.name(value));
  for (ValueId value : values) names.push_back(names_[value.index()]);
  std::erase(names, std::string());
  return names;
}

onnx::NodeProto& ModelWriter::add_node(ValueId value, const std::string& op_type, const std::string& domain,
                                       const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = *out().add_node();
  node.set_op_type(op_type);
  if (!domain.empty()) node.set_domain(domain);
  for (const std::string& input : inputs) node.add_input(input);
  const std::vector<std::string> outputs = output_names(value);
  for (const std::string& output : outputs) node.add_output(output);
  labels_.put(node, value.v, made_by(value));
  return node;
}

onnx::NodeProto& ModelWriter::add_helper(const std::string& op_type, const std::vector<std::string>& inputs) {
  onnx::NodeProto& node = *out().add_node();
  node.set_op_type(op_type);
  for (const std::string& input : inputs) node.add_input(input);
  node.add_output(fresh_name());
  labels_.put(node, node.output(0));
  return node;
}

std::string ModelWriter::add_initializer(ir::DType dtype, const std::vector<int64_t>& shape,
                                         std::vector<std::byte> bytes) {
  std::string key = fmt::format("{}[{}]", ir::name(dtype), fmt::join(shape, ","));
  key.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const auto [it, fresh] = shared_.try_emplace(std::move(key));
  if (fresh) {
    it->second = fresh_name();
    OnnxParts::Weight weight;
    weight.data.type = graph_.context().tensor_type(dtype, ir::static_shape(shape));
    weight.data.length = bytes.size();
    weight.data.storage = ir::make_buffer(std::move(bytes));
    write_tensor_head(graph_.context(), weight.data, it->second, weight.head);
    parts_.weights.push_back(std::move(weight));
  }
  return it->second;
}

void ModelWriter::write_value(ValueId v) {
  const ir::OpDef& def = graph_.def(v);
  if (def.is(ir::Core::kInput) || def.is(ir::Core::kGet) || def.is(ir::Core::kTuple)) return;
  if (def.is(ir::Core::kConstant)) {
    OnnxParts::Weight weight;
    weight.data = ir::constant_of(graph_, v);
    write_tensor_head(graph_.context(), weight.data, names_[v.index()], weight.head);
    parts_.weights.push_back(std::move(weight));
    return;
  }
  if (def.is(ir::Core::kOpaque)) return write_opaque(v);
  NodeWriter writer(*this, graph_, v, operands_[v.index()]);
  const ir::Spelling* spelling = spelling_of(writer.op(), dialect_);
  REQUIRE(spelling, fmt::format("ONNX opset {} cannot say {} : {}", dialect_.opset, def.name,
                                print(graph_.context(), graph_.type_id(v))));
  write_node(writer, *spelling);
  declare_equal_operands(v);
}

/// A runtime takes a sum into the convolution before it where it knows that both have one shape. Of named
/// sizes it does not always find that out; what is declared it takes.
void ModelWriter::declare_equal_operands(ValueId v) {
  const std::vector<ValueId>& operands = operands_[v.index()];
  const auto windowed = [&](ValueId o) { return graph_.def(o).windowed; };
  if (graph_.def(v).kind != ir::MeaningKind::kPointwise || operands.size() != 2 ||
      graph_.type_id(operands[0]) != graph_.type_id(operands[1]) || std::ranges::none_of(operands, windowed))
    return;
  const ir::Type& type = graph_.type(operands[0]);
  const auto named = [](ir::Dim d) { return d.is_symbol(); };
  if (!type.is_ranked_tensor() || std::ranges::none_of(type.shape, named)) return;
  for (const ValueId o : operands) {
    const ir::OpDef& def = graph_.def(o);
    if (def.is(ir::Core::kInput) || def.is(ir::Core::kOpaque) || !declared_.insert(o.v).second) continue;
    onnx::ValueInfoProto& info = *out().add_value_info();
    info.set_name(name(o));
    write_type(graph_.context(), graph_.type_id(o), *info.mutable_type());
  }
}

void ModelWriter::write_opaque(ValueId v) {
  const OpaqueView view = view_opaque(graph_, v);
  if (view.format == kOpaqueTensor) {
    onnx::TensorProto& tensor = *out().add_initializer();
    REQUIRE(tensor.ParseFromString(view.body), "an opaque tensor without a tensor");
    tensor.set_name(names_[v.index()]);
    return;
  }
  if (view.format == kOpaqueSparse) {
    onnx::SparseTensorProto& tensor = *out().add_sparse_initializer();
    REQUIRE(tensor.ParseFromString(view.body), "an opaque tensor without a tensor");
    tensor.mutable_values()->set_name(names_[v.index()]);
    return;
  }
  REQUIRE(view.format == kOpaqueNode, "an opaque operator of another format: " + view.format);
  onnx::NodeProto& node = *out().add_node();
  REQUIRE(parse_nested(node, view.body), "an opaque operator without a node");
  const std::vector<ValueId>& operands = operands_[v.index()];
  size_t next = 0;
  for (std::string& input : *node.mutable_input())
    if (!input.empty()) input = names_[operands.at(next++).index()];
  std::unordered_map<std::string, std::string> renamed;
  for (const std::string& capture : view.captures) renamed[capture] = names_[operands.at(next++).index()];
  rename_captures(node, renamed);

  const bool single = node.output_size() == 1;
  for (int i = 0; i < node.output_size(); ++i) {
    ValueId element = v;
    if (!single) {
      const auto it = element_.find({v.v, i});
      element = it == element_.end() ? ValueId() : it->second;
    }
    const bool used = element.valid() && needed_[element.index()];
    if (!node.output(i).empty()) node.set_output(i, used ? names_[element.index()] : fresh_name());
    onnx::TypeProto type;
    if (used && !node.output(i).empty() && write_type(graph_.context(), graph_.type_id(element), type)) {
      onnx::ValueInfoProto& info = *out().add_value_info();
      info.set_name(node.output(i));
      *info.mutable_type() = std::move(type);
    }
  }
  labels_.put(node, v.v, made_by(v));
}

/// Outputs whose value has another name already (an input, a constant, another output) are copies of it.
void ModelWriter::write_outputs() {
  for (size_t i = 0; i < graph_.outputs().size(); ++i) {
    const std::string& wanted = envelope_.model.graph().output(static_cast<int>(i)).name();
    const std::string& have = name(graph_.outputs()[i]);
    if (wanted == have) continue;
    onnx::NodeProto& node = *out().add_node();
    node.set_op_type("Identity");
    node.add_input(have);
    node.add_output(wanted);
    labels_.put(node, wanted);
  }
}

void ModelWriter::add_loose() {
  for (const auto& [name, constant] : envelope_.loose_constants) {
    OnnxParts::Weight weight;
    weight.data = constant;
    write_tensor_head(graph_.context(), constant, name, weight.head);
    parts_.weights.push_back(std::move(weight));
  }
  for (const auto& tensor : envelope_.loose_tensors) *out().add_initializer() = tensor;
  for (const auto& tensor : envelope_.loose_sparse_tensors) *out().add_sparse_initializer() = tensor;
}

void ModelWriter::finish_model() {
  const auto standard = [](const onnx::NodeProto& node) { return node.domain().empty(); };
  if (imported_opset(parts_.model, "") == 0 && std::ranges::any_of(out().node(), standard))
    parts_.model.add_opset_import()->set_version(dialect_.opset);
  const auto contrib = [](const onnx::NodeProto& node) { return node.domain() == kContribDomain; };
  if (imported_opset(parts_.model, kContribDomain) == 0 && std::ranges::any_of(out().node(), contrib)) {
    onnx::OperatorSetIdProto& import = *parts_.model.add_opset_import();
    import.set_domain(kContribDomain);
    import.set_version(1);
  }
  parts_.model.set_ir_version(std::max(
      {std::min(parts_.model.ir_version(), kNewestIrVersion), ir_version_of(dialect_.opset), int64_t{4}}));
  // Output values carry their type in the declaration; a second one is refused by checkers.
  std::unordered_set<std::string> declared;
  for (const auto& info : out().output()) declared.insert(info.name());
  auto* infos = out().mutable_value_info();
  infos->erase(std::remove_if(infos->begin(), infos->end(),
                              [&](const auto& info) { return declared.contains(info.name()); }),
               infos->end());
  auto* quantized = out().mutable_quantization_annotation();
  quantized->erase(std::remove_if(quantized->begin(), quantized->end(),
                                  [&](const auto& q) { return !taken_.contains(q.tensor_name()); }),
                   quantized->end());
}

NodeWriter::NodeWriter(ModelWriter& model, const ir::Graph& graph, ValueId value,
                       std::span<const ValueId> operands)
    : model_(model), graph_(graph), value_(value), operands_(operands) {
  for (ValueId o : graph.operands(value)) types_.push_back(graph.type_id(o));
}

ir::OpInstance NodeWriter::op() const {
  return {graph_.context(), graph_.def(value_), graph_.attrs(value_), types_, graph_.type_id(value_)};
}

const Dialect& NodeWriter::dialect() const { return model_.dialect(); }
std::string NodeWriter::in(size_t input) const { return model_.name(operands_[input]); }

std::vector<std::string> NodeWriter::ins() const {
  std::vector<std::string> names;
  for (size_t i = 0; i < inputs(); ++i) names.push_back(in(i));
  return names;
}

bool NodeWriter::needed(size_t element) const { return model_.is_needed(value_, element); }

onnx::NodeProto& NodeWriter::node(const std::string& op_type, const std::vector<std::string>& inputs,
                                  const std::string& domain) {
  return model_.add_node(value_, op_type, domain, inputs);
}

std::string NodeWriter::helper(const std::string& op_type, const std::vector<std::string>& inputs,
                               std::optional<int64_t> axis) {
  onnx::NodeProto& node = model_.add_helper(op_type, inputs);
  if (axis) set(node, "axis", *axis);
  return node.output(0);
}

std::pair<std::string, int64_t> NodeWriter::input_of_size(ir::SymbolId name) {
  for (const ValueId input : graph_.inputs()) {
    const ir::Shape& shape = graph_.type(input).shape;
    const auto at = std::ranges::find_if(shape, [&](ir::Dim d) { return d.same(ir::Dim::symbol(name)); });
    if (at != shape.end()) return {model_.name(input), at - shape.begin()};
  }
  REQUIRE(false, "no input has the size " + graph_.context().get(name));
  return {};
}

std::string NodeWriter::ints(const std::vector<int64_t>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return model_.add_initializer(ir::DType::kI64, {static_cast<int64_t>(values.size())},
                                {bytes.begin(), bytes.end()});
}

std::string NodeWriter::floats(const std::vector<double>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  for (size_t i = 0; i < values.size(); ++i)
    ir::store_number(ir::DType::kF32, bytes, static_cast<int64_t>(i), values[i]);
  return model_.add_initializer(ir::DType::kF32, {static_cast<int64_t>(values.size())}, std::move(bytes));
}

std::string NodeWriter::scalar(ir::DType dtype, double value) {
  std::vector<std::byte> bytes(static_cast<size_t>(ir::byte_size(dtype, 1)));
  if (ir::is_float(dtype))
    ir::store_number(dtype, bytes, 0, value);
  else
    ir::store_integer(dtype, bytes, 0, static_cast<int64_t>(value));
  return model_.add_initializer(dtype, {}, std::move(bytes));
}

void NodeWriter::ints_attr_or_input(onnx::NodeProto& node, const std::string& attr,
                                    const std::vector<int64_t>& values, int64_t last) {
  if (opset() <= last)
    set(node, attr, values);
  else
    node.add_input(ints(values));
}

}  // namespace isomer::formats
