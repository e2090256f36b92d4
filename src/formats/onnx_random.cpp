#include "formats/onnx_random.h"

#include <onnx-ml.pb.h>

#include <algorithm>
#include <array>

#include "formats/onnx_types.h"

namespace isomer::formats {
namespace {

constexpr std::array kRandom = {"RandomNormal",      "RandomNormalLike", "RandomUniform",
                                "RandomUniformLike", "Bernoulli",        "Multinomial"};
constexpr const char* kDropout = "Dropout";  // random where it trains
constexpr int kTrainingMode = 2;             // its input

bool is_false(const onnx::TensorProto& tensor) {
  if (tensor.data_type() != onnx::TensorProto::BOOL) return false;
  if (tensor.raw_data().empty() && tensor.int32_data().empty()) return false;
  const auto zero = [](auto x) { return x == 0; };
  return std::ranges::all_of(tensor.raw_data(), zero) && std::ranges::all_of(tensor.int32_data(), zero);
}

template <class Nodes>
void add_false_constants(const Nodes& nodes, std::unordered_set<std::string>& names) {
  for (const onnx::NodeProto& node : nodes)
    if (node.op_type() == "Constant" && node.attribute_size() == 1 && node.attribute(0).has_t() &&
        is_false(node.attribute(0).t()))
      names.insert(node.output().begin(), node.output().end());
}

void add_false_constants(const onnx::GraphProto& graph, std::unordered_set<std::string>& names) {
  for (const onnx::TensorProto& tensor : graph.initializer())
    if (is_false(tensor)) names.insert(tensor.name());
  add_false_constants(graph.node(), names);
}

std::string function_key(const std::string& domain, const std::string& name) { return domain + "|" + name; }

}  // namespace

bool is_random(const onnx::NodeProto& node) {
  return is_standard_domain(node.domain()) &&
         (node.op_type() == kDropout || std::ranges::find(kRandom, node.op_type()) != kRandom.end());
}

RandomNodes::RandomNodes(const onnx::ModelProto& model) {
  add_false_constants(model.graph(), constant_false_);
  // A default that a caller may override is no constant.
  if (model.ir_version() >= 4)
    for (const onnx::ValueInfoProto& input : model.graph().input()) constant_false_.erase(input.name());
  // Functions call functions.
  for (size_t known = 0;; known = functions_.size()) {
    for (const onnx::FunctionProto& f : model.functions())
      if (draws(f)) functions_.insert(function_key(f.domain(), f.name()));
    if (functions_.size() == known) break;
  }
}

bool RandomNodes::draws(const onnx::FunctionProto& function) const {
  Names constant_false;
  add_false_constants(function.node(), constant_false);
  return std::ranges::any_of(function.node(),
                             [&](const onnx::NodeProto& n) { return draws(n, constant_false); });
}

bool RandomNodes::draws(const onnx::GraphProto& body, const Names& outer) const {
  Names constant_false = outer;
  add_false_constants(body, constant_false);
  return std::ranges::any_of(body.node(), [&](const onnx::NodeProto& n) { return draws(n, constant_false); });
}

bool RandomNodes::draws(const onnx::NodeProto& node, const Names& constant_false) const {
  if (functions_.contains(function_key(node.domain(), node.op_type()))) return true;
  for (const onnx::AttributeProto& a : node.attribute())
    if ((a.has_g() && draws(a.g(), constant_false)) ||
        std::ranges::any_of(a.graphs(), [&](const onnx::GraphProto& g) { return draws(g, constant_false); }))
      return true;
  if (!is_random(node)) return false;
  // ONNX Runtime 1.31 leaves some out that train, seed or not, depending on what stands before them.
  if (node.op_type() == kDropout)
    return node.input_size() > kTrainingMode && !node.input(kTrainingMode).empty() &&
           !constant_false.contains(node.input(kTrainingMode));
  return std::ranges::none_of(node.attribute(), [](const auto& a) { return a.name() == "seed"; });
}

}  // namespace isomer::formats
