// The patterns that TENSAT's paper draws in its appendix (Yang et al., MLSys 2021, figures 8 to 11): what its
// optimised graphs are made of. Small terms of the same shape, and the start graphs themselves.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"

namespace isomer::recipes {
namespace {

/// What is left to do at run time, and how much of it was merged.
struct Shape {
  std::map<std::string, int> work;    ///< by operator; what is known at compile time does not count
  std::map<std::string, int> merged;  ///< by operator: the most weights that one node's second operand joins
};

int joined(const ir::Graph& graph, ir::ValueId v) {
  const std::string_view op = graph.def(v).name;
  if (op != "taso.concat" && op != "taso.enlarge") return 1;
  int sum = 0;
  for (size_t k = 0; k < (op == "taso.enlarge" ? 1 : graph.operands(v).size()); ++k)
    sum += joined(graph, graph.operands(v)[k]);
  return sum;
}

Shape shape_of(const ir::Graph& graph) {
  const std::vector<bool> known = cost::known_at_compile_time(graph);
  Shape out;
  for (uint32_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (known[i] || graph.operands(v).empty()) continue;
    const std::string op(graph.def(v).name);
    ++out.work[op];
    if (graph.operands(v).size() < 2 || !known[graph.operands(v)[1].index()]) continue;
    out.merged[op] = std::max(out.merged[op], joined(graph, graph.operands(v)[1]));
  }
  return out;
}

struct OptimisedGraph {
  Shape before, after;
};

OptimisedGraph optimise(ir::Context& ctx, const ir::Graph& graph, uint32_t k_multi) {
  const rewrite::RuleSet rules = tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules");
  TensatOptions options;
  options.k_multi = k_multi;
  const TensatResult result = run_tensat(graph, rules, options);
  EXPECT_TRUE(result.optimal);
  EXPECT_LT(result.cost, result.start_cost);
  return {shape_of(graph), shape_of(result.graph)};
}

OptimisedGraph optimise_term(const std::string& term, uint32_t k_multi) {
  ir::Context ctx(ir::standard_ops());
  return optimise(ctx, formats::read_term(ctx, term, "term"), k_multi);
}

OptimisedGraph optimise_model(const std::string& name, uint32_t k_multi) {
  ir::Context ctx(ir::standard_ops());
  return optimise(ctx,
                  formats::read_sexpr_file(
                      ctx, fmt::format("{}/tests/data/tensat/models/dag/{}.dag", ISOMER_SOURCE_DIR, name)),
                  k_multi);
}

std::string product(int i) { return fmt::format("(matmul 0 (input x@64_256) (weight w{}@256_64))", i); }
std::string convolution(int i) {
  return fmt::format("(conv2d 1 1 0 0 (input x@1_32_14_14) (weight w{}@16_32_1_1))", i);
}

TEST(TensatPatterns, Figures8And11ProductsWithASharedInputBecomeOne) {
  const OptimisedGraph two = optimise_term(fmt::format("(noop {} {})", product(1), product(2)), 1);
  EXPECT_EQ(two.before.work.at("taso.matmul"), 2);
  EXPECT_EQ(two.after.work.at("taso.matmul"), 1);
  EXPECT_EQ(two.after.merged.at("taso.matmul"), 2);
  const OptimisedGraph three =
      optimise_term(fmt::format("(noop (noop {} {}) {})", product(1), product(2), product(3)), 2);
  EXPECT_EQ(three.before.work.at("taso.matmul"), 3);
  EXPECT_EQ(three.after.work.at("taso.matmul"), 1);
  EXPECT_EQ(three.after.merged.at("taso.matmul"), 3);
}

TEST(TensatPatterns, Figure9ConvolutionsWithASharedInputBecomeOne) {
  const OptimisedGraph two = optimise_term(fmt::format("(noop {} {})", convolution(1), convolution(2)), 1);
  EXPECT_EQ(two.before.work.at("taso.conv2d"), 2);
  EXPECT_EQ(two.after.work.at("taso.conv2d"), 1);
  EXPECT_EQ(two.after.merged.at("taso.conv2d"), 2);
  const OptimisedGraph three =
      optimise_term(fmt::format("(noop (noop {} {}) {})", convolution(1), convolution(2), convolution(3)), 2);
  EXPECT_EQ(three.before.work.at("taso.conv2d"), 3);
  EXPECT_EQ(three.after.work.at("taso.conv2d"), 1);
  EXPECT_EQ(three.after.merged.at("taso.conv2d"), 3);
}

// conv(conv(x, w1), w2) + conv(conv(x, w3), w4): the first of each path joined along output channels, the
// second along input channels, which also does the addition.
TEST(TensatPatterns, Figure10FourConvolutionsBecomeTwo) {
  const auto path = [](int a, int b) {
    return fmt::format("(conv2d 1 1 0 0 {} (weight w{}@8_16_1_1))", convolution(a), b);
  };
  const OptimisedGraph o = optimise_term(fmt::format("(ewadd {} {})", path(1, 2), path(3, 4)), 1);
  EXPECT_EQ(o.before.work, (std::map<std::string, int>{{"taso.conv2d", 4}, {"add", 1}}));
  EXPECT_EQ(o.after.work, (std::map<std::string, int>{{"taso.conv2d", 2}}));
  EXPECT_EQ(o.after.merged.at("taso.conv2d"), 2);
}

// In the networks: two by one iteration with multi-pattern rules, more than two by two iterations. At the
// start nothing is merged.
struct Network {
  const char* name;
  const char* op;
};
class TensatPatternsIn : public testing::TestWithParam<Network> {};

TEST_P(TensatPatternsIn, TwoAndMoreAreMerged) {
  const auto& [name, op] = GetParam();
  const OptimisedGraph once = optimise_model(name, 1);
  EXPECT_EQ(once.before.merged.at(op), 1);
  EXPECT_GE(once.after.merged.at(op), 2);
  EXPECT_LT(once.after.work.at(op), once.before.work.at(op));
  const OptimisedGraph twice = optimise_model(name, 2);
  EXPECT_GE(twice.after.merged.at(op), 3);
  EXPECT_LT(twice.after.work.at(op), once.after.work.at(op));
}

INSTANTIATE_TEST_SUITE_P(Models, TensatPatternsIn,
                         testing::Values(Network{"bert", "taso.matmul"}, Network{"nasrnn", "taso.matmul"},
                                         Network{"nasneta", "taso.conv2d"},
                                         Network{"inceptionv3", "taso.conv2d"}),
                         [](const auto& instance) { return std::string(instance.param.name); });

}  // namespace
}  // namespace isomer::recipes
