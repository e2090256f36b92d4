// The recipe of Hartmann, He and Yoneki on TENSAT's start graphs.
#include "recipes/mcts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string_view>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"

namespace isomer::recipes {
namespace {

const std::string kRoot = ISOMER_SOURCE_DIR;

ir::Graph start(ir::Context& ctx, const std::string& model) {
  return formats::read_sexpr_file(ctx, kRoot + "/tests/data/tensat/models/dag/" + model + ".dag");
}

double priced_anew(const ir::Graph& graph, const std::string& cost) {
  const auto model = cost::make_cost_model(cost);
  const std::vector<bool> known = cost::known_at_compile_time(graph);
  const std::vector<double> costs = cost::node_costs(*model, graph);
  double total = 0;
  for (size_t i = 0; i < costs.size(); ++i)
    if (!known[i]) total += costs[i];
  return total;
}

// Tables 1 and 3: the tree cost blows up on all but VGG-19, the published cost function is right on all but
// NASNet-A, the corrected one on all.
TEST(Mcts, FirstCostsAsInTables1And3) {
  for (const char* device : {"a100", "p100"})
    for (const char* model : {"bert", "inceptionv3", "mobilenetv2", "nasneta", "nasrnn", "resnet50",
                              "resnext50", "squeezenet", "vgg"}) {
      SCOPED_TRACE(fmt::format("{} {}", model, device));
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = start(ctx, model);
      const std::string cost = fmt::format("roofline:{}", device);
      const FirstCosts c = first_costs(graph, cost);
      EXPECT_NEAR(c.exact, priced_anew(graph, cost), 1e-9 * c.exact);
      EXPECT_NEAR(c.corrected, c.exact, 1e-9 * c.exact);
      if (model == std::string_view("nasneta"))
        EXPECT_GT(c.published, 1.01 * c.exact);
      else
        EXPECT_NEAR(c.published, c.exact, 1e-9 * c.exact);
      if (model == std::string_view("vgg"))
        EXPECT_NEAR(c.tree, c.exact, 1e-9 * c.exact);
      else
        EXPECT_GT(c.tree, 1.9 * c.exact);
    }
}

TEST(Mcts, TheResultCostsWhatItSaysAndASeedRepeatsIt) {
  for (const char* model : {"bert", "squeezenet"}) {
    std::vector<double> costs;
    std::vector<std::vector<uint32_t>> rules;
    for (uint64_t seed : {7, 7}) {
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = start(ctx, model);
      const rewrite::RuleSet set = tensat_rules(ctx.ops(), kRoot + "/rules");
      MctsRunOptions options;
      options.seed = seed;
      options.search.budget = 24;
      const MctsRunResult r = run_mcts(graph, set, options);
      EXPECT_TRUE(r.optimal);
      EXPECT_NEAR(priced_anew(r.graph, options.cost), r.cost, 1e-9 * r.cost);
      EXPECT_NEAR(priced_anew(graph, options.cost), r.start_cost, 1e-9 * r.start_cost);
      EXPECT_LT(r.cost, r.start_cost) << model;
      EXPECT_GE(r.nodes, 2000u);
      EXPECT_EQ(r.stop_reason, StopReason::kNodeLimit);
      EXPECT_EQ(r.rollouts, 24 * r.steps.size());
      costs.push_back(r.cost);
      rules.emplace_back();
      for (const auto& s : r.steps) rules.back().push_back(s.rule);
    }
    EXPECT_EQ(costs[0], costs[1]);
    EXPECT_EQ(rules[0], rules[1]);
  }
}

// Workers and trees have contexts, costs and e-graphs of their own, which threads then change at a time.
TEST(Mcts, ThreadsChangeNothing) {
  for (const bool plus : {false, true}) {
    std::vector<std::vector<double>> seen;
    for (const unsigned threads : {1u, 4u}) {
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = start(ctx, "nasrnn");
      const rewrite::RuleSet set = tensat_rules(ctx.ops(), kRoot + "/rules");
      MctsRunOptions options = plus ? mcts_plus() : MctsRunOptions();
      options.search.budget = 12;
      options.search.at_once = plus ? 4 : 2;
      options.search.keep_tree = 100;
      options.trees = plus ? 1 : 2;
      options.workers = threads;
      const MctsRunResult r = run_mcts(graph, set, options);
      EXPECT_NEAR(priced_anew(r.graph, options.cost), r.cost, 1e-9 * r.cost);
      std::vector<double>& all = seen.emplace_back();
      all = {r.cost, static_cast<double>(r.rollouts), static_cast<double>(r.applications),
             static_cast<double>(r.nodes)};
      for (const auto& s : r.steps) all.insert(all.end(), {static_cast<double>(s.rule), s.cost});
      for (const auto& n : r.tree)
        all.insert(all.end(), {static_cast<double>(n.action), n.worth, n.cost, n.visits});
    }
    EXPECT_GT(seen[0].size(), 20u);
    EXPECT_EQ(seen[0], seen[1]);
  }
}

// Ours at the same limit is not behind TENSAT's recipe; its result costs what it says though weights were
// folded on the way.
TEST(Mcts, PlusIsNotBehindTensat) {
  for (const char* model : {"nasrnn"}) {  // where the paper's search is, with TENSAT's node limit
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = start(ctx, model);
    const rewrite::RuleSet set = tensat_rules(ctx.ops(), kRoot + "/rules", GroupedConvolutions::kAsTensat);
    TensatOptions tensat;
    tensat.cost = "roofline:a100";
    tensat.k_multi = 3;  // as the paper has it
    tensat.node_limit = tensat.node_multi = 2000;
    const double theirs = run_tensat(graph, set, tensat).cost;
    MctsRunOptions options = mcts_plus();
    options.search.budget = 24;
    const MctsRunResult ours = run_mcts(graph, set, options);
    EXPECT_LE(ours.cost, theirs * (1 + 1e-9)) << model;
    EXPECT_NEAR(priced_anew(ours.graph, options.cost), ours.cost, 1e-9 * ours.cost) << model;
    EXPECT_GE(ours.rounds, 2u);
  }
}

TEST(Mcts, RulesHaveThePapersNumbers) {
  ir::Context ctx(ir::standard_ops());
  const rewrite::RuleSet set = tensat_rules(ctx.ops(), kRoot + "/rules");
  const std::vector<uint32_t> numbers = paper_rule_numbers(set);
  std::vector<bool> multi(139), seen(139);
  for (size_t i = 0; i < numbers.size(); ++i) {
    ASSERT_LT(numbers[i], 139u);
    EXPECT_FALSE(seen[numbers[i]]);
    seen[numbers[i]] = true;
    multi[numbers[i]] = set.rules[i].is_multi();
  }
  for (uint32_t n = 0; n < 139; ++n) EXPECT_EQ(multi[n], n >= 124) << n;
}

// Products of more dimensions than two become TASO's between reshapes; weights lose their contents, not their
// types.
TEST(Mcts, ProgramsOfOursInTasosLanguage) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx, "attention");
  const auto type = [&](std::vector<int64_t> shape) {
    ir::Shape dims;
    for (int64_t d : shape) dims.emplace_back(d);
    return ctx.tensor_type(ir::DType::kF32, dims);
  };
  const ir::ValueId x = b.input("x", type({2, 5, 8}));
  const ir::ValueId w = b.constant(ir::DType::kF32, {8, 6}, std::vector<double>(48, 0.5));
  const ir::ValueId h = b.add("matmul", {x, w});
  const ir::ValueId y = b.input("y", type({2, 6, 3}));
  const ir::Graph graph = b.finish({b.add("relu", {b.add("matmul", {h, y})})});
  const ir::Graph taso = in_taso_language(graph);
  size_t products = 0, weights = 0;
  for (size_t i = 0; i < taso.size(); ++i) {
    products += taso.def(ir::ValueId(i)).name == "taso.matmul";
    weights += taso.def(ir::ValueId(i)).name == "weight";
    EXPECT_NE(taso.def(ir::ValueId(i)).name, "matmul");
    EXPECT_NE(taso.def(ir::ValueId(i)).name, "constant");
  }
  EXPECT_EQ(products, 2u);
  EXPECT_EQ(weights, 1u);
  EXPECT_EQ(taso.type_id(taso.outputs()[0]), graph.type_id(graph.outputs()[0]));
  EXPECT_EQ(taso.inputs().size(), 2u);
}

}  // namespace
}  // namespace isomer::recipes
