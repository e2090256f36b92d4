#include "formats/onnx_dims.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx-ml.pb.h>

#include <unordered_set>

#include "formats/onnx_nesting.h"
#include "formats/onnx_types.h"
#include "ir/constant.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::formats {

OnnxDims list_onnx_dims(const std::string& path) {
  const google::protobuf::LogSilencer silence;
  const std::shared_ptr<const ir::Storage> storage = ir::map_file(path);
  onnx::ModelProto model;
  parse_model(model, storage->bytes(), path);
  OnnxDims out;
  std::unordered_set<std::string> seen;
  const auto list = [&](const onnx::ValueInfoProto& info, std::vector<std::string>& names) {
    const auto& shape = info.type().tensor_type().shape();
    for (int i = 0; i < shape.dim_size(); ++i) {
      if (shape.dim(i).has_dim_value() && shape.dim(i).dim_value() >= 0) continue;
      const std::string& given = shape.dim(i).dim_param();
      const std::string name = given.empty() || given == "?" ? fmt::format("{}:{}", info.name(), i) : given;
      if (seen.insert(name).second) names.push_back(name);
    }
  };
  for (const onnx::ValueInfoProto& info : model.graph().input()) list(info, out.of_inputs);
  for (const onnx::ValueInfoProto& info : model.graph().value_info()) list(info, out.others);
  for (const onnx::ValueInfoProto& info : model.graph().output()) list(info, out.others);
  return out;
}

std::string with_declared_sizes(const std::string& path, const std::map<std::string, int64_t>& dims) {
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto model;
  const std::string bytes = read_file(path);
  if (!parse_nested(model, bytes)) throw InputError({path, 0, 0}, "expected an ONNX model");
  for (onnx::ValueInfoProto& input : *model.mutable_graph()->mutable_input()) fix_input(input, dims);
  return model.SerializeAsString();
}

void fix_input(onnx::ValueInfoProto& input, const std::map<std::string, int64_t>& dims) {
  if (input.type().has_tensor_type() && input.type().tensor_type().has_shape()) {
    auto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
    for (int i = 0; i < shape.dim_size(); ++i)
      if (const auto it = dims.find(fmt::format("{}:{}", input.name(), i));
          it != dims.end() && !shape.dim(i).has_dim_value() &&
          (!shape.dim(i).has_dim_param() || shape.dim(i).dim_param() == "?"))
        shape.mutable_dim(i)->set_dim_value(it->second);
  }
  fix_dims(*input.mutable_type(), dims);
}

}  // namespace isomer::formats
