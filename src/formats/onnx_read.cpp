// Reading: the weights are cut out of the file's message (onnx_wire), the rest is parsed, the nodes are put
// in order (onnx_order) and translated one by one (onnx_spell_*). What cannot be translated exactly stays
// opaque.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <algorithm>
#include <cstring>
#include <unordered_set>

#include "eval/size_values.h"
#include "formats/onnx_causes.h"
#include "formats/onnx_control.h"
#include "formats/onnx_defined.h"
#include "formats/onnx_dims.h"
#include "formats/onnx_envelope.h"
#include "formats/onnx_nesting.h"
#include "formats/onnx_opaque.h"
#include "formats/onnx_opaque_types.h"
#include "formats/onnx_order.h"
#include "formats/onnx_result_types.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_spell.h"
#include "formats/onnx_tensor.h"
#include "formats/onnx_types.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::ValueId;

constexpr int64_t kOldestOpset = 7;   // below, operators broadcast by attributes
constexpr int64_t kNewestOpset = 28;  // above, operators may mean something else
constexpr const char* kUnknown = "unknown operator";

class Reader {
 public:
  Reader(ir::Context& ctx, std::shared_ptr<const ir::Storage> storage, const std::string& file,
         const OnnxReadOptions& options, std::optional<std::vector<ir::SymbolId>> sizes = {})
      : ctx_(ctx),
        options_(options),
        given_sizes_(std::move(sizes)),
        source_{file, std::move(storage), ExternalFiles(file)},
        builder_(ctx) {}

  OnnxModel run() {
    const google::protobuf::LogSilencer silence;  // of names that are no UTF-8; what matters is thrown
    parse();
    const std::vector<int> order = node_order(model_.graph(), source_.file);
    read_declarations();
    declare_through_aliases(order);
    for (int i : order) read_node(model_.graph().node(i), i);
    std::vector<ValueId> outputs = read_outputs();
    keep_loose_initializers();
    auto envelope = make_envelope();
    ir::Graph graph = prune(builder_.finish(std::move(outputs)));
    return {std::move(graph), std::move(envelope), notes(), types_inferred(), causes_.first()};
  }
  int64_t types_inferred() const { return opaque_types_.inferred(); }

 private:
  [[noreturn]] void fail(const std::string& message) const {
    throw InputError({source_.file, 0, 0}, message);
  }

  void parse() {
    cuts_ = parse_model(model_, source_.storage->bytes(), source_.file);
    opset_ = imported_opset(model_, "");
    used_ = used_names(model_.graph());
    for (const onnx::FunctionProto& f : model_.functions()) functions_.insert(f.domain() + "|" + f.name());
    for (const onnx::NodeProto& n : model_.graph().node())
      if (n.op_type().empty()) fail(fmt::format("node '{}': expected an operator", n.name()));
    builder_ = ir::Builder(ctx_, model_.graph().name());
    for (const auto& [name, size] : options_.dims)
      if (size < 0) throw UsageError(fmt::format("--dim {}={}: expected a size of at least 0", name, size));
  }

  /// Inputs become values; initializers wait until something uses them.
  void read_declarations() {
    onnx::GraphProto& graph = *model_.mutable_graph();
    for (int i = 0; i < graph.initializer_size(); ++i) {
      initializers_.emplace(graph.initializer(i).name(), i);
      check_initializer(i);
    }
    for (int i = 0; i < graph.sparse_initializer_size(); ++i)
      sparse_.emplace(graph.sparse_initializer(i).values().name(), i);
    // Up to IR version 3 every initializer had to be an input too, and runtimes treated it as a constant.
    const bool constants_are_inputs = model_.ir_version() < 4;
    auto* inputs = graph.mutable_input();
    if (constants_are_inputs)
      inputs->erase(std::remove_if(inputs->begin(), inputs->end(),
                                   [&](const onnx::ValueInfoProto& i) {
                                     return initializers_.contains(i.name()) || sparse_.contains(i.name());
                                   }),
                    inputs->end());
    for (onnx::ValueInfoProto& info : *inputs) {
      fix_input(info, options_.dims);
      const ir::TypeId type = read_type(ctx_, info.type(), info.name());
      values_[info.name()] = builder_.input(info.name(), type);
    }
    if (!given_sizes_) given_sizes_ = ir::names_of_inputs(builder_.so_far());
    const std::unordered_set<std::string> counted = counted_results(graph);
    for (auto* list : {graph.mutable_value_info(), graph.mutable_output()})
      for (onnx::ValueInfoProto& info : *list) {
        if (counted.contains(info.name()) && info.type().tensor_type().has_shape())
          for (auto& dim : *info.mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim())
            dim.clear_dim_param();
        fix_dims(*info.mutable_type(), options_.dims);
        declared_.emplace(info.name(), read_type(ctx_, info.type()));
      }
  }

  static bool is_standard(const onnx::NodeProto& node) { return is_standard_domain(node.domain()); }

  /// The first result is the first operand, or (Dropout in training) has its type at least.
  static bool hands_its_operand_on(const onnx::NodeProto& node) {
    return is_standard(node) && (node.op_type() == "Identity" || node.op_type() == "Dropout") &&
           node.input_size() > 0 && node.output_size() > 0 && !node.output(0).empty();
  }

  /// Identity and Dropout may leave no trace, so what is declared of their result is declared of their
  /// operand.
  void declare_through_aliases(const std::vector<int>& order) {
    for (size_t i = order.size(); i-- > 0;) {
      const onnx::NodeProto& node = model_.graph().node(order[i]);
      if (!hands_its_operand_on(node)) continue;
      if (const auto it = declared_.find(node.output(0)); it != declared_.end())
        declared_.emplace(node.input(0), ir::TypeId(it->second));
    }
  }

  std::optional<ir::Constant> tensor(const onnx::TensorProto& proto,
                                     std::optional<ByteRange> cut = std::nullopt) {
    return read_tensor(ctx_, proto, source_, cut);
  }

  /// Reads data of the initializer (kept for when it is used), so that faults are found also where it is not.
  void check_initializer(int i) {
    const auto index = static_cast<size_t>(i);
    constants_.push_back(
        tensor(model_.graph().initializer(i), index < cuts_.size() ? cuts_[index] : std::nullopt));
  }

  ValueId constant(const ir::Constant& c, const std::string& name) {
    const ValueId v = builder_.constant(ctx_.add(c));
    builder_.set_name(v, name);
    return v;
  }

  ValueId opaque_tensor(onnx::TensorProto tensor) {
    const std::string name = tensor.name();
    internalise(tensor, source_);
    tensor.clear_name();
    const bool known = tensor.data_type() == onnx::TensorProto::STRING;
    return add_opaque_tensor(builder_, kOpaqueTensor, tensor.SerializeAsString(), tensor.dims(),
                             known ? std::optional(ir::DType::kString) : std::nullopt, name);
  }

  ValueId value(const std::string& name) {
    if (const auto it = values_.find(name); it != values_.end()) return it->second;
    ValueId v;
    if (const auto it = initializers_.find(name); it != initializers_.end()) {
      auto& c = constants_[static_cast<size_t>(it->second)];
      const onnx::TensorProto& proto = model_.graph().initializer(it->second);
      v = c ? constant(*c, name) : opaque_tensor(with_cut(it->second, proto));
    } else {
      onnx::SparseTensorProto sparse = model_.graph().sparse_initializer(sparse_.at(name));
      sparse.mutable_values()->clear_name();
      v = add_opaque_tensor(builder_, kOpaqueSparse, sparse.SerializeAsString(), sparse.dims(),
                            element_type(sparse.values().data_type()), name);
    }
    values_[name] = v;
    return v;
  }

  /// The tensor with the raw_data that the skimmer left in the file.
  onnx::TensorProto with_cut(int i, const onnx::TensorProto& proto) const {
    onnx::TensorProto whole = proto;
    if (const auto& cut = cuts_[static_cast<size_t>(i)]) {
      const auto bytes = source_.storage->bytes().subspan(cut->offset, cut->length);
      whole.set_raw_data(bytes.data(), bytes.size());
    }
    return whole;
  }

  void bind(const std::string& name, ValueId v) {
    values_[name] = v;
    if (builder_.so_far().name(v).empty()) builder_.set_name(v, name);
  }

  void read_node(const onnx::NodeProto& node, int index) {
    const bool standard = is_standard(node);
    const int64_t opset = imported_opset(model_, node.domain());
    if (opset == 0)
      fail(fmt::format("{}: expected an opset import for the domain '{}'", describe(node, index),
                       node.domain()));
    for (const std::string& name : node.output())
      if (!name.empty()) remember_label(node, name);

    std::vector<ValueId> inputs;
    for (const std::string& name : node.input()) inputs.push_back(name.empty() ? ValueId() : value(name));
    std::string why;
    if (functions_.contains(node.domain() + "|" + node.op_type()))
      why = "a call of a function";
    else if (standard && opset_ < kOldestOpset)
      why = fmt::format("opset {} is older than {}", opset_, kOldestOpset);
    else if (standard && opset_ > kNewestOpset)
      why = fmt::format("opset {} is newer than {}", opset_, kNewestOpset);
    else if (read_constant(node) || read_alias(node, inputs) || read_branch(node, inputs))
      return;
    else if (read_operator(node, index, inputs, dialect_of(node, opset), why))
      return;
    keep(node, inputs, why);
  }

  /// An If whose condition is the same in every run is the nodes of that branch.
  bool read_branch(const onnx::NodeProto& node, const std::vector<ValueId>& inputs) {
    if (!is_standard(node) || node.op_type() != "If" || inputs.size() != 1 || !inputs[0].valid())
      return false;
    const auto condition = sizes_.number(inputs[0]);
    if (!condition) return false;
    const onnx::GraphProto* branch = find_graph(node, *condition != 0 ? "then_branch" : "else_branch");
    if (!branch || branch->input_size() > 0 || branch->sparse_initializer_size() > 0 ||
        branch->output_size() != node.output_size())
      return false;
    // What the branch names is its own; initializers of the model that it is the first to use stay.
    std::vector<std::string> own;
    for (const onnx::TensorProto& t : branch->initializer()) own.push_back(t.name());
    for (const onnx::NodeProto& n : branch->node())
      own.insert(own.end(), n.output().begin(), n.output().end());
    std::unordered_map<std::string, ValueId> hidden;
    for (const std::string& name : own)
      if (const auto it = values_.find(name); it != values_.end()) hidden.insert(*it);
    for (const onnx::TensorProto& t : branch->initializer()) {
      const auto c = tensor(t);
      values_[t.name()] = c ? constant(*c, t.name()) : opaque_tensor(t);
    }
    for (int i = 0; i < branch->node_size(); ++i) read_node(branch->node(i), i);
    std::vector<ValueId> results;
    for (const onnx::ValueInfoProto& output : branch->output()) results.push_back(value(output.name()));
    for (const std::string& name : own) values_.erase(name);
    for (const auto& [name, v] : hidden) values_[name] = v;
    for (int i = 0; i < node.output_size(); ++i)
      if (!node.output(i).empty()) bind(node.output(i), results[static_cast<size_t>(i)]);
    return true;
  }

  void remember_label(const onnx::NodeProto& node, const std::string& name) {
    onnx::NodeProto label = label_of(node);
    if (label.ByteSizeLong() > 0) labels_.emplace(name, std::move(label));
  }

  bool read_constant(const onnx::NodeProto& node) {
    std::optional<onnx::TensorProto> proto = is_standard(node) ? constant_node(node) : std::nullopt;
    if (!proto) return false;
    const auto c = tensor(*proto);
    bind(node.output(0), c ? constant(*c, node.output(0)) : opaque_tensor(std::move(*proto)));
    return true;
  }

  /// Identity, and Dropout where it does nothing and no one reads its mask: its result is its input.
  bool read_alias(const onnx::NodeProto& node, const std::vector<ValueId>& inputs) {
    if (!hands_its_operand_on(node) || !inputs[0].valid()) return false;
    const bool in_training =
        opset_ >= 12 && inputs.size() > 2 && inputs[2].valid() && sizes_.number(inputs[2]) != 0;
    const bool masked = node.output_size() > 1 && !node.output(1).empty() && used_.contains(node.output(1));
    if (in_training || masked) return false;
    values_[node.output(0)] = inputs[0];
    return true;
  }

  /// ONNX Runtime's own operators stand beside the standard ones, whose version says what can be written
  /// again.
  Dialect dialect_of(const onnx::NodeProto& node, int64_t opset) const {
    constexpr int64_t kWithoutStandardOnes = 17;
    if (!options_.contrib || node.domain() != kContribDomain) return {opset, options_.contrib, *given_sizes_};
    return {opset_ == 0 ? kWithoutStandardOnes : opset_, true, *given_sizes_};
  }

  bool read_operator(const onnx::NodeProto& node, int index, const std::vector<ValueId>& inputs,
                     const Dialect& dialect, std::string& why) {
    NodeReader reader(node, dialect, builder_, sizes_, inputs);
    const ValueId result = formats::read_node(reader, why);
    if (!reader.wrong().empty()) fail(fmt::format("{}: {}", describe(node, index), reader.wrong()));
    if (!result.valid()) return false;
    const ir::Type& type = builder_.type(result);
    if (type.kind == ir::TypeKind::kTuple && !reader.places().empty()) {
      for (int i = 0; i < node.output_size(); ++i) {
        const auto place = std::ranges::find(reader.places(), i);
        if (node.output(i).empty() || place == reader.places().end()) continue;
        bind(node.output(i), builder_.get(result, place - reader.places().begin()));
      }
      return true;
    }
    if (type.kind == ir::TypeKind::kTuple) {
      if (type.elements.size() != static_cast<size_t>(node.output_size())) {
        why = fmt::format("expected {} outputs", type.elements.size());
        return false;
      }
      for (int i = 0; i < node.output_size(); ++i)
        if (!node.output(i).empty()) bind(node.output(i), builder_.get(result, i));
      return true;
    }
    for (int i = 1; i < node.output_size(); ++i)
      if (!node.output(i).empty()) {
        why = fmt::format("output {} has no operator", i);
        return false;
      }
    if (node.output_size() == 0 || node.output(0).empty()) return false;
    bind(node.output(0), result);
    return true;
  }

  ir::TypeId declared_type(const std::string& name) const {
    const auto it = declared_.find(name);
    return it == declared_.end() ? ctx_.intern(ir::Type::unknown()) : it->second;
  }

  std::vector<ir::TypeId> opaque_types(const onnx::NodeProto& node, const std::string& body,
                                       const std::vector<ValueId>& inputs) {
    NodeReader reader(node, opset_, builder_, sizes_, inputs);
    std::vector<ir::TypeId> types = result_types(reader);
    for (int i = 0; i < node.output_size(); ++i) {
      ir::TypeId& type = types[static_cast<size_t>(i)];
      type = agreed_type(ctx_, type, declared_type(node.output(i)));
    }
    NamedValues values;
    for (const std::string& name : node.input())
      if (!name.empty()) values.emplace_back(name, value(name));
    for (const std::string& name : captured_names(node)) values.emplace_back(name, value(name));
    // Equal nodes yield the same, unless each run of one is its own.
    const std::string told_apart = has_effects(node) && node.output_size() > 0 ? node.output(0) : "";
    const std::string key = fmt::format("{} {}{}", told_apart.size(), told_apart, body);
    opaque_types_.settle(model_, node, values, key, used_, types);
    return types;
  }

  /// Of an operator set whose operators may mean something else.
  bool hides_newer(const onnx::NodeProto& node) const { return is_standard(node) && opset_ > kNewestOpset; }

  /// Adds the node as it is: with the meaning of its bodies, or opaque. `unread`: why it was not read.
  void keep(const onnx::NodeProto& original, const std::vector<ValueId>& inputs, const std::string& unread) {
    onnx::NodeProto node = original;
    internalise(node, source_);
    // Attributes have no order; what their bodies capture is numbered in this one.
    std::ranges::stable_sort(*node.mutable_attribute(), {}, &onnx::AttributeProto::name);
    std::vector<ValueId> operands;
    for (ValueId v : inputs)
      if (v.valid()) operands.push_back(v);
    const std::vector<std::string> captures =
        number_captures(node, operands, [&](const std::string& name) { return value(name); });
    const std::string body = opaque_body(node);
    std::string why = kUnknown;
    const KeptNode kept{node, body, captures, operands};
    ValueId v = read_control(builder_, sizes_, model_, kept, why);
    const std::string call = node.domain() + "|" + node.op_type();
    if (!v.valid() && !functions_.contains(call) && !hides_newer(node))
      v = read_defined(builder_, sizes_, model_, kept, imported_opset(model_, node.domain()), why);
    const auto outputs = static_cast<size_t>(node.output_size());
    const auto results = [&] {
      return builder_.type(v).kind == ir::TypeKind::kTuple ? builder_.type(v).elements.size() : 1;
    };
    if (v.valid() && results() == outputs) {
      why.clear();
    } else {
      const std::vector<ir::TypeId> types = opaque_types(original, body, inputs);
      const ir::TypeId type = outputs == 1 ? types[0] : ctx_.intern(ir::Type::tuple(types));
      v = add_opaque(builder_, kOpaqueNode, node.op_type(), body, captures, operands, type,
                     has_effects(node));
    }
    if (outputs == 1 && !node.output(0).empty()) bind(node.output(0), v);
    for (int i = 0; outputs != 1 && i < node.output_size(); ++i)
      if (!node.output(i).empty()) bind(node.output(i), builder_.get(v, i));
    if (!why.empty())
      causes_.add(fmt::format("{}: {}", node.op_type(), why == kUnknown ? unread : why),
                  any_left_open(builder_.so_far(), operands, *given_sizes_));
  }

  /// A runtime takes wrong declarations of what such nodes yield, and so do we.
  bool is_opaque(ValueId v) const {
    const ir::Graph& graph = builder_.so_far();
    const ValueId node = graph.def(v).is(ir::Core::kGet) ? graph.operands(v)[0] : v;
    return graph.def(node).kind == ir::MeaningKind::kOpaque;
  }

  /// Of shapes a runtime only warns as well; the declaration is written again as it is.
  void contradicted(std::string what, ir::TypeId declared, ir::TypeId computed) {
    const ir::Type &a = ctx_.get(declared), &b = ctx_.get(computed);
    if (!a.is_tensor() || !b.is_tensor() || a.dtype != b.dtype) fail(what);
    contradictions_.push_back(std::move(what));
  }

  std::vector<ValueId> read_outputs() {
    std::vector<ValueId> outputs;
    for (const onnx::ValueInfoProto& info : model_.graph().output()) {
      const ValueId v = value(info.name());
      const ir::TypeId declared = declared_type(info.name());
      if (!compatible(ctx_, declared, builder_.type_id(v)) && !is_opaque(v))
        contradicted(fmt::format("graph output '{}': declared as {}, but its value is {}", info.name(),
                                 print(ctx_, declared), print(ctx_, builder_.type_id(v))),
                     declared, builder_.type_id(v));
      outputs.push_back(v);
    }
    return outputs;
  }

  void keep_loose_initializers() {
    for (const auto& [name, i] : initializers_) {
      const auto it = values_.find(name);
      const bool used = it != values_.end() && !builder_.so_far().def(it->second).is(ir::Core::kInput);
      if (used) continue;
      if (const auto& c = constants_[static_cast<size_t>(i)])
        parts_->loose_constants.emplace_back(name, *c);
      else
        parts_->loose_tensors.push_back(with_cut(i, model_.graph().initializer(i)));
    }
    for (const auto& [name, i] : sparse_)
      if (!values_.contains(name))
        parts_->loose_sparse_tensors.push_back(model_.graph().sparse_initializer(i));
  }

  std::shared_ptr<const OnnxEnvelope> make_envelope() {
    onnx::GraphProto& graph = *model_.mutable_graph();
    graph.clear_node();
    graph.clear_initializer();
    graph.clear_sparse_initializer();
    graph.clear_value_info();
    parts_->model = std::move(model_);
    parts_->labels = std::move(labels_);
    parts_->data_files = source_.external.paths();
    return std::make_shared<const OnnxEnvelope>(std::move(parts_));
  }

  std::vector<std::string> notes() const {
    std::vector<std::string> out = contradictions_;
    for (const std::string& note : causes_.notes()) out.push_back(note);
    return out;
  }

  ir::Context& ctx_;
  const OnnxReadOptions& options_;
  std::optional<std::vector<ir::SymbolId>> given_sizes_;  ///< Dialect::sizes; until inputs are read: none
  TensorSource source_;
  ir::Builder builder_;
  eval::SizeValues sizes_{builder_.so_far()};
  OpaqueTypes opaque_types_{builder_, sizes_, options_.infer_types};
  std::unordered_set<std::string> used_;
  onnx::ModelProto model_;
  std::vector<std::optional<ByteRange>> cuts_;
  int64_t opset_ = 0;
  std::unordered_set<std::string> functions_;
  std::map<std::string, int> initializers_;
  std::map<std::string, int> sparse_;
  std::vector<std::optional<ir::Constant>> constants_;  // by initializer
  std::unordered_map<std::string, ValueId> values_;
  std::unordered_map<std::string, ir::TypeId> declared_;
  std::unordered_map<std::string, onnx::NodeProto> labels_;
  KeptCauses causes_;
  std::vector<std::string> contradictions_;
  std::unique_ptr<OnnxEnvelope::Parts> parts_ = std::make_unique<OnnxEnvelope::Parts>();
};

/// A claim of another program about some result may make what follows impossible. Then it was wrong, or the
/// model is: read without claims, the reader tells which.
OnnxModel read_believing(ir::Context& ctx, const std::shared_ptr<const ir::Storage>& storage,
                         const std::string& name, const OnnxReadOptions& options) {
  Reader reader(ctx, storage, name, options);
  try {
    return reader.run();
  } catch (const InputError&) {
    if (reader.types_inferred() == 0) throw;
  }
  OnnxReadOptions alone = options;
  alone.infer_types = {};
  OnnxModel model = Reader(ctx, storage, name, alone).run();
  model.notes.emplace_back("inferred types contradict the model, which was read without them");
  return model;
}

}  // namespace

OnnxModel read_onnx(ir::Context& ctx, const std::string& path, const OnnxReadOptions& options) {
  return read_believing(ctx, ir::map_file(path), path, options);
}

OnnxModel read_onnx_bytes(ir::Context& ctx, std::span<const std::byte> bytes, const std::string& name,
                          const OnnxReadOptions& options) {
  return read_believing(ctx, ir::make_buffer({bytes.begin(), bytes.end()}), name, options);
}

OnnxModel read_inner_model(ir::Context& ctx, std::span<const std::byte> bytes, bool contrib,
                           std::vector<ir::SymbolId> sizes) {
  const OnnxReadOptions options{{}, contrib, {}};
  return Reader(ctx, ir::make_buffer({bytes.begin(), bytes.end()}), "a body", options, std::move(sizes))
      .run();
}

}  // namespace isomer::formats
