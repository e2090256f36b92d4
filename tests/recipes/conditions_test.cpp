// Which conditions of a model are watched.
#include "recipes/conditions.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "formats/onnx.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {
namespace fs = std::filesystem;

/// Operators of the conditions of a model on x of the type: whether the result of the body, a number, is 0.
std::vector<std::string> watched(const std::string& type, const std::string& body) {
  const std::string path =
      (fs::temp_directory_path() / ("isomer-conditions-" + std::to_string(::getpid()) + ".onnx")).string();
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : " + type + "[4] " + body +
                                                   " %r = cast{to=bool}(%q) : bool[4] return %r }");
  formats::write_onnx(graph, *formats::OnnxEnvelope::plain(graph), path);
  std::vector<std::string> out;
  for (const runtime::Condition& c : conditions_of(path, formats::read_onnx(ctx, path).graph))
    out.push_back(c.op);
  fs::remove(path);
  return out;
}

// Counts of what holds are integers, or floats as exporters make them of masks; no comparison need be near.
TEST(Conditions, NumbersThatAreCastToBoolsAreWatched) {
  const std::vector<std::string> cast{"Cast"};
  EXPECT_EQ(watched("i64", "%q = abs(%x) : i64[4]"), cast);
  EXPECT_EQ(watched("f32", "%q = abs(%x) : f32[4]"), cast);
  EXPECT_EQ(watched("i64", "%f = cast{to=f32}(%x) : f32[4] %q = abs(%f) : f32[4]"), cast);
  EXPECT_TRUE(watched("bool", "%q = not(%x) : bool[4]").empty());
}

}  // namespace
}  // namespace isomer::recipes
