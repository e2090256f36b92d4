// What a runtime refuses is told with the operator that its message speaks of, and without the place in which
// it was tried.
#include "recipes/refusals.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

TEST(Refusals, NameTheOperatorOfTheMessage) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph g {
    %0 = input{name="x"} : f32[2]
    %1 = neg(%0) : f32[2] "a"
    %2 = abs(%1) : f32[2] "ab"
    return %2
  })");
  const Staging place((std::filesystem::temp_directory_path() / "refused.onnx").string());
  formats::write_onnx(graph, *formats::OnnxEnvelope::plain(graph), place.model());
  const auto said = [&](const std::string& message) {
    return refusal("cheapest", place.model(), place.model() + ": " + message);
  };
  EXPECT_EQ(said("Type Error: input 'a' is invalid").node, "Neg that makes 'a'");
  EXPECT_EQ(said("Could not find an implementation for Abs(13)").node, "Abs");
  EXPECT_EQ(said("Abstract failure").node, "");
  EXPECT_EQ(said("failed").message, "failed");
  const std::string text = describe(said("no kernel for Abs"), "onnxruntime 9");
  EXPECT_NE(text.find("a fault of isomer"), std::string::npos);
  EXPECT_NE(text.find("onnxruntime 9 takes the input, but not the candidate \"cheapest\""), std::string::npos)
      << text;
  EXPECT_NE(text.find("(operator: Abs); please report it"), std::string::npos) << text;
}

}  // namespace
}  // namespace isomer::recipes
