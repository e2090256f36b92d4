#include "formats/onnx_tensor.h"

#include <fmt/format.h>
#include <onnx-ml.pb.h>

#include <cstring>

#include "formats/onnx_types.h"
#include "support/errors.h"

namespace isomer::formats {
namespace {

constexpr int64_t kMostElements = int64_t{1} << 48;

/// Field values narrowed to the element's stored width (little-endian): the low bytes.
template <class Values>
std::vector<std::byte> narrowed(const Values& values, size_t width) {
  std::vector<std::byte> bytes(static_cast<size_t>(values.size()) * width);
  for (int i = 0; i < values.size(); ++i) {
    const auto value = values.Get(i);
    std::memcpy(bytes.data() + static_cast<size_t>(i) * width, &value, width);
  }
  return bytes;
}

/// What the typed field of this element type holds, as raw bytes.
std::vector<std::byte> typed_bytes(const onnx::TensorProto& tensor, ir::DType dtype) {
  using ir::DType;
  switch (dtype) {
    case DType::kF32:
    case DType::kC64: return narrowed(tensor.float_data(), 4);
    case DType::kF64:
    case DType::kC128: return narrowed(tensor.double_data(), 8);
    case DType::kI64: return narrowed(tensor.int64_data(), 8);
    case DType::kU64: return narrowed(tensor.uint64_data(), 8);
    case DType::kU32: return narrowed(tensor.uint64_data(), 4);
    default: {
      const int bits = ir::bit_width(dtype);
      return narrowed(tensor.int32_data(), bits < 8 ? 1 : static_cast<size_t>(bits) / 8);
    }
  }
}

}  // namespace

std::optional<ir::Constant> read_tensor(ir::Context& ctx, const onnx::TensorProto& tensor,
                                        TensorSource& source, std::optional<ByteRange> cut) {
  const auto fail = [&](const std::string& message) {
    throw InputError({source.file, 0, 0}, fmt::format("tensor '{}': {}", tensor.name(), message));
  };
  if (tensor.data_type() == 0) fail("expected an element type");
  const std::optional<ir::DType> known = element_type(tensor.data_type());
  if (!known || ir::bit_width(*known) == 0) return std::nullopt;
  const ir::DType dtype = *known;
  if (tensor.has_segment()) fail("tensors in segments are not supported");

  ir::Shape shape;
  int64_t count = 1;
  for (int64_t d : tensor.dims()) {
    if (d < 0) fail(fmt::format("expected dimensions of at least 0, got {}", d));
    if (d > 0 && count > kMostElements / d) fail("expected fewer elements");
    count *= d;
    shape.emplace_back(d);
  }
  ir::Constant constant;
  constant.type = ctx.tensor_type(dtype, shape);
  const auto needed = static_cast<size_t>(ir::byte_size(dtype, count));
  const auto check = [&](size_t have) {
    if (have != needed)
      fail(fmt::format("expected {} bytes of data for {}, got {}", needed, print(ctx, constant.type), have));
  };
  if (tensor.data_location() == onnx::TensorProto::EXTERNAL) {
    const ExternalFiles::Piece piece = source.external.find(tensor);
    bool has_length = false;
    for (const auto& entry : tensor.external_data()) has_length |= entry.key() == "length";
    if (has_length || piece.length < needed) check(piece.length);
    constant.storage = piece.storage;
    constant.offset = piece.offset;
  } else if (cut) {
    check(cut->length);
    constant.storage = source.storage;
    constant.offset = cut->offset;
  } else {
    std::vector<std::byte> bytes;
    if (tensor.has_raw_data()) {
      bytes.resize(tensor.raw_data().size());
      if (!bytes.empty()) std::memcpy(bytes.data(), tensor.raw_data().data(), bytes.size());
    } else {
      bytes = typed_bytes(tensor, dtype);
    }
    check(bytes.size());
    constant.storage = ir::make_buffer(std::move(bytes));
  }
  constant.length = needed;
  return constant;
}

std::optional<onnx::TensorProto> constant_node(const onnx::NodeProto& node) {
  if (node.op_type() != "Constant" || node.attribute_size() != 1 || node.output_size() != 1 ||
      node.input_size() != 0)
    return std::nullopt;
  const onnx::AttributeProto& a = node.attribute(0);
  onnx::TensorProto proto;
  if (a.name() == "value" && a.has_t()) {
    proto = a.t();
  } else if (a.name() == "value_float") {
    proto.set_data_type(onnx::TensorProto::FLOAT);
    proto.add_float_data(a.f());
  } else if (a.name() == "value_floats") {
    proto.set_data_type(onnx::TensorProto::FLOAT);
    proto.add_dims(a.floats_size());
    *proto.mutable_float_data() = a.floats();
  } else if (a.name() == "value_int") {
    proto.set_data_type(onnx::TensorProto::INT64);
    proto.add_int64_data(a.i());
  } else if (a.name() == "value_ints") {
    proto.set_data_type(onnx::TensorProto::INT64);
    proto.add_dims(a.ints_size());
    *proto.mutable_int64_data() = a.ints();
  } else {
    return std::nullopt;
  }
  proto.set_name(node.output(0));
  return proto;
}

void write_tensor_head(const ir::Context& ctx, const ir::Constant& constant, const std::string& name,
                       onnx::TensorProto& out) {
  const ir::Type& type = ctx.get(constant.type);
  for (ir::Dim d : type.shape) out.add_dims(d.size());
  out.set_data_type(onnx_number(type.dtype));
  if (!name.empty()) out.set_name(name);
}

void internalise(onnx::TensorProto& tensor, TensorSource& source) {
  if (tensor.data_location() != onnx::TensorProto::EXTERNAL) return;
  const ExternalFiles::Piece piece = source.external.find(tensor);
  const auto bytes = piece.storage->bytes().subspan(piece.offset, piece.length);
  tensor.set_raw_data(bytes.data(), bytes.size());
  tensor.clear_external_data();
  tensor.clear_data_location();
}

namespace {

void internalise(onnx::GraphProto& graph, TensorSource& source) {
  for (onnx::TensorProto& t : *graph.mutable_initializer()) formats::internalise(t, source);
  for (onnx::NodeProto& n : *graph.mutable_node()) formats::internalise(n, source);
}

}  // namespace

void internalise(onnx::NodeProto& node, TensorSource& source) {
  for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
    if (attribute.has_t()) internalise(*attribute.mutable_t(), source);
    for (onnx::TensorProto& t : *attribute.mutable_tensors()) internalise(t, source);
    if (attribute.has_g()) internalise(*attribute.mutable_g(), source);
    for (onnx::GraphProto& g : *attribute.mutable_graphs()) internalise(g, source);
  }
}

}  // namespace isomer::formats
