// A copy behind every result, wherever the node stands; interfaces stay.
#include "formats/onnx_rounding.h"

#include <gtest/gtest.h>
#include <onnx-ml.pb.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "support/errors.h"

namespace isomer::formats {
namespace {

std::string saved(const std::string& bytes) {
  const auto path =
      std::filesystem::temp_directory_path() / ("isomer_rounding_" + std::to_string(getpid()) + ".onnx");
  std::ofstream(path, std::ios::binary) << bytes;
  return path.string();
}

/// "Op in... > out..." of each node.
std::vector<std::string> nodes_of(const onnx::GraphProto& graph) {
  std::vector<std::string> out;
  for (const onnx::NodeProto& node : graph.node()) {
    std::string text = node.op_type();
    for (const std::string& name : node.input()) text += " " + name;
    text += " >";
    for (const std::string& name : node.output()) text += " " + (name.empty() ? "-" : name);
    out.push_back(text);
  }
  return out;
}

void add(onnx::GraphProto& graph, const std::string& op, const std::string& in,
         const std::vector<std::string>& out) {
  onnx::NodeProto& node = *graph.add_node();
  node.set_op_type(op);
  node.add_input(in);
  for (const std::string& name : out) node.add_output(name);
}

using Nodes = std::vector<std::string>;

TEST(Rounding, CopiesStandBehindResultsInBodiesToo) {
  onnx::ModelProto model;
  onnx::GraphProto& graph = *model.mutable_graph();
  graph.add_output()->set_name("y");
  add(graph, "Dropout", "x", {"d", "", "m"});
  add(graph, "If", "m", {"y"});
  onnx::AttributeProto& branch = *graph.mutable_node(1)->add_attribute();
  branch.set_name("then_branch");
  branch.mutable_g()->add_output()->set_name("r");
  add(*branch.mutable_g(), "Relu", "d", {"r"});

  const std::string path = saved(model.SerializeAsString());
  onnx::ModelProto made;
  ASSERT_TRUE(made.ParseFromString(with_results_rounded(path)));
  std::filesystem::remove(path);
  EXPECT_EQ(nodes_of(made.graph()),
            (Nodes{"Dropout x > d~as_computed - m~as_computed", "Identity d~as_computed > d",
                   "Identity m~as_computed > m", "If m > y~as_computed", "Identity y~as_computed > y"}));
  EXPECT_EQ(nodes_of(made.graph().node(3).attribute(0).g()),
            (Nodes{"Relu d > r~as_computed", "Identity r~as_computed > r"}));
  EXPECT_EQ(made.graph().output(0).name(), "y");
}

TEST(Rounding, WhatIsNoModelIsRefused) {
  const std::string path = saved("no model");
  EXPECT_THROW(with_results_rounded(path), InputError);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace isomer::formats
