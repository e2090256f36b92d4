#include "formats/onnx_opaque_types.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx_types.h"
#include "ir/size_at.h"

namespace isomer::formats {
namespace {

using ir::Dim;
using ir::TypeId;
using ir::ValueId;

/// Larger nodes (bodies that hold weights) are not sent about.
constexpr size_t kMostNodeBytes = size_t{1} << 22;

bool says_nothing(const ir::Type& type) { return type.kind == ir::TypeKind::kOpaque && type.opaque.empty(); }

/// A small tensor of which every element is a number, as an initializer.
bool write_constant(const ir::Type& type, std::span<const eval::SizeElement> elements,
                    onnx::TensorProto& out) {
  if (elements.empty() || !type.is_static_tensor() ||
      static_cast<int64_t>(elements.size()) != ir::element_count(type.shape))
    return false;
  out.set_data_type(onnx_number(type.dtype));
  for (Dim d : type.shape) out.add_dims(d.size());
  for (const eval::SizeElement& e : elements) {
    const std::optional<int64_t> whole = eval::as_number(e);
    const auto* real = std::get_if<double>(&e);
    if (type.dtype == ir::DType::kI64 && whole)
      out.add_int64_data(*whole);
    else if ((type.dtype == ir::DType::kI32 || type.dtype == ir::DType::kBool) && whole)
      out.add_int32_data(static_cast<int32_t>(*whole));
    else if (type.dtype == ir::DType::kF32 && real)
      out.add_float_data(static_cast<float>(*real));
    else
      return false;
  }
  return true;
}

/// A model of the one node, its operands as inputs or, where they are known numbers, as initializers.
onnx::ModelProto question(const ir::Graph& graph, eval::SizeValues& sizes, const onnx::ModelProto& model,
                          const onnx::NodeProto& node, const NamedValues& values) {
  onnx::ModelProto out;
  out.set_ir_version(model.ir_version());
  *out.mutable_opset_import() = model.opset_import();
  *out.mutable_functions() = model.functions();
  onnx::GraphProto& body = *out.mutable_graph();
  body.set_name("question");
  *body.add_node() = node;
  std::unordered_set<std::string> seen;
  for (const auto& [name, v] : values) {
    if (!seen.insert(name).second) continue;
    onnx::TensorProto constant;
    if (write_constant(graph.type(v), sizes.of(v), constant)) {
      constant.set_name(name);
      *body.add_initializer() = std::move(constant);
      continue;
    }
    onnx::ValueInfoProto& input = *body.add_input();
    input.set_name(name);
    onnx::TypeProto type;
    if (write_type(graph.context(), graph.type_id(v), type)) *input.mutable_type() = std::move(type);
  }
  return out;
}

/// The names of dimensions that the question has; others in an answer mean something there only.
std::unordered_set<std::string> names_in(const onnx::ModelProto& question) {
  std::unordered_set<std::string> names;
  for (const auto& input : question.graph().input())
    for (const auto& dim : input.type().tensor_type().shape().dim()) names.insert(dim.dim_param());
  return names;
}

/// The tensor of the type, or of what a sequence or an optional value holds; null where there is another.
onnx::TypeProto_Tensor* tensor_in(onnx::TypeProto& type) {
  if (type.has_tensor_type()) return type.mutable_tensor_type();
  if (type.has_sequence_type()) return tensor_in(*type.mutable_sequence_type()->mutable_elem_type());
  if (type.has_optional_type()) return tensor_in(*type.mutable_optional_type()->mutable_elem_type());
  return nullptr;
}

bool may_be_asked(const onnx::ModelProto& model, const onnx::NodeProto& node) {
  const bool standard = node.domain().empty() || node.domain().starts_with("ai.onnx");
  const bool function = std::ranges::any_of(model.functions(), [&](const onnx::FunctionProto& f) {
    return f.domain() == node.domain() && f.name() == node.op_type();
  });
  return (standard || function) && node.ByteSizeLong() <= kMostNodeBytes;
}

}  // namespace

bool is_settled(const ir::Context& ctx, TypeId id) {
  const ir::Type& type = ctx.get(id);
  if (!type.is_tensor()) return !says_nothing(type);
  return type.ranked && std::ranges::none_of(type.shape, [](Dim d) { return d.is_unknown(); });
}

bool any_left_open(const ir::Graph& graph, std::span<const ValueId> values,
                   std::span<const ir::SymbolId> given) {
  const ir::Context& ctx = graph.context();
  const auto is_given = [&](ir::SymbolId name) { return std::ranges::find(given, name) != given.end(); };
  return std::ranges::any_of(values, [&](ValueId v) {
    if (graph.def(v).is(ir::Core::kInput)) return false;
    return !is_settled(ctx, graph.type_id(v)) || std::ranges::any_of(graph.type(v).shape, [&](Dim d) {
      return d.is_symbol() && !std::ranges::all_of(ir::names_in(ctx, d), is_given);
    });
  });
}

TypeId agreed_type(ir::Context& ctx, TypeId ours, TypeId declared) {
  if (!ours.valid()) return declared.valid() ? declared : ctx.intern(ir::Type::unknown());
  if (!declared.valid() || says_nothing(ctx.get(declared))) return ours;
  const ir::Type& a = ctx.get(ours);
  const ir::Type& b = ctx.get(declared);
  if (!a.is_tensor() || !b.is_tensor()) return declared;
  if (a.dtype != b.dtype || !b.ranked) return ours;
  if (!a.ranked) return declared;
  if (a.shape.size() != b.shape.size()) return ours;
  const ir::DType dtype = a.dtype;
  ir::Shape shape = a.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (!shape[i].is_static() && !b.shape[i].is_unknown()) shape[i] = b.shape[i];
  return ctx.tensor_type(dtype, std::move(shape));
}

TypeId filled_type(ir::Context& ctx, TypeId known, TypeId claim) {
  if (!claim.valid()) return known;
  const ir::Type& a = ctx.get(known);
  const ir::Type& b = ctx.get(claim);
  if (says_nothing(a)) return claim;
  if (!a.is_tensor() || !b.is_tensor() || a.dtype != b.dtype || !b.ranked) return known;
  if (!a.ranked) return claim;
  if (a.shape.size() != b.shape.size()) return known;
  const ir::DType dtype = a.dtype;
  ir::Shape shape = a.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is_unknown()) shape[i] = b.shape[i];
  const TypeId out = ctx.tensor_type(dtype, std::move(shape));
  return is_countable(ctx, out) ? out : known;
}

void OpaqueTypes::settle(const onnx::ModelProto& model, const onnx::NodeProto& node,
                         const NamedValues& values, std::string_view key,
                         const std::unordered_set<std::string>& used, std::vector<TypeId>& known) {
  ir::Context& ctx = builder_.context();
  const auto open = [&](int i) {
    return used.contains(node.output(i)) && !is_settled(ctx, known[static_cast<size_t>(i)]);
  };
  const auto any_open = [&] {
    for (int i = 0; i < node.output_size(); ++i)
      if (open(i)) return true;
    return false;
  };
  if (!any_open()) return;
  std::pair node_and_terms{std::string(key), std::vector<uint32_t>{}};
  for (const auto& [name, v] : values) node_and_terms.second.push_back(term(v));
  if (const auto it = settled_.find(node_and_terms); it != settled_.end()) {
    for (size_t i = 0; i < known.size(); ++i)
      if (open(static_cast<int>(i))) known[i] = filled_type(ctx, known[i], it->second[i]);
  }
  if (any_open() && may_be_asked(model, node) && infer_) {
    const std::vector<TypeId> claims = ask(model, node, values);
    for (int i = 0; i < node.output_size(); ++i) {
      if (!open(i)) continue;
      TypeId& type = known[static_cast<size_t>(i)];
      const TypeId filled = filled_type(ctx, type, claims[static_cast<size_t>(i)]);
      inferred_ += filled != type;
      type = filled;
    }
  }
  for (int i = 0; i < node.output_size(); ++i)
    if (open(i)) known[static_cast<size_t>(i)] = fresh(known[static_cast<size_t>(i)], node.output(i));
  settled_.emplace(std::move(node_and_terms), known);
}

std::vector<TypeId> OpaqueTypes::ask(const onnx::ModelProto& model, const onnx::NodeProto& node,
                                     const NamedValues& values) {
  ir::Context& ctx = builder_.context();
  const onnx::ModelProto asked = question(builder_.so_far(), sizes_, model, node, values);
  const std::vector<std::string> answers = infer_(asked.SerializeAsString());
  const std::unordered_set<std::string> ours = names_in(asked);
  std::unordered_map<std::string, std::string> theirs;  // a name of theirs: ours for it
  std::vector<TypeId> claims(static_cast<size_t>(node.output_size()));
  for (size_t i = 0; i < std::min(claims.size(), answers.size()); ++i) {
    onnx::TypeProto type;
    if (answers[i].empty() || !type.ParseFromString(answers[i])) continue;
    onnx::TypeProto_Tensor* const tensor = tensor_in(type);
    if (tensor != nullptr && !element_type(tensor->elem_type())) continue;  // it would hide what nobody knows
    if (tensor != nullptr && tensor->has_shape()) {
      const bool inner = !type.has_tensor_type();
      for (int d = 0; d < tensor->shape().dim_size(); ++d) {
        auto& dim = *tensor->mutable_shape()->mutable_dim(d);
        if (dim.has_dim_value() && dim.dim_value() < 0) dim.clear_dim_value();
        if (!dim.has_dim_param() || ours.contains(dim.dim_param())) continue;
        const std::string name = fmt::format("{}:{}", node.output(static_cast<int>(i)), d);
        if (inner)
          dim.clear_dim_param();  // the tensors of a sequence need not be alike
        else
          dim.set_dim_param(theirs.emplace(dim.dim_param(), name).first->second);
      }
    }
    claims[i] = read_type(ctx, type);
  }
  return claims;
}

TypeId OpaqueTypes::fresh(TypeId id, const std::string& name) {
  ir::Context& ctx = builder_.context();
  const ir::Type& type = ctx.get(id);
  if (!type.is_ranked_tensor()) return id;
  const ir::DType dtype = type.dtype;
  ir::Shape shape = type.shape;
  for (size_t i = 0; i < shape.size(); ++i)
    if (shape[i].is_unknown()) shape[i] = Dim::symbol(ctx.symbol(fmt::format("{}:{}", name, i)));
  return ctx.tensor_type(dtype, std::move(shape));
}

uint32_t OpaqueTypes::term(ValueId v) {
  const ir::Graph& graph = builder_.so_far();
  while (terms_.size() <= v.index()) {
    const ValueId next(terms_.size());
    std::vector<uint32_t> what = {graph.op(next).v, graph.payload(next).v};
    for (ValueId o : graph.operands(next)) what.push_back(terms_[o.index()]);
    terms_.push_back(numbers_.emplace(std::move(what), static_cast<uint32_t>(numbers_.size())).first->second);
  }
  return terms_[v.index()];
}

}  // namespace isomer::formats
