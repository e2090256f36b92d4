#include "formats/sexpr/sexpr.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::formats {
namespace {

std::string root() { return std::string(ISOMER_SOURCE_DIR) + "/tests/"; }

TEST(Sexpr, DagsComeBackLineForLine) {
  for (const char* name : {"bert", "inceptionv3", "mobilenetv2", "nasneta", "nasrnn", "resnet50", "resnext50",
                           "squeezenet", "vgg"}) {
    ir::Context ctx(ir::standard_ops());
    const std::string path = fmt::format("{}data/tensat/models/dag/{}.dag", root(), name);
    const ir::Graph graph = read_sexpr_file(ctx, path);
    ir::Context other(ir::standard_ops());
    const std::string written = write_dag(graph);
    const ir::Graph again = read_dag(other, written, "written");
    EXPECT_EQ(write_dag(again), written) << name;
    EXPECT_EQ(again.size(), graph.size()) << name;
    const std::string original = read_file(path);
    EXPECT_EQ(std::ranges::count(written, '\n'),
              std::ranges::count(original, '\n') + (original.empty() || original.back() == '\n' ? 0 : 1))
        << name;
  }
}

// TENSAT wrote the .dag from the .model: the same operators at the same types.
TEST(Sexpr, ModelsAreTheirDags) {
  for (const char* name : {"inceptionv3", "mobilenetv2", "squeezenet", "vgg"}) {
    ir::Context ctx(ir::standard_ops());
    const auto census = [&](const ir::Graph& g) {
      std::map<std::string, int> counts;
      for (size_t i = 0; i < g.size(); ++i)
        if (g.def(ir::ValueId(i)).name != "input" && g.def(ir::ValueId(i)).name != "weight")
          ++counts[fmt::format("{} {} {}", g.def(ir::ValueId(i)).name, g.payload(ir::ValueId(i)).v,
                               ir::print(ctx, g.type_id(ir::ValueId(i))))];
      return counts;
    };
    const ir::Graph model = read_sexpr_file(ctx, fmt::format("{}data/tensat/models/{}.model", root(), name));
    const ir::Graph dag = read_sexpr_file(ctx, fmt::format("{}data/tensat/models/dag/{}.dag", root(), name));
    EXPECT_EQ(census(model), census(dag)) << name;
  }
  ir::Context ctx(ir::standard_ops());
  EXPECT_EQ(read_sexpr_file(ctx, root() + "data/tensat/models/bts.model").outputs().size(), 1u);
}

TEST(Sexpr, TermsRoundTrip) {
  ir::Context ctx(ir::standard_ops());
  const std::string text =
      "(ewadd (split_0 (split 1 (matmul 2 (input x@4_8) (weight w@8_6)) 2)) (reshape (transpose (weight "
      "b@2_4) 1_0 1) 4_2))";
  const ir::Graph graph = read_term(ctx, text, "text");
  EXPECT_EQ(write_term(graph), text);
  EXPECT_EQ(ir::print(ctx, graph.type_id(graph.outputs()[0])), "f32[4,2]");
}

TEST(Sexpr, SplitsOfModelFilesHaveTheirParts) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph g =
      read_model(ctx, "100\n0\n10:0\n4,8\n101\n13\n100:0\n1,3,5\n102\n8\n101:1\n4,5\n", "m.model");
  EXPECT_EQ(ir::print(ctx, g.type_id(g.outputs()[0])), "f32[4,5]");
}

struct Bad {
  const char* file;
  const char* message;
};

TEST(Sexpr, BadFilesSayWhereAndWhatWasExpected) {
  for (const Bad& bad :
       {Bad{"unknown_word.dag", ":3: expected an operator of TENSAT's language, found 'frobnicate'"},
        Bad{"forward_reference.dag", ":3: relu, child 1: expected the number of an earlier line"},
        Bad{"ill_typed.dag", ":4: matmul: taso.matmul: expected 3 rows"},
        Bad{"attribute_root.dag", ":3: expected an operator on the last line"},
        Bad{"bad_dims.dag", ":2: expected dimensions d0_d1_..., found '2_x'"},
        Bad{"empty.dag", "expected at least one node"},
        Bad{"cut_off.model", ":3: expected four lines a node"},
        Bad{"unknown_number.model", ":5: expected an operator number of the .model format, found 99"},
        Bad{"missing_node.model", ":5: input 1: there is no node 102"},
        Bad{"unclosed.sexpr", ":2:1: expected ')'"},
        Bad{"split_without_position.sexpr", ":1:11: expected a split with its position"},
        Bad{"trailing.sexpr", ":1:22: expected the end of the text"}}) {
    ir::Context ctx(ir::standard_ops());
    try {
      read_sexpr_file(ctx, root() + "error/sexpr/" + bad.file);
      FAIL() << bad.file << " was accepted";
    } catch (const InputError& e) {
      EXPECT_NE(
          std::string(e.what()).find(std::string(bad.file) + (bad.message[0] == ':' ? bad.message : "")),
          std::string::npos)
          << e.what();
      EXPECT_NE(std::string(e.what()).find(bad.message), std::string::npos) << e.what();
    }
  }
}

}  // namespace
}  // namespace isomer::formats
