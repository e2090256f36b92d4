#include "formats/onnx_numbers.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx-ml.pb.h>

#include <cstring>

#include "formats/onnx_nesting.h"
#include "ir/constant.h"

namespace isomer::formats {
namespace {

constexpr int64_t kFew = 4;

template <class T, class Add>
void raw(const std::string& bytes, Add add) {
  for (size_t at = 0; at + sizeof(T) <= bytes.size(); at += sizeof(T)) {
    T x;
    std::memcpy(&x, bytes.data() + at, sizeof(T));
    add(x);
  }
}

void collect(const onnx::TensorProto& tensor, OnnxNumbers& out) {
  int64_t count = 1;
  for (int64_t d : tensor.dims()) count *= d;
  if (count < 0 || count > kFew) return;
  const auto a_float = [&](double x) { out.floats.insert(x); };
  const auto an_integer = [&](int64_t x) { out.integers.insert(x); };
  for (float x : tensor.float_data()) a_float(x);
  for (double x : tensor.double_data()) a_float(x);
  for (int64_t x : tensor.int64_data()) an_integer(x);
  if (tensor.data_type() != onnx::TensorProto::FLOAT16 && tensor.data_type() != onnx::TensorProto::BFLOAT16)
    for (int32_t x : tensor.int32_data()) an_integer(x);
  switch (tensor.data_type()) {
    case onnx::TensorProto::FLOAT: raw<float>(tensor.raw_data(), a_float); break;
    case onnx::TensorProto::DOUBLE: raw<double>(tensor.raw_data(), a_float); break;
    case onnx::TensorProto::INT64: raw<int64_t>(tensor.raw_data(), an_integer); break;
    case onnx::TensorProto::INT32: raw<int32_t>(tensor.raw_data(), an_integer); break;
    default: break;
  }
}

void collect(const onnx::GraphProto& graph, OnnxNumbers& out, bool initializers);

void collect(const onnx::NodeProto& node, OnnxNumbers& out) {
  for (const onnx::AttributeProto& a : node.attribute()) {
    if (a.type() == onnx::AttributeProto::INT) out.integers.insert(a.i());
    if (a.type() == onnx::AttributeProto::FLOAT) out.floats.insert(a.f());
    out.integers.insert(a.ints().begin(), a.ints().end());
    out.floats.insert(a.floats().begin(), a.floats().end());
    if (a.has_t()) collect(a.t(), out);
    if (a.has_g()) collect(a.g(), out, true);
    for (const onnx::GraphProto& g : a.graphs()) collect(g, out, true);
  }
}

void collect(const onnx::GraphProto& graph, OnnxNumbers& out, bool initializers) {
  for (const onnx::NodeProto& node : graph.node()) collect(node, out);
  if (!initializers) return;
  for (const onnx::TensorProto& tensor : graph.initializer()) collect(tensor, out);
}

}  // namespace

OnnxNumbers list_onnx_numbers(const std::string& path) {
  const google::protobuf::LogSilencer silence;
  const std::shared_ptr<const ir::Storage> storage = ir::map_file(path);
  onnx::ModelProto model;
  parse_model(model, storage->bytes(), path);
  OnnxNumbers out;
  collect(model.graph(), out, false);  // of the model itself the data were left in the file
  for (const auto& function : model.functions())
    for (const onnx::NodeProto& node : function.node()) collect(node, out);
  return out;
}

}  // namespace isomer::formats
