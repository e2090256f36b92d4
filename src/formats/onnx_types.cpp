#include "formats/onnx_types.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <algorithm>

#include "formats/onnx_nesting.h"
#include "ir/size_formula.h"
#include "ir/size_words.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

void fix_shape(onnx::TensorShapeProto& shape, const DimValues& dims) {
  for (onnx::TensorShapeProto_Dimension& dim : *shape.mutable_dim())
    if (dim.has_dim_param())
      if (const auto it = dims.find(dim.dim_param()); it != dims.end()) dim.set_dim_value(it->second);
}

}  // namespace

void fix_dims(onnx::TypeProto& type, const DimValues& dims) {
  if (dims.empty()) return;
  switch (type.value_case()) {
    case onnx::TypeProto::kTensorType:
      if (type.tensor_type().has_shape()) fix_shape(*type.mutable_tensor_type()->mutable_shape(), dims);
      break;
    case onnx::TypeProto::kSparseTensorType:
      if (type.sparse_tensor_type().has_shape())
        fix_shape(*type.mutable_sparse_tensor_type()->mutable_shape(), dims);
      break;
    case onnx::TypeProto::kSequenceType:
      fix_dims(*type.mutable_sequence_type()->mutable_elem_type(), dims);
      break;
    case onnx::TypeProto::kOptionalType:
      fix_dims(*type.mutable_optional_type()->mutable_elem_type(), dims);
      break;
    case onnx::TypeProto::kMapType: fix_dims(*type.mutable_map_type()->mutable_value_type(), dims); break;
    default: break;
  }
}

bool is_standard_domain(std::string_view domain) { return domain.empty() || domain == "ai.onnx"; }

std::optional<ir::DType> element_type(int64_t number) {
  for (int i = 1; number > 0 && i < ir::dtype_count(); ++i)
    if (const auto dtype = static_cast<ir::DType>(i); ir::row(dtype).onnx == number) return dtype;
  return std::nullopt;
}

int onnx_number(ir::DType dtype) {
  const int number = ir::row(dtype).onnx;
  if (number == 0) throw InputError(fmt::format("ONNX has no element type {}", ir::name(dtype)));
  return number;
}

std::unordered_set<std::string> counted_results(const onnx::GraphProto& graph) {
  std::unordered_set<std::string> out;
  for (const onnx::NodeProto& node : graph.node())
    if (is_standard_domain(node.domain()) &&
        (node.op_type() == "Compress" || node.op_type() == "NonZero" || node.op_type() == "Unique" ||
         node.op_type() == "NonMaxSuppression"))
      out.insert(node.output().begin(), node.output().end());
  return out;
}

ir::TypeId read_type(ir::Context& ctx, const onnx::TypeProto& type, const std::string& symbol_prefix) {
  if (type.value_case() == onnx::TypeProto::VALUE_NOT_SET) return ctx.intern(ir::Type::unknown());
  const int element = type.value_case() == onnx::TypeProto::kTensorType ? type.tensor_type().elem_type() : 0;
  const std::optional<ir::DType> dtype = element_type(element);
  if (!dtype) return ctx.intern(ir::Type::unknown(type.SerializeAsString()));
  if (!type.tensor_type().has_shape()) return ctx.intern(ir::Type::unranked(*dtype));
  ir::Shape shape;
  for (const onnx::TensorShapeProto_Dimension& dim : type.tensor_type().shape().dim()) {
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      shape.emplace_back(dim.dim_value());
    else if (dim.has_dim_param() && !dim.dim_param().empty() && dim.dim_param() != "?") {
      // Some exporters call all dimensions "?".
      const bool from_outside = !symbol_prefix.empty();
      shape.push_back(from_outside ? ir::Dim::symbol(ir::own_name(ctx, dim.dim_param()))
                                   : ir::said_dim(ctx, dim.dim_param()));
    } else if (!symbol_prefix.empty())
      shape.push_back(ir::Dim::symbol(ctx.symbol(symbol_prefix + ":" + std::to_string(shape.size()))));
    else
      shape.push_back(ir::Dim::unknown());
  }
  const ir::TypeId known = ctx.tensor_type(*dtype, std::move(shape));
  return is_countable(ctx, known) ? known : ctx.intern(ir::Type::unranked(*dtype));
}

bool is_countable(const ir::Context& ctx, ir::TypeId id) {
  const ir::Type& type = ctx.get(id);
  for (ir::TypeId e : type.elements)
    if (!is_countable(ctx, e)) return false;
  constexpr int64_t kMost = int64_t{1} << 56;
  int64_t count = 1;
  for (ir::Dim d : type.shape) {
    const int64_t size = d.is_static() ? std::max<int64_t>(d.size(), 1) : 1;
    if (size > kMost / count) return false;
    count *= size;
  }
  return true;
}

bool write_type(const ir::Context& ctx, ir::TypeId id, onnx::TypeProto& out) {
  const ir::Type& type = ctx.get(id);
  if (type.kind == ir::TypeKind::kOpaque) return !type.opaque.empty() && parse_nested(out, type.opaque);
  if (!type.is_tensor() || type.dtype == ir::DType::kUndefined) return false;
  onnx::TypeProto_Tensor& tensor = *out.mutable_tensor_type();
  tensor.set_elem_type(onnx_number(type.dtype));
  if (!type.ranked) return true;
  onnx::TensorShapeProto& shape = *tensor.mutable_shape();
  for (ir::Dim d : type.shape) {
    onnx::TensorShapeProto_Dimension& dim = *shape.add_dim();
    if (d.is_static()) dim.set_dim_value(d.size());
    if (d.is_symbol()) dim.set_dim_param(ctx.get(d.symbol()));
  }
  return true;
}

bool compatible(const ir::Context& ctx, ir::TypeId x, ir::TypeId y) {
  const ir::Type& a = ctx.get(x);
  const ir::Type& b = ctx.get(y);
  if (x == y || (a.kind == ir::TypeKind::kOpaque && a.opaque.empty()) ||
      (b.kind == ir::TypeKind::kOpaque && b.opaque.empty()))
    return true;
  if (a.kind != b.kind) return false;
  if (!a.is_tensor()) return true;  // foreign types: the text may differ in names of dimensions
  if (a.dtype != b.dtype) return false;
  if (!a.ranked || !b.ranked) return true;
  if (a.shape.size() != b.shape.size()) return false;
  for (size_t i = 0; i < a.shape.size(); ++i)
    if (a.shape[i].is_static() && b.shape[i].is_static() && a.shape[i] != b.shape[i]) return false;
  return true;
}

}  // namespace isomer::formats
