#include "formats/onnx_bodies.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>
#include <memory>
#include <span>
#include <unordered_set>
#include <utility>

#include "formats/onnx_control.h"
#include "formats/onnx_envelope.h"
#include "formats/onnx_nesting.h"
#include "formats/onnx_opaque.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_tensor.h"
#include "formats/onnx_types.h"
#include "ir/constant_data.h"
#include "ir/constant_of.h"
#include "ir/graph_copy.h"
#include "ir/op_table.h"
#include "support/errors.h"
#include "support/possible.h"

namespace isomer::formats {
namespace {

using ir::ValueId;
using Names = std::unordered_set<std::string>;

/// What a body is given of constants: what is small, or all up to so many bytes together.
enum class Known : uint8_t { kSmall, kAll };
constexpr size_t kMostKnownBytes = size_t{64} << 20;
/// A body is a text within a text, copied as often as bodies are nested.
constexpr size_t kMostBodyBytes = size_t{256} << 20;

std::optional<onnx::TensorProto> known_tensor(const ir::Graph& outer, eval::SizeValues& sizes, ValueId v,
                                              size_t most_bytes) {
  const auto known = known_constant(outer, sizes, v, most_bytes);
  if (!known) return std::nullopt;
  const ir::Constant& constant = outer.context().get(*known);
  onnx::TensorProto out;
  write_tensor_head(outer.context(), constant, "", out);
  out.set_raw_data(constant.bytes().data(), constant.bytes().size());
  return out;
}

onnx::TensorProto constant_true() {
  onnx::TensorProto out;
  out.set_data_type(onnx::TensorProto::BOOL);
  out.add_int32_data(1);
  return out;
}

/// The body as a model. What is always the same is an initializer, in whose place an input stands that
/// nothing reads.
onnx::ModelProto body_model(const ir::Graph& outer, eval::SizeValues& sizes, const onnx::ModelProto& model,
                            const onnx::GraphProto& body, const std::vector<BodyInput>& inputs, Known how) {
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
  size_t left = how == Known::kAll ? kMostKnownBytes : 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    onnx::ValueInfoProto& info = *graph.add_input();
    info.set_name(inputs[i].name);
    write_type(outer.context(), inputs[i].type, *info.mutable_type());
    std::optional<onnx::TensorProto> known;
    if (inputs[i].always_true) known = constant_true();
    if (inputs[i].outside.valid()) known = known_tensor(outer, sizes, inputs[i].outside, left);
    if (!known) continue;
    left -= std::min(left, known->raw_data().size());
    info.set_name(fmt::format("isomer_known_{}", i));
    known->set_name(inputs[i].name);
    *graph.add_initializer() = std::move(*known);
  }
  return out;
}

std::vector<GivenBody> fail(std::string& why, std::string reason) {
  why = std::move(reason);
  return {};
}

/// The body of this name as one that takes so many inputs of its own.
bool add_body(const KeptNode& kept, const char* attribute, const std::vector<ir::TypeId>& own,
              std::vector<GivenBody>& out) {
  const onnx::GraphProto* graph = find_graph(kept.node, attribute);
  if (!graph || graph->input_size() != static_cast<int>(own.size())) return false;
  GivenBody& body = out.emplace_back();
  body.attribute = attribute;
  body.graph = graph;
  for (int i = 0; i < graph->input_size(); ++i)
    body.inputs.push_back({graph->input(i).name(), own[static_cast<size_t>(i)]});
  return true;
}

std::vector<GivenBody> loop_body(const ir::Graph& outer, const KeptNode& kept, std::string& why) {
  size_t given = 0;
  for (int i = 0; i < kept.node.input_size(); ++i) {
    if (kept.node.input(i).empty() && i >= 2) return fail(why, "a state is missing");
    given += i < 2 && !kept.node.input(i).empty();
  }
  const auto states = static_cast<size_t>(std::max(kept.node.input_size() - 2, 0));
  ir::Context& ctx = outer.context();
  std::vector<ir::TypeId> types = {ctx.tensor_type(ir::DType::kI64, {}),
                                   ctx.tensor_type(ir::DType::kBool, {})};
  for (size_t i = 0; i < states; ++i) types.push_back(outer.type_id(kept.operands[given + i]));
  std::vector<GivenBody> out;
  if (!add_body(kept, "body", types, out)) return fail(why, "a body of other inputs");
  out[0].inputs[1].always_true = true;
  out[0].states = states;
  out[0].first_state = 2;
  return out;
}

std::vector<GivenBody> scan_body(const ir::Graph& outer, const KeptNode& kept, std::string& why) {
  int64_t count = 0;
  std::vector<int64_t> axes;
  for (const onnx::AttributeProto& a : kept.node.attribute()) {
    if (a.name() == "num_scan_inputs") count = a.i();
    if (a.name() == "scan_input_axes") axes.assign(a.ints().begin(), a.ints().end());
  }
  const auto inputs = static_cast<int64_t>(kept.operands.size() - kept.captures.size());
  if (count < 1 || count > inputs || inputs != kept.node.input_size()) return fail(why, "it scans nothing");
  const auto states = static_cast<size_t>(inputs - count), scanned = static_cast<size_t>(count);
  if (axes.empty()) axes.assign(scanned, 0);
  std::vector<ir::TypeId> types;
  for (size_t i = 0; i < states; ++i) types.push_back(outer.type_id(kept.operands[i]));
  for (size_t i = 0; i < scanned && axes.size() == scanned; ++i) {
    const ir::Type& type = outer.type(kept.operands[states + i]);
    if (!type.is_tensor() || !type.ranked) return fail(why, "the sizes of what it scans are not known");
    ir::Shape shape = type.shape;
    const auto rank = static_cast<int64_t>(shape.size());
    if (axes[i] < 0) axes[i] += rank;
    if (axes[i] < 0 || axes[i] >= rank) return fail(why, "it scans along an axis that is not there");
    shape.erase(shape.begin() + axes[i]);
    types.push_back(outer.context().tensor_type(type.dtype, shape));
  }
  std::vector<GivenBody> out;
  if (!add_body(kept, "body", types, out)) return fail(why, "a body of other inputs");
  out[0].states = states;
  out[0].axes = std::move(axes);
  return out;
}

}  // namespace

std::optional<ir::ConstantId> known_constant(const ir::Graph& graph, eval::SizeValues& sizes, ValueId v,
                                             size_t most_bytes) {
  const ir::Type& type = graph.type(v);
  if (!type.is_static_tensor()) return std::nullopt;
  const bool small = ir::element_count(type.shape) <= eval::kMostSizeElements;
  if (graph.def(v).is(ir::Core::kConstant)) {
    const bool known = small || ir::constant_of(graph, v).length <= most_bytes;
    return known ? std::optional(ir::constant_id(graph, v)) : std::nullopt;
  }
  if (!small || type.dtype != ir::DType::kI64) return std::nullopt;
  const auto numbers = eval::numbers_in(sizes.integers(v));
  if (!numbers) return std::nullopt;
  return ir::add_constant(graph.context(), type.dtype, ir::sizes(type.shape), *numbers);
}

std::vector<GivenBody> given_bodies(const ir::Graph& outer, const KeptNode& kept, int64_t opset,
                                    std::string& why) {
  constexpr int64_t kFirstWithoutBatches = 9;
  const std::string& op = kept.node.op_type();
  std::vector<GivenBody> out;
  if (op == "Loop") out = loop_body(outer, kept, why);
  if (op == "Scan" && opset < kFirstWithoutBatches) return fail(why, "it scans batches of sequences");
  if (op == "Scan") out = scan_body(outer, kept, why);
  if (op == "If" && (!add_body(kept, "then_branch", {}, out) || !add_body(kept, "else_branch", {}, out)))
    return fail(why, "a body of other inputs");
  const size_t first = kept.operands.size() - kept.captures.size();
  for (GivenBody& body : out)
    for (size_t i = 0; i < kept.captures.size(); ++i) {
      const ValueId v = kept.operands[first + i];
      body.inputs.push_back({kept.captures[i], outer.type_id(v), v});
    }
  return out;
}

ir::RegionId read_body(ir::Builder& builder, eval::SizeValues& sizes, const onnx::ModelProto& model,
                       const onnx::GraphProto& body, const std::vector<BodyInput>& inputs, std::string& why) {
  const std::string bytes =
      body_model(builder.so_far(), sizes, model, body, inputs, Known::kSmall).SerializeAsString();
  auto read =
      possible([&] { return read_onnx_bytes(builder.context(), std::as_bytes(std::span(bytes)), "a body"); });
  if (!read) {
    why = "its body: " + read.why_not;
    return {};
  }
  for (size_t i = 0; i < read->graph.size(); ++i)
    if (read->graph.def(ValueId(i)).kind == ir::MeaningKind::kOpaque) {
      why = "in its body " + (read->notes.empty() ? "something opaque" : read->notes.front());
      return {};
    }
  return builder.context().add(std::make_shared<const ir::Graph>(std::move(read.value->graph)));
}

namespace {

/// The node that a value holds, as KeptNode refers to it.
struct Held {
  OpaqueView view;
  onnx::NodeProto node;
};

Held held_node(const ir::Graph& graph, ValueId v) {
  Held held{view_opaque(graph, v), {}};
  REQUIRE(parse_nested(held.node, held.view.body), "an opaque operator without a node");
  return held;
}

KeptNode kept_node(const Held& held, std::vector<ValueId> operands) {
  return {held.node, held.view.body, held.view.captures, std::move(operands)};
}

/// That what is handed from round to round has the type that the first round is given: then every round has.
bool keeps_states(const GivenBody& body, const ir::Graph& graph) {
  const size_t first_output = body.first_state > 0 ? 1 : 0;
  if (graph.outputs().size() < first_output + body.states) return false;
  for (size_t i = 0; i < body.states; ++i)
    if (graph.type_id(graph.outputs()[first_output + i]) != body.inputs[body.first_state + i].type)
      return false;
  return true;
}

double runs_of(const ir::Graph& graph, ValueId v, const Held& held) {
  if (held.view.op == "If") return 0.5;
  const ir::OpDef& def = graph.def(v);
  if (def.kind != ir::MeaningKind::kProcedural) return 1;  // unknown
  if (const int trips = def.attr_index("trips"); trips >= 0) {
    const int64_t known = std::get<int64_t>(graph.context().get(graph.attrs(v)[static_cast<size_t>(trips)]));
    return known >= 0 ? static_cast<double>(known) : 1;
  }
  if (def.attr_index("axes") < 0) return 1;
  std::vector<ir::TypeId> types;
  for (ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
  const ir::OpInstance op(graph.context(), def, graph.attrs(v), types);
  return static_cast<double>(
      op.in_sizes(static_cast<size_t>(op.i("states")))[static_cast<size_t>(op.ints("axes")[0])]);
}

/// All names that a body must not give to what is new in it: those of the program around it.
Names names_around(const ir::Graph& graph, const OnnxEnvelope& envelope) {
  Names out = envelope.parts().around;
  for (size_t i = 0; i < graph.size(); ++i) out.insert(graph.name(ValueId(i)));
  for (const std::string& name : envelope.input_names()) out.insert(name);
  for (const std::string& name : envelope.output_names()) out.insert(name);
  for (const auto& [name, label] : envelope.parts().labels) out.insert(name);
  return out;
}

}  // namespace

bool is_control(const ir::Graph& graph, ValueId v) {
  if (!graph.def(v).is(ir::Core::kOpaque)) return false;
  const OpaqueView view = view_opaque(graph, v);
  return view.format == kOpaqueNode && (view.op == "If" || view.op == "Loop" || view.op == "Scan");
}

std::vector<NodeBody> node_bodies(const ir::Graph& graph, eval::SizeValues& sizes, ValueId v,
                                  const OnnxEnvelope& envelope, bool contrib, std::string& why) {
  why.clear();
  const Held held = held_node(graph, v);
  const auto left = [&](std::string reason) {
    why = std::move(reason);
    return std::vector<NodeBody>();
  };
  if (held.view.body.size() > kMostBodyBytes) return left("its bodies are too large");
  if (!is_standard_domain(held.node.domain())) return left("it is another domain's");
  if (has_effects(held.node))
    return left("it may have effects: random numbers, or another domain's operators");
  const onnx::ModelProto& model = envelope.parts().model;
  const KeptNode kept = kept_node(held, {graph.operands(v).begin(), graph.operands(v).end()});
  const Names around = names_around(graph, envelope);
  std::vector<NodeBody> out;
  for (const GivenBody& body : given_bodies(graph, kept, envelope.opset(), why)) {
    const std::string bytes =
        body_model(graph, sizes, model, *body.graph, body.inputs, Known::kAll).SerializeAsString();
    auto program = possible([&] {
      return read_inner_model(graph.context(), std::as_bytes(std::span(bytes)), contrib,
                              ir::names_of_inputs(graph));
    });
    if (!program) return left("its body: " + program.why_not);
    if (!keeps_states(body, program->graph)) return left("a state changes its size from round to round");
    auto parts = std::make_unique<OnnxEnvelope::Parts>(program->envelope->parts());
    parts->around = around;
    program.value->envelope = std::make_shared<const OnnxEnvelope>(std::move(parts));
    out.push_back({body.attribute, *std::move(program.value), runs_of(graph, v, held)});
  }
  return out;
}

namespace {

/// Puts the program in the body's place: with the inputs and declarations of the body, and captured constants
/// as what is captured. False where a node makes a value of such a name.
bool put_body(const NewBody& with, const std::vector<std::string>& captures, bool contrib,
              onnx::GraphProto& body) {
  onnx::ModelProto written;
  REQUIRE(parse_nested(written, write_onnx_bytes(*with.graph, *with.of->program.envelope, contrib)),
          "a body that is no model");
  onnx::GraphProto& graph = *written.mutable_graph();
  Names outside(captures.begin(), captures.end());
  for (const onnx::ValueInfoProto& input : body.input()) outside.insert(input.name());
  for (const onnx::NodeProto& node : graph.node())
    if (std::ranges::any_of(node.output(), [&](const std::string& o) { return outside.contains(o); }))
      return false;
  auto* stored = graph.mutable_initializer();
  stored->erase(std::remove_if(stored->begin(), stored->end(),
                               [&](const onnx::TensorProto& t) { return outside.contains(t.name()); }),
                stored->end());
  *graph.mutable_input() = body.input();
  *graph.mutable_output() = body.output();
  graph.set_name(body.name());
  body = std::move(graph);
  return true;
}

onnx::GraphProto* mutable_graph(onnx::NodeProto& node, const std::string& attribute) {
  for (onnx::AttributeProto& a : *node.mutable_attribute())
    if (a.name() == attribute && a.has_g()) return a.mutable_g();
  return nullptr;
}

/// The node as the reader reads it again. Nothing, and `why`, where it has other results then.
std::optional<RewrittenNode> read_again(const ir::Graph& graph, ValueId v, const OnnxEnvelope& envelope,
                                        const Held& held, std::vector<size_t> operands, std::string& why) {
  ir::Builder builder(graph.context());
  ir::GraphCopy copy(builder, graph);
  copy.inputs();
  copy.rest();
  std::vector<ValueId> in;
  for (size_t i : operands) in.push_back(copy[graph.operands(v)[i]]);
  const ir::OpId id = graph.op(v);
  if (graph.def(v).kind == ir::MeaningKind::kOpaque) {
    const ValueId made = add_opaque(builder, kOpaqueNode, held.view.op, held.view.body, held.view.captures,
                                    in, graph.type_id(v), false);
    return RewrittenNode{id, builder.so_far().payload(made), std::move(operands)};
  }
  eval::SizeValues sizes(builder.so_far());
  const ValueId made =
      read_control(builder, sizes, envelope.parts().model, kept_node(held, std::move(in)), why);
  if (!made.valid()) return std::nullopt;
  if (builder.so_far().op(made) != id || builder.type_id(made) != graph.type_id(v)) {
    why = "its results have other types";
    return std::nullopt;
  }
  return RewrittenNode{id, builder.so_far().payload(made), std::move(operands)};
}

}  // namespace

std::optional<RewrittenNode> with_bodies(const ir::Graph& graph, ValueId v, const OnnxEnvelope& envelope,
                                         const std::vector<NewBody>& bodies, bool contrib, std::string& why) {
  Held held = held_node(graph, v);
  for (const NewBody& body : bodies) {
    onnx::GraphProto* place = mutable_graph(held.node, body.of->attribute);
    REQUIRE(place != nullptr, "no body " + body.of->attribute);
    if (!put_body(body, held.view.captures, contrib, *place)) {
      why = "a name of what it captures is taken";
      return std::nullopt;
    }
  }
  // What is captured no more is no operand any more.
  const std::vector<std::string> used = captured_names(held.node);
  const size_t first = graph.operands(v).size() - held.view.captures.size();
  std::vector<size_t> operands;
  for (size_t i = 0; i < first; ++i) operands.push_back(i);
  std::vector<std::string> captures;
  for (size_t i = 0; i < held.view.captures.size(); ++i)
    if (std::ranges::find(used, held.view.captures[i]) != used.end()) {
      captures.push_back(held.view.captures[i]);
      operands.push_back(first + i);
    }
  REQUIRE(captures.size() == used.size(), "a body captures what it did not");
  held.view.captures = std::move(captures);
  held.view.body = opaque_body(held.node);
  return read_again(graph, v, envelope, held, std::move(operands), why);
}

}  // namespace isomer::formats
