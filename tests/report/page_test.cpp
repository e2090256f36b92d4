// What the page is given to draw, and that nothing in a model can break out of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "ir/op_table.h"
#include "ir/print.h"
#include "report/chain_text.h"
#include "report/drawing.h"
#include "report/graph_diff.h"
#include "report/html.h"
#include "support/limits.h"
#include "support/search_record.h"

namespace isomer::report {
namespace {

constexpr const char* kBefore = R"(graph a {
  %0 = input{name="x"} : f32[2,3]
  %1 = constant : f32[] {2}
  %2 = broadcast{shape=[2,3]}(%1) : f32[2,3]
  %3 = mul(%0, %2) : f32[2,3] "scaled"
  %4 = relu(%3) : f32[2,3] "r"
  %5 = tanh(%4) : f32[2,3] "out"
  return %5
})";
constexpr const char* kAfter = R"(graph b {
  %0 = input{name="x"} : f32[2,3]
  %1 = relu(%0) : f32[2,3]
  %2 = add(%1, %1) : f32[2,3] "r"
  %3 = tanh(%2) : f32[2,3] "out"
  return %3
})";

TEST(Page, WhatIsKnownAtCompileTimeHasNoBox) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kBefore);
  const Drawing d = draw(graph, {});
  ASSERT_EQ(d.nodes.size(), 4u);
  EXPECT_EQ(d.nodes[0].op, "input");
  EXPECT_EQ(d.nodes[1].op, "mul");
  EXPECT_EQ(d.nodes[1].operands, std::vector<uint32_t>{0});
  EXPECT_EQ(d.nodes[1].constants, std::vector<std::string>{"f32[2,3]"});
  EXPECT_EQ(d.shown_as[2], Drawing::kHidden);
  ASSERT_EQ(d.outputs.size(), 1u);
  EXPECT_EQ(d.outputs[0].node, 3u);
}

TEST(Page, ABroadcastHasNoBoxWhereItsPriceIsNothing) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph a {
  %0 = input{name="x"} : f32[2,1]
  %1 = broadcast{shape=[2,3]}(%0) : f32[2,3]
  %2 = relu(%1) : f32[2,3]
  %3 = broadcast{shape=[4,2,1]}(%0) : f32[4,2,1]
  return %2, %3
})");
  const std::vector<double> costs(graph.size());
  const Drawing priced = draw(graph, costs), plain = draw(graph, {});
  EXPECT_EQ(priced.shown_as, (std::vector<uint32_t>{0, 0, 1, 2})) << "an output has a box whatever it costs";
  EXPECT_EQ(priced.outputs[1].node, 2u);
  EXPECT_EQ(plain.shown_as, (std::vector<uint32_t>{0, 1, 2, 3})) << "nothing is known of prices";
}

TEST(Page, OneChangeDoesNotColourAllThatFollows) {
  using State = Correspondence::State;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph a = ir::parse_graph(ctx, kBefore), b = ir::parse_graph(ctx, kAfter);
  const Correspondence c = correspond(a, b);
  EXPECT_EQ(c.a[0], State::kKept);
  EXPECT_EQ(c.a[3], State::kAlone);
  EXPECT_EQ(c.a[4], State::kChanged) << "the same value, computed otherwise";
  EXPECT_EQ(c.of_a[4], ir::ValueId(2));
  EXPECT_EQ(c.a[5], State::kKept) << "all terms from there on differ, but not the operator";
  EXPECT_EQ(c.b[1], State::kAlone);
  EXPECT_EQ(c.b[2], State::kChanged);
  EXPECT_EQ(c.b[3], State::kKept);
  EXPECT_EQ(c.of_b[3], ir::ValueId(5));
}

// Values without names that all read one value: each is looked for once, not among all.
TEST(Page, ManyUsersOfOneValueAreFoundAgainInTime) {
  constexpr int kUsers = 30'000;
  ir::Context ctx(ir::standard_ops());
  const auto graph = [&](const char* first) {
    ir::Builder b(ctx);
    const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({2}));
    const ir::ValueId x = b.add(first, {b.input("x", type)});
    b.set_name(x, "x1");
    std::vector<ir::ValueId> outputs;
    for (int i = 0; i < kUsers; ++i) {
      const ir::ValueId c =
          b.add("weight", {}, {{"name", "w" + std::to_string(i)}, {"type", int64_t{type.v}}});
      outputs.push_back(b.add("add", {x, c}));
    }
    return b.finish(std::move(outputs));
  };
  const double begin = thread_cpu_seconds();
  const Correspondence c = correspond(graph("relu"), graph("tanh"));
  EXPECT_LT(thread_cpu_seconds() - begin, 2) << "9e8 comparisons take longer";
  EXPECT_EQ(c.a.back(), Correspondence::State::kKept);
}

TEST(Page, GraphsBeyondWhatABrowserCanDrawAreLeftOut) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph a = ir::parse_graph(ctx, kBefore), b = ir::parse_graph(ctx, kAfter);
  const OptimizeOptions options;
  const OptimizeResult result;
  const RunRecord record;
  PageInput input{options, result, record, &a, &b, {}, {}, "1"};
  EXPECT_TRUE(nlohmann::json::parse(page_json(input))["graphs"].contains("before"));
  input.most_drawn = 3;
  EXPECT_EQ(nlohmann::json::parse(page_json(input))["graphs"].dump(), R"({"omitted":4})");
}

TEST(Page, NamesOfAModelStayText) {
  ir::Context ctx(ir::standard_ops());
  const std::string nasty = "</script><!--{{data}}\\u003c\xff";
  ir::Builder builder(ctx);
  const ir::ValueId x = builder.input(nasty, ctx.tensor_type(ir::DType::kF32, {}));
  const ir::Graph graph = builder.finish({builder.add("relu", {x})});
  OptimizeOptions options;
  OptimizeResult result;
  result.input = "folder/<b>" + nasty + ".onnx";
  RunRecord record;
  record.chain.push_back({"rule", false, {nasty}, "(relu ?x)", "?x", "x: f32[]", 1.0});
  SearchRecord search;
  search.steps.push_back({nasty, 1, 2, 3, 4});
  record.search = std::make_shared<SearchRecord>(search);
  const std::string page = html({options, result, record, &graph, nullptr, {}, {}, "0"});
  const size_t data = page.find("id=\"data\">");
  ASSERT_NE(data, std::string::npos);
  const size_t begin = data + 10, end = page.find("</script>", begin);
  const auto json = nlohmann::json::parse(page.substr(begin, end - begin));
  EXPECT_EQ(json["graphs"]["before"]["nodes"][0]["name"].get<std::string>().substr(0, 9), "</script>");
  EXPECT_EQ(json["rewrites"].size(), 1u);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_EQ(json["search"]["steps"][0]["rule"].get<std::string>().substr(0, 9), "</script>");
  // Seven scripts: data, two libraries, four of our own.
  size_t scripts = 0;
  for (size_t at = page.find("</script>"); at != std::string::npos; at = page.find("</script>", at + 1))
    ++scripts;
  EXPECT_EQ(scripts, 7u);
}

TEST(Page, StandsBesideTheOutput) {
  EXPECT_EQ(default_page("a/model.isomer.onnx"), "a/model.isomer.html");
  EXPECT_EQ(default_page("out.onnx"), "out.isomer.html");
}

TEST(Page, EqualStepsAreToldOnce) {
  const RewriteEntry a{"r", false, {"p"}, "(f ?x)", "?x", "x: f32[2]", 3},
      b{"s", true, {}, "?y", "(g ?y)", "", 2};
  RewriteEntry again = a;
  again.places = {"q"};
  const std::vector<RewriteEntry> chain{a, b, again};
  const auto groups = group(chain);
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_EQ(groups[0].steps, (std::vector<size_t>{0, 2}));
  EXPECT_EQ(groups[0].places, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(chain_text(chain),
            "1. r, 2 times, at p, q\n   (f ?x)\n   => ?x\n   with x: f32[2]\n\n"
            "2. s, from right to left\n   ?y\n   => (g ?y)\n");
}

}  // namespace
}  // namespace isomer::report
