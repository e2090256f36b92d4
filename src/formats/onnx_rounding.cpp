#include "formats/onnx_rounding.h"

#include <google/protobuf/stubs/logging.h>
#include <onnx-ml.pb.h>

#include <utility>

#include "formats/onnx_nesting.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::formats {
namespace {

/// A name that the model has too makes a file that no runtime takes.
constexpr const char* kAsComputed = "~as_computed";

void round_results(onnx::GraphProto& graph) {
  google::protobuf::RepeatedPtrField<onnx::NodeProto> nodes;
  for (onnx::NodeProto& node : *graph.mutable_node()) {
    for (onnx::AttributeProto& attribute : *node.mutable_attribute()) {
      if (attribute.has_g()) round_results(*attribute.mutable_g());
      for (onnx::GraphProto& body : *attribute.mutable_graphs()) round_results(body);
    }
    onnx::NodeProto& kept = *nodes.Add();
    kept = std::move(node);
    for (std::string& output : *kept.mutable_output()) {
      if (output.empty()) continue;
      onnx::NodeProto& copy = *nodes.Add();
      copy.set_op_type("Identity");
      copy.add_output(output);
      output += kAsComputed;
      copy.add_input(output);
    }
  }
  graph.mutable_node()->Swap(&nodes);
}

}  // namespace

std::string with_results_rounded(const std::string& path) {
  const google::protobuf::LogSilencer silence;
  onnx::ModelProto model;
  const std::string bytes = read_file(path);
  if (!parse_nested(model, bytes)) throw InputError({path, 0, 0}, "expected an ONNX model");
  round_results(*model.mutable_graph());
  return model.SerializeAsString();
}

}  // namespace isomer::formats
