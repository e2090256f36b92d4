#include "formats/onnx_control.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <span>

#include "formats/onnx.h"
#include "formats/onnx_opaque.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_tensor.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using ir::RegionId;
using ir::ValueId;
using Ints = std::vector<int64_t>;

std::optional<onnx::TensorProto> known_tensor(ir::Builder& builder, eval::SizeValues& sizes, ValueId v) {
  const auto known = known_constant(builder, sizes, v);
  if (!known) return std::nullopt;
  const ir::Constant& constant = builder.context().get(*known);
  onnx::TensorProto out;
  write_tensor_head(builder.context(), constant, "", out);
  out.set_raw_data(constant.bytes().data(), constant.bytes().size());
  return out;
}

onnx::TensorProto constant_true() {
  onnx::TensorProto out;
  out.set_data_type(onnx::TensorProto::BOOL);
  out.add_int32_data(1);
  return out;
}

/// An attribute of integers, or so many zeros.
Ints ints_attr(const onnx::NodeProto& node, std::string_view name, size_t count) {
  for (const onnx::AttributeProto& a : node.attribute())
    if (a.name() == name) return {a.ints().begin(), a.ints().end()};
  return Ints(count, 0);
}

/// That the bool is true in every run.
bool is_true(eval::SizeValues& sizes, ValueId v) {
  const auto elements = sizes.integers(v);
  return elements && elements->size() == 1 && (*elements)[0].is_number() && (*elements)[0].number() != 0;
}

class Control {
 public:
  Control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model, const KeptNode& kept,
          std::string& why)
      : b_(builder), sizes_(sizes), model_(model), kept_(kept), node_(kept.node), why_(why) {}

  ValueId read() {
    for (size_t i = 0; i < kept_.operands.size(); ++i)
      if (!b_.type(kept_.operands[i]).is_static_tensor())
        return fail("the sizes of its operands are not known");
    const std::string& op = node_.op_type();
    return op == "If" ? branches() : op == "Loop" ? loop() : scan();
  }

 private:
  ValueId fail(std::string why) {
    why_ = std::move(why);
    return {};
  }

  void add_captures(std::vector<BodyInput>& inputs) const {
    const size_t first = kept_.operands.size() - kept_.captures.size();
    for (size_t i = 0; i < kept_.captures.size(); ++i) {
      const ValueId v = kept_.operands[first + i];
      inputs.push_back({kept_.captures[i], b_.type_id(v), v});
    }
  }

  RegionId region(const onnx::GraphProto* body, const std::vector<ir::TypeId>& given, int always_true = -1) {
    if (!body || body->input_size() != static_cast<int>(given.size())) {
      fail("a body of other inputs");
      return {};
    }
    std::vector<BodyInput> inputs;
    for (int i = 0; i < body->input_size(); ++i)
      inputs.push_back({body->input(i).name(), given[static_cast<size_t>(i)], {}, i == always_true});
    add_captures(inputs);
    return read_body(b_, sizes_, model_, *body, inputs, why_);
  }

  ValueId add(std::string_view name, std::vector<ir::NamedAttr> attrs) {
    return add_kept(b_, kept_, name, std::move(attrs), why_);
  }

  static int64_t number(RegionId region) { return static_cast<int64_t>(region.index()); }

  ValueId branches() {
    const RegionId then = region(find_graph(node_, "then_branch"), {});
    if (!then.valid()) return {};
    const RegionId otherwise = region(find_graph(node_, "else_branch"), {});
    if (!otherwise.valid()) return {};
    return add("if", {{"region", number(then)}, {"otherwise", number(otherwise)}});
  }

  ValueId loop() {
    Ints given;
    for (int i = 0; i < node_.input_size(); ++i) {
      if (node_.input(i).empty() && i >= 2) return fail("a state is missing");
      if (!node_.input(i).empty() && i < 2) given.push_back(i);
    }
    const size_t states = static_cast<size_t>(std::max(node_.input_size() - 2, 0));
    std::vector<ir::TypeId> types = {b_.context().tensor_type(ir::DType::kI64, {}),
                                     b_.context().tensor_type(ir::DType::kBool, {})};
    for (size_t i = 0; i < states; ++i) types.push_back(b_.type_id(kept_.operands[given.size() + i]));
    const RegionId body = region(find_graph(node_, "body"), types, 1);
    if (!body.valid()) return {};
    return add("loop", {{"region", number(body)},
                        {"given", given},
                        {"states", static_cast<int64_t>(states)},
                        {"trips", trips(given, b_.context().get(body))}});
  }

  /// How many rounds there are in every run, or -1.
  int64_t trips(const Ints& given, const ir::Graph& body) {
    const auto place = [&](int64_t input) { return std::ranges::find(given, input) - given.begin(); };
    const auto known = [&](int64_t input) -> std::optional<int64_t> {
      const auto at = static_cast<size_t>(place(input));
      if (at == given.size()) return std::nullopt;
      const auto elements = sizes_.integers(kept_.operands[at]);
      if (!elements || elements->size() != 1 || !(*elements)[0].is_number()) return std::nullopt;
      return (*elements)[0].number();
    };
    const std::optional<int64_t> most = known(0), begins = known(1);
    if (begins && *begins == 0) return 0;
    const bool has_condition = static_cast<size_t>(place(1)) < given.size();
    eval::SizeValues inside(body);
    const bool goes_on =
        (!has_condition || begins) && !body.outputs().empty() && is_true(inside, body.outputs()[0]);
    return most && goes_on ? std::max(*most, int64_t{0}) : -1;
  }

  ValueId scan() {
    constexpr int64_t kFirstWithoutBatches = 9;
    for (const auto& import : model_.opset_import())
      if (is_standard_domain(import.domain()) && import.version() < kFirstWithoutBatches)
        return fail("it scans batches of sequences");
    int64_t count = 0;
    for (const onnx::AttributeProto& a : node_.attribute())
      if (a.name() == "num_scan_inputs") count = a.i();
    const auto inputs = static_cast<int64_t>(kept_.operands.size() - kept_.captures.size());
    if (count < 1 || count > inputs || inputs != node_.input_size()) return fail("it scans nothing");
    const auto states = static_cast<size_t>(inputs - count), scanned = static_cast<size_t>(count);
    Ints axes = ints_attr(node_, "scan_input_axes", scanned);
    std::vector<ir::TypeId> types;
    for (size_t i = 0; i < states; ++i) types.push_back(b_.type_id(kept_.operands[i]));
    for (size_t i = 0; i < scanned && axes.size() == scanned; ++i) {
      const ir::Type& type = b_.type(kept_.operands[states + i]);
      ir::Shape shape = type.shape;
      const auto rank = static_cast<int64_t>(shape.size());
      if (axes[i] < 0) axes[i] += rank;
      if (axes[i] < 0 || axes[i] >= rank) return fail("it scans along an axis that is not there");
      shape.erase(shape.begin() + axes[i]);
      types.push_back(b_.context().tensor_type(type.dtype, shape));
    }
    const RegionId body = region(find_graph(node_, "body"), types);
    if (!body.valid()) return {};
    const ir::Graph& round = b_.context().get(body);
    if (round.outputs().size() < states) return fail("a state is missing");
    const size_t stacks = round.outputs().size() - states;
    Ints out_axes = ints_attr(node_, "scan_output_axes", stacks);
    for (size_t i = 0; i < std::min(stacks, out_axes.size()); ++i)
      if (out_axes[i] < 0)
        out_axes[i] += static_cast<int64_t>(round.type(round.outputs()[states + i]).shape.size()) + 1;
    return add("scan", {{"region", number(body)},
                        {"states", static_cast<int64_t>(states)},
                        {"axes", axes},
                        {"backwards", ints_attr(node_, "scan_input_directions", scanned)},
                        {"out_axes", out_axes},
                        {"out_backwards", ints_attr(node_, "scan_output_directions", stacks)}});
  }

  ir::Builder& b_;
  eval::SizeValues& sizes_;
  const onnx::ModelProto& model_;
  const KeptNode& kept_;
  const onnx::NodeProto& node_;
  std::string& why_;
};

/// The body as a model. What is always the same is an initializer, in whose place an input stands that
/// nothing reads.
onnx::ModelProto body_model(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                            const onnx::GraphProto& body, const std::vector<BodyInput>& inputs) {
  constexpr int64_t kInitializersStandAlone = 8;
  onnx::ModelProto out;
  out.set_ir_version(std::max(model.ir_version(), kInitializersStandAlone));
  *out.mutable_opset_import() = model.opset_import();
  *out.mutable_functions() = model.functions();
  onnx::GraphProto& graph = *out.mutable_graph();
  graph = body;
  graph.clear_input();
  graph.clear_value_info();
  graph.clear_name();
  // What is declared within is in names of dimensions that mean nothing outside.
  for (onnx::ValueInfoProto& info : *graph.mutable_output()) info.clear_type();
  for (size_t i = 0; i < inputs.size(); ++i) {
    onnx::ValueInfoProto& info = *graph.add_input();
    info.set_name(inputs[i].name);
    write_type(builder.context(), inputs[i].type, *info.mutable_type());
    std::optional<onnx::TensorProto> known;
    if (inputs[i].always_true) known = constant_true();
    if (inputs[i].outside.valid()) known = known_tensor(builder, sizes, inputs[i].outside);
    if (!known) continue;
    info.set_name(fmt::format("isomer_known_{}", i));
    known->set_name(inputs[i].name);
    *graph.add_initializer() = std::move(*known);
  }
  return out;
}

}  // namespace

ValueId add_kept(ir::Builder& builder, const KeptNode& kept, std::string_view name,
                 std::vector<ir::NamedAttr> attrs, std::string& why) {
  for (const ir::NamedAttr& more :
       {ir::NamedAttr{"format", std::string(kOpaqueNode)}, ir::NamedAttr{"op", kept.node.op_type()},
        ir::NamedAttr{"body", kept.body}})
    attrs.push_back(more);
  if (!kept.captures.empty()) attrs.push_back({"captures", kept.captures});
  const ir::OpId op = builder.context().ops().at(name);
  ValueId out;
  const ir::Inferred type = builder.try_add(op, builder.make_payload(op, attrs), kept.operands, out);
  if (type && is_countable(builder.context(), type.type)) return out;
  why = type ? "its result is too large" : type.error;
  return {};
}

std::optional<ir::ConstantId> known_constant(ir::Builder& builder, eval::SizeValues& sizes, ValueId v) {
  const ir::Type& type = builder.type(v);
  if (!type.is_static_tensor() || ir::element_count(type.shape) > eval::kMostSizeElements)
    return std::nullopt;
  if (builder.so_far().def(v).is(ir::Core::kConstant)) return ir::constant_id(builder.so_far(), v);
  const auto elements = type.dtype == ir::DType::kI64 ? sizes.integers(v) : std::nullopt;
  if (!elements || !std::ranges::all_of(*elements, &ir::Size::is_number)) return std::nullopt;
  std::vector<int64_t> numbers;
  for (const ir::Size& e : *elements) numbers.push_back(e.number());
  return ir::add_constant(builder.context(), type.dtype, ir::sizes(type.shape), numbers);
}

RegionId read_body(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                   const onnx::GraphProto& body, const std::vector<BodyInput>& inputs, std::string& why) {
  const std::string bytes = body_model(builder, sizes, model, body, inputs).SerializeAsString();
  try {
    OnnxModel read = read_onnx_bytes(builder.context(), std::as_bytes(std::span(bytes)), "a body");
    for (size_t i = 0; i < read.graph.size(); ++i)
      if (read.graph.def(ValueId(i)).kind == ir::MeaningKind::kOpaque) {
        why = "in its body " + (read.notes.empty() ? "something opaque" : read.notes.front());
        return {};
      }
    return builder.context().add(std::make_shared<const ir::Graph>(std::move(read.graph)));
  } catch (const InputError& error) {
    why = fmt::format("its body: {}", error.what());
    return {};
  }
}

ValueId read_control(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                     const KeptNode& kept, std::string& why) {
  const std::string& op = kept.node.op_type();
  if (!is_standard_domain(kept.node.domain()) || (op != "If" && op != "Loop" && op != "Scan")) return {};
  return Control(builder, sizes, model, kept, why).read();
}

}  // namespace isomer::formats
