// Writing: the parts of the model go to the file one after the other, weights straight from where they are
// mapped, so that a model is never in memory twice. Large weights go to a file of their own, named by its
// contents and written first: whoever sees the new model sees its data. Weights that are put into a branch of
// an If stay in the model's file.
#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>

#include <functional>
#include <optional>
#include <span>
#include <unordered_map>

#include "formats/hlo_graph.h"
#include "formats/onnx_broadcast.h"
#include "formats/onnx_control_node.h"
#include "formats/onnx_external.h"
#include "formats/onnx_scope.h"
#include "formats/onnx_spell.h"
#include "formats/onnx_wire.h"
#include "formats/onnx_write.h"
#include "ir/attempt.h"
#include "ir/graph_copy.h"
#include "ir/op_table.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

using Sink = std::function<void(std::span<const std::byte>)>;

constexpr int kModelGraph = 7, kGraphInitializer = 5, kTensorRawData = 9;
constexpr int64_t kMostBytes = (int64_t{1} << 31) - (1 << 20);  // protobuf's limit, with room for heads

/// Serializes model and weights in protobuf's wire format.
void put(OnnxParts parts, const Sink& sink) {
  const auto text = [&](const std::string& s) { sink(std::as_bytes(std::span(s.data(), s.size()))); };
  std::vector<std::string> heads;
  uint64_t size = 0;
  const std::unique_ptr<onnx::GraphProto> graph(parts.model.release_graph());
  const std::string rest = graph->SerializeAsString();
  for (OnnxParts::Weight& weight : parts.weights) {
    std::string head = weight.head.SerializeAsString();
    const bool external = weight.head.data_location() == onnx::TensorProto::EXTERNAL;
    const size_t data = external ? 0 : weight.data.length;
    if (!external) append_field_head(head, kTensorRawData, data);
    std::string field;
    append_field_head(field, kGraphInitializer, head.size() + data);
    heads.push_back(field + head);
    size += heads.back().size() + data;
  }
  text(parts.model.SerializeAsString());
  std::string field;
  append_field_head(field, kModelGraph, size + rest.size());
  text(field + rest);
  for (size_t i = 0; i < heads.size(); ++i) {
    text(heads[i]);
    const ir::Constant& data = parts.weights[i].data;
    if (parts.weights[i].head.data_location() == onnx::TensorProto::EXTERNAL) continue;
    sink(data.bytes());
    if (data.length > kInlineBytes) data.release();
  }
}

/// Those in branches are not among them.
int64_t weight_bytes(const OnnxParts& parts) {
  int64_t bytes = 0;
  for (const OnnxParts::Weight& weight : parts.weights) bytes += static_cast<int64_t>(weight.data.length);
  return bytes;
}

void move_outside(OnnxParts& parts, const std::string& path, bool durable) {
  std::vector<ir::Constant> tensors;
  std::vector<OnnxParts::Weight*> moved;
  for (OnnxParts::Weight& weight : parts.weights) {
    if (weight.data.length <= kInlineBytes)
      continue;  // shapes and the like stay where shape inference sees them
    tensors.push_back(weight.data);
    moved.push_back(&weight);
  }
  if (moved.empty()) return;
  const ExternalData data = write_external(tensors, path, durable);
  for (const ExternalPlace& place : data.places) {
    onnx::TensorProto& head = moved[place.tensor]->head;
    head.set_data_location(onnx::TensorProto::EXTERNAL);
    const auto entry = [&](const std::string& key, const std::string& value) {
      onnx::StringStringEntryProto& e = *head.add_external_data();
      e.set_key(key);
      e.set_value(value);
    };
    entry("location", data.file);
    entry("offset", std::to_string(place.offset));
    entry("length", std::to_string(tensors[place.tensor].length));
  }
}

/// What one branch of an If alone reads is put into it: a runtime hands each value from outside to the branch
/// in every run. onnxslim writes them so as well; ours are those of the program's own Ifs, up to some bytes.
void move_into_branches(OnnxParts& parts) {
  constexpr size_t kMostMoved = size_t{64} << 20;
  onnx::GraphProto& graph = *parts.model.mutable_graph();
  if (graph.quantization_annotation_size() > 0) return;       // they name what is outside
  std::unordered_map<std::string, onnx::GraphProto*> reader;  // null: the program itself, or several
  const auto reads = [&](const std::string& name, onnx::GraphProto* by) {
    const auto [it, fresh] = reader.try_emplace(name, by);
    if (!fresh && it->second != by) it->second = nullptr;
  };
  for (const auto* infos : {&graph.input(), &graph.output()})
    for (const onnx::ValueInfoProto& info : *infos) reads(info.name(), nullptr);
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    const bool branches = node.op_type() == "If" && node.domain().empty();
    for (const std::string& input : node.input()) reads(input, nullptr);
    for (onnx::AttributeProto& a : *node.mutable_attribute()) {
      if (a.has_g())
        for (const std::string& name : used_names(a.g())) reads(name, branches ? a.mutable_g() : nullptr);
      for (const onnx::ValueInfoProto& result : a.g().output()) reads(result.name(), nullptr);
      for (const onnx::GraphProto& body : a.graphs())
        for (const std::string& name : used_names(body)) reads(name, nullptr);
    }
  }
  size_t moved = 0;
  std::erase_if(parts.weights, [&](const OnnxParts::Weight& weight) {
    const auto by = reader.find(weight.head.name());
    if (by == reader.end() || by->second == nullptr || moved + weight.data.length > kMostMoved) return false;
    moved += weight.data.length;
    onnx::TensorProto& tensor = *by->second->add_initializer();
    tensor = weight.head;
    const std::span<const std::byte> bytes = weight.data.bytes();
    tensor.set_raw_data(bytes.data(), bytes.size());
    return true;
  });
}

OnnxParts make_parts(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib) {
  const google::protobuf::LogSilencer silence;  // of names that are no UTF-8
  const ir::Graph sayable = legalise(graph, dialect_of(graph, envelope, contrib));
  return ModelWriter(sayable, envelope, contrib).run();
}

bool spelled(const ir::Graph& graph, ir::ValueId v, const Dialect& dialect) {
  std::vector<ir::TypeId> types;
  for (ir::ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
  return can_spell(ir::OpInstance(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v)),
                   dialect);
}

}  // namespace

Dialect dialect_of(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib) {
  return {envelope.opset(), contrib, ir::names_of_inputs(graph)};
}

void write_onnx(const ir::Graph& graph, const OnnxEnvelope& envelope, const std::string& path,
                const OnnxWriteOptions& options) {
  OnnxParts parts = make_parts(graph, envelope, options.contrib);
  const int64_t weights = weight_bytes(parts);
  move_into_branches(parts);
  if (weights > options.external_above || weights > kMostBytes) move_outside(parts, path, options.durable);
  AtomicFile file(path);
  put(std::move(parts), [&](std::span<const std::byte> bytes) { file.write(bytes); });
  file.commit(path, options.durable);
}

std::string write_onnx_bytes(const ir::Graph& graph, const OnnxEnvelope& envelope, bool contrib) {
  OnnxParts parts = make_parts(graph, envelope, contrib);
  REQUIRE(weight_bytes(parts) <= kMostBytes, "a model of more than 2 GiB must be written to a file");
  std::string out;
  put(std::move(parts), [&](std::span<const std::byte> bytes) {
    out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  });
  return out;
}

bool can_spell(const ir::OpInstance& op, const Dialect& dialect) {
  switch (op.op.core) {  // written as what they are
    case ir::Core::kInput:
    case ir::Core::kConstant:
    case ir::Core::kGet:
    case ir::Core::kTuple:
    case ir::Core::kOpaque: return true;
    default: break;
  }
  return spelling_of(op, dialect) != nullptr;
}

std::optional<ir::ValueId> first_unspelled(const ir::Graph& graph, const Dialect& dialect) {
  std::vector<bool> needed(graph.size());
  for (ir::ValueId o : graph.outputs()) needed[o.index()] = true;
  for (size_t i = graph.size(); i-- > 0;) {
    const ir::ValueId v(i);
    if (!needed[i]) continue;
    if (!spelled(graph, v, dialect)) return v;
    for (ir::ValueId o : absorb_broadcasts(graph, v)) needed[o.index()] = true;
  }
  return {};
}

bool can_write(const ir::OpInstance& op, const Dialect& dialect) {
  return can_spell(op, dialect) || op.op.expand || op.op.older_words;
}

std::string unspellable(const ir::Graph& graph, const Dialect& dialect) {
  const ir::Graph legal = legalise(graph, dialect);
  const auto first = first_unspelled(legal, dialect);
  if (!first) return {};
  const ir::OpDef& def = legal.def(*first);
  if (is_repeated_or_chosen(def))
    for (size_t i = 0; i < def.attrs.size(); ++i) {
      if (!ir::is_region(def.attrs[i].role)) continue;
      const auto id = std::get<int64_t>(legal.context().get(legal.attrs(*first)[i]));
      const ir::Graph& body = legal.context().get(ir::RegionId(static_cast<uint32_t>(id)));
      if (std::string bad = unspellable(without_memory(body), dialect); !bad.empty()) return bad;
    }
  return fmt::format("{} : {}", def.name, print(legal.context(), legal.type_id(*first)));
}

ir::Graph legalise(const ir::Graph& graph, const Dialect& dialect) {
  ir::Graph current = graph;
  constexpr int kRounds = 8;  // definitions of definitions
  for (int round = 0; round < kRounds && first_unspelled(current, dialect); ++round) {
    ir::Builder builder(current.context(), current.title());
    ir::GraphCopy copy(builder, current);
    copy.inputs();
    for (size_t i = 0; i < current.size(); ++i) {
      const ir::ValueId v(i);
      if (copy[v].valid()) continue;
      const ir::OpDef& def = current.def(v);
      const auto& words = def.older_words ? def.older_words : def.expand;
      const bool has_bodies = is_repeated_or_chosen(def);
      if ((!words && !has_bodies) || spelled(current, v, dialect)) {
        copy.add(v);
        continue;
      }
      std::vector<ir::TypeId> types;
      for (ir::ValueId o : current.operands(v)) types.push_back(current.type_id(o));
      const ir::OpInstance op(current.context(), def, current.attrs(v), types, current.type_id(v));
      const ir::Attempt attempt(builder);
      copy[v] = has_bodies ? control_node(builder, op, copy.operands(v), dialect)
                           : words(builder, op, copy.operands(v));
      // At sizes that the words do not fit, or of regions that they do not say: it cannot be said.
      if (!attempt || !copy[v].valid()) return current;
      copy.name(v);
    }
    current = builder.finish(copy.outputs());
  }
  return current;
}

}  // namespace isomer::formats
