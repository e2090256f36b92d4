#include "formats/onnx_dims.h"

#include <fmt/format.h>
#include <google/protobuf/stubs/logging.h>
#include <onnx-ml.pb.h>

#include <unordered_set>

#include "formats/onnx_nesting.h"
#include "ir/constant.h"
#include "support/errors.h"

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

}  // namespace isomer::formats
