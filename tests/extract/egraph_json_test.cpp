#include "extract/egraph_json.h"

#include <filesystem>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "error/bad_json.h"
#include "extract/extract.h"

namespace isomer::extract {
namespace {

namespace fs = std::filesystem;

struct Known {
  const char* file;
  double dag_cost;  // proved by the gym's own ILP extractors
};

// The costs are the gym's reference results, proved optimal there.
class GymFiles : public testing::TestWithParam<Known> {};

TEST_P(GymFiles, IlpReachesTheProvedOptimum) {
  const SerializedEGraph g =
      read_egraph_json(std::string(ISOMER_SOURCE_DIR "/tests/data/egraphs/") + GetParam().file);
  const Extraction e = extract(g.problem, Extractor::kIlp);
  EXPECT_TRUE(e.optimal);
  EXPECT_NEAR(e.dag_cost, GetParam().dag_cost, 1e-6);
}

TEST_P(GymFiles, WritingAndReadingKeepsTheProblem) {
  const SerializedEGraph g =
      read_egraph_json(std::string(ISOMER_SOURCE_DIR "/tests/data/egraphs/") + GetParam().file);
  const SerializedEGraph h = parse_egraph_json(write_egraph_json(g));
  ASSERT_EQ(h.problem.nodes(), g.problem.nodes());
  ASSERT_EQ(h.problem.classes(), g.problem.classes());
  EXPECT_EQ(h.node_names, g.node_names);
  EXPECT_EQ(h.class_names, g.class_names);
  EXPECT_EQ(h.ops, g.ops);
  for (uint32_t n = 0; n < g.problem.nodes(); ++n) {
    EXPECT_EQ(h.problem.cost(NodeId(n)), g.problem.cost(NodeId(n)));
    EXPECT_TRUE(std::ranges::equal(h.problem.children(NodeId(n)), g.problem.children(NodeId(n))));
  }
  EXPECT_TRUE(std::ranges::equal(h.problem.roots(), g.problem.roots()));
}

INSTANTIATE_TEST_SUITE_P(
    Files, GymFiles,
    testing::Values(Known{"choice.json", 37}, Known{"loop.json", 5}, Known{"paths.json", 5},
                    Known{"tree.json", 15}, Known{"tree_plus_cycles.json", 15},
                    Known{"fuzz_15.json", 130.49342226000923}, Known{"fuzz_30.json", 225.14266977646088},
                    Known{"fuzz_32.json", 103.16425759840209}, Known{"egg_lambda_if_simple.json", 1},
                    Known{"lean_explosion_2.json", 2}, Known{"tensat_vgg_acyclic.json", 4.866774947848171}),
    [](const auto& i) { return fs::path(i.param.file).stem().string(); });

TEST(EGraphJson, DropsStaleRootsAndIgnoresUnknownMembers) {
  const SerializedEGraph g = parse_egraph_json(R"({"comment": {"eclass": [1, {"op": 2}]},
    "nodes": {"a": {"op": "f", "children": ["b", "b", "a"], "eclass": "1", "cost": -1.5, "subsumed": true,
                    "extra": {"op": "no"}},
              "b": {"op": "x", "eclass": "2"}},
    "root_eclasses": ["9", "1", "1"], "class_data": null})");
  ASSERT_EQ(g.problem.nodes(), 2u);
  EXPECT_EQ(g.stale_roots, std::vector<std::string>{"9"});
  EXPECT_EQ(g.problem.roots().size(), 1u);
  EXPECT_EQ(g.problem.cost(NodeId(0)), -1.5);
  EXPECT_EQ(g.problem.cost(NodeId(1)), 1);
  const std::vector<ClassId> children{ClassId(1), ClassId(1), ClassId(0)};
  EXPECT_TRUE(std::ranges::equal(g.problem.children(NodeId(0)), children));
}

TEST(EGraphJson, SelectionNamesClassesAndNodes) {
  const SerializedEGraph g = read_egraph_json(ISOMER_SOURCE_DIR "/tests/data/egraphs/loop.json");
  const Extraction e = extract(g.problem, Extractor::kIlp);
  const auto picks = nlohmann::json::parse(write_selection_json(g, e.selection));
  size_t picked = 0;
  for (uint32_t c = 0; c < g.problem.classes(); ++c) {
    if (!e.selection[ClassId(c)].valid()) continue;
    ++picked;
    EXPECT_EQ(picks.at(g.class_names[c]), g.node_names[e.selection[ClassId(c)].index()]);
  }
  EXPECT_EQ(picks.size(), picked);
}

TEST(EGraphJson, BadFilesSayWhatWasExpected) {
  tests::expect_refused("egraph_json", 15,
                        [](const std::string& text) { parse_egraph_json(text, "bad.json"); });
}

TEST(EGraphJson, KeepsWhatAnEGraphOfOursSays) {
  SerializedEGraph g = parse_egraph_json(R"({"program": "p", "nodes": {
    "a": {"op": "f", "operator": "f{k=1}", "children": ["b"], "eclass": "1"},
    "b": {"op": "x", "value": 7, "eclass": "2"}}, "root_eclasses": ["1"]})");
  EXPECT_EQ(g.program, "p");
  EXPECT_EQ(g.operators, (std::vector<std::string>{"f{k=1}", ""}));
  EXPECT_EQ(g.values, (std::vector<int64_t>{-1, 7}));
  g.types = {"f32[2]", "f32[3]"};
  g.held = {{}, {7, 8}};
  const std::string text = write_egraph_json(g);
  EXPECT_EQ(nlohmann::json::parse(text)["class_data"]["2"]["type"], "f32[3]");
  const SerializedEGraph h = parse_egraph_json(text);
  EXPECT_EQ(h.program, g.program);
  EXPECT_EQ(h.operators, g.operators);
  EXPECT_EQ(h.values, g.values);
  EXPECT_EQ(h.types, g.types);
  EXPECT_EQ(h.held, g.held);
}

TEST(EGraphJson, ReadsSelectionsBack) {
  const SerializedEGraph g = parse_egraph_json(R"({"nodes": {
    "a": {"op": "f", "children": ["b"], "eclass": "1"}, "b": {"op": "x", "eclass": "2"}},
    "root_eclasses": ["1"]})");
  const Selection all = extract(g.problem, Extractor::kIlp).selection;
  EXPECT_EQ(parse_selection_json(g, write_selection_json(g, all)), all);
  for (const char* wrong : {"[]", "{", R"({"3": "a"})", R"({"1": "c"})", R"({"1": 1})"})
    EXPECT_THROW(parse_selection_json(g, wrong), InputError) << wrong;
}

}  // namespace
}  // namespace isomer::extract
