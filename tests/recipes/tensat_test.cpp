// TENSAT's own start graphs and rules under the `anchor` cost: the costs that TENSAT itself was measured at,
// with the same analytic cost, 15 iterations, 50,000 e-nodes, k_multi 1, ILP extraction. Where its numbers
// are reproduced its rules are the published ones (GroupedConvolutions::kAsTensat), by which programs with
// grouped convolutions (nasneta) come out wrong.
#include "recipes/tensat.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "rewrite/rule_check.h"
#include "verify/equivalence.h"

namespace isomer::recipes {
namespace {

std::string data(const std::string& name) {
  return std::string(ISOMER_SOURCE_DIR) + "/tests/data/tensat/models/dag/" + name;
}

struct Start {
  const char* model;
  double cost;     ///< each distinct node once, operators on weights charged in full
  size_t e_nodes;  ///< of TENSAT's initial e-graph
};
constexpr Start kStarts[] = {
    {"bert", 0.8255616, 192},     {"inceptionv3", 2.370777, 334}, {"mobilenetv2", 1.5272466, 694},
    {"nasneta", 7.674655, 806},   {"nasrnn", 1.4332726, 403},     {"resnet50", 1.817962, 193},
    {"resnext50", 1.947295, 198}, {"squeezenet", 0.5652249, 127}, {"vgg", 7.257592, 96},
};

class StartGraph : public testing::TestWithParam<Start> {};

TEST_P(StartGraph, CostsWhatTensatSaysAndHasAsManyENodes) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(ctx, data(fmt::format("{}.dag", GetParam().model)));
  const auto model = cost::make_cost_model("anchor");
  EXPECT_NEAR(cost::graph_cost(*model, graph), GetParam().cost, GetParam().cost * 5e-7);
  rewrite::TensorEGraph program(graph);
  EXPECT_EQ(rewrite::tensat_count(program), GetParam().e_nodes);
  EXPECT_EQ(program.graph().check_invariants(), "");
}

INSTANTIATE_TEST_SUITE_P(Models, StartGraph, testing::ValuesIn(kStarts),
                         [](const auto& instance) { return std::string(instance.param.model); });

struct Reached {
  const char* model;
  uint32_t k;
  double cost;     ///< of TENSAT's extracted graph after weight folding
  size_t e_nodes;  ///< of TENSAT's e-graph at the end
};
constexpr Reached kReached[] = {
    {"bert", 0, 0.8256, 656},      {"nasrnn", 0, 1.0573, 490},     {"inceptionv3", 0, 2.3708, 334},
    {"resnext50", 0, 1.9473, 358}, {"squeezenet", 0, 0.3922, 168}, {"vgg", 0, 6.7815, 112},
    {"bert", 1, 0.7456, 1569},     {"nasrnn", 1, 1.0072, 1990},    {"inceptionv3", 1, 2.3504, 670},
    {"resnext50", 1, 1.9398, 371}, {"squeezenet", 1, 0.3922, 288}, {"vgg", 1, 6.7815, 112},
};

class Optimised : public testing::TestWithParam<Reached> {};

TEST_P(Optimised, ReachesTensatsCost) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(ctx, data(fmt::format("{}.dag", GetParam().model)));
  const rewrite::RuleSet rules =
      tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules", GroupedConvolutions::kAsTensat);
  ASSERT_EQ(rules.rules.size(), 139u);
  TensatOptions options;
  options.k_multi = GetParam().k;
  const TensatResult result = run_tensat(graph, rules, options);
  RecordProperty("cost", fmt::format("{}", result.cost));
  RecordProperty("explore_seconds", fmt::format("{}", result.exploration.cpu_seconds));
  EXPECT_LE(result.cost, GetParam().cost + 5e-5);
  EXPECT_TRUE(result.optimal);
  EXPECT_EQ(result.exploration.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(result.exploration.tensat_nodes, GetParam().e_nodes);
  EXPECT_EQ(result.exploration.contradictions, 0u);
  // What was extracted costs what the extractor says, priced anew from the graph.
  const auto model = cost::make_cost_model("anchor");
  const std::vector<bool> known = cost::known_at_compile_time(result.graph);
  const std::vector<double> costs = cost::node_costs(*model, result.graph);
  double total = 0;
  for (size_t i = 0; i < costs.size(); ++i)
    if (!known[i]) total += costs[i];
  EXPECT_NEAR(total, result.cost, 1e-9 * result.cost);
}

INSTANTIATE_TEST_SUITE_P(Models, Optimised, testing::ValuesIn(kReached), [](const auto& instance) {
  return fmt::format("{}_k{}", instance.param.model, instance.param.k);
});

// Multi-pattern rules in two iterations, as published: TENSAT's optima, proved there by SCIP in 115, 30, 35
// and 0.6 CPU seconds; for mobilenetv2 its start graph (TENSAT's greedy ends above that, and its ILP was not
// run). The heuristic alone comes within 2 % of what is proved.
constexpr std::pair<const char*, double> kTwice[] = {{"bert", 0.7056},
                                                     {"nasrnn", 0.9320},
                                                     {"nasneta", 6.9626},
                                                     {"inceptionv3", 2.3448},
                                                     {"mobilenetv2", 1.5272466}};

class OptimisedTwice : public testing::TestWithParam<std::pair<const char*, double>> {};

TEST_P(OptimisedTwice, ReachesAndProvesTensatsCost) {
  const auto& [name, cost] = GetParam();
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(ctx, data(fmt::format("{}.dag", name)));
  const rewrite::RuleSet rules =
      tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules", GroupedConvolutions::kAsTensat);
  TensatOptions options;
  options.k_multi = 2;
  const TensatResult best = run_tensat(graph, rules, options);
  EXPECT_LE(best.cost, cost + 5e-5);
  EXPECT_TRUE(best.optimal);
  options.extractor = extract::Extractor::kHeuristic;
  const TensatResult quick = run_tensat(graph, rules, options);
  EXPECT_LE(quick.cost, 1.02 * best.cost);
  EXPECT_GE(quick.cost, best.cost * (1 - 1e-9));
  for (const auto& [key, value] : {std::pair("cost", best.cost),
                                   {"heuristic_cost", quick.cost},
                                   {"extract_seconds", best.extraction.cpu_seconds},
                                   {"heuristic_seconds", quick.extraction.cpu_seconds}}) {
    RecordProperty(key, fmt::format("{}", value));
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OptimisedTwice, testing::ValuesIn(kTwice),
                         [](const auto& instance) { return std::string(instance.param.first); });

// The original program stays extractable, so nothing may come out dearer. (TENSAT's greedy extraction does:
// 1.5543.)
TEST(Tensat, MobilenetIsNeverAboveItsStartGraph) {
  for (uint32_t k = 0; k <= 2; ++k) {
    for (extract::Extractor extractor : {extract::Extractor::kHeuristic, extract::Extractor::kAuto}) {
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = formats::read_sexpr_file(ctx, data("mobilenetv2.dag"));
      const rewrite::RuleSet rules = tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules");
      TensatOptions options;
      options.k_multi = k;
      options.extractor = extractor;
      options.weights_free = false;
      const TensatResult result = run_tensat(graph, rules, options);
      EXPECT_LE(result.cost, result.start_cost * (1 + 1e-9)) << k;
    }
  }
}

// Merged products have larger results; less memory never gives a cheaper program, and what is found keeps
// within it.
TEST(Tensat, LeastTimeWithinAMemoryLimit) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(ctx, data("inceptionv3.dag"));
  const rewrite::RuleSet rules = tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules");
  rewrite::TensorEGraph program(graph);
  rewrite::Saturation saturation(program, rules);
  rewrite::SaturateOptions explore;
  explore.limits.iterations = 15;
  saturation.run(explore);
  const auto model = cost::make_cost_model("anchor");
  rewrite::ExtractOptions options;
  const double best = rewrite::extract(program, saturation.alternatives(), *model, options).cost;
  options.memory_limit = 1e18;
  const rewrite::TensorExtraction roomy =
      rewrite::extract(program, saturation.alternatives(), *model, options);
  ASSERT_TRUE(roomy.found);
  EXPECT_NEAR(roomy.cost, best, 1e-9);
  EXPECT_GT(roomy.peak_bytes, 0);
  options.limits.seconds = 5;
  double last = roomy.cost;
  for (double share : {1.0, 0.95, 0.9}) {
    options.memory_limit = share * roomy.peak_bytes;
    const rewrite::TensorExtraction tight =
        rewrite::extract(program, saturation.alternatives(), *model, options);
    if (!tight.found) break;
    EXPECT_LE(tight.peak_bytes, options.memory_limit);
    EXPECT_GE(tight.cost, last - 1e-9);
    EXPECT_LE(tight.bound, tight.cost + 1e-12);
    last = tight.cost;
  }
  options.memory_limit = 1;
  EXPECT_FALSE(rewrite::extract(program, saturation.alternatives(), *model, options).found);
}

/// Two convolutions of four groups (a channel each) side by side.
ir::Graph grouped_convolutions(ir::Context& ctx) {
  ir::Builder b(ctx, "grouped");
  const auto type = [&](std::vector<int64_t> shape) {
    return ctx.tensor_type(ir::DType::kF32, ir::static_shape(shape));
  };
  const ir::ValueId x = b.input("x", type({1, 4, 6, 6}));
  const auto conv = [&](const std::string& name) {
    const ir::ValueId w = b.add("weight", {}, {{"name", name}, {"type", int64_t{type({4, 1, 3, 3}).v}}});
    return b.add(
        "taso.conv2d", {x, w},
        {{"stride_h", int64_t{1}}, {"stride_w", int64_t{1}}, {"padding", int64_t{0}}, {"act", int64_t{0}}});
  };
  const ir::ValueId first = conv("a"), second = conv("b");
  return b.finish({first, second});
}

// As TASO and TENSAT have them, the rules that merge convolutions make one of these two, which computes
// something else; in their sound form they leave them alone.
TEST(Tensat, GroupedConvolutionsAreMergedByThePublishedRulesAlone) {
  std::vector<double> costs;
  for (const GroupedConvolutions grouped : {GroupedConvolutions::kSound, GroupedConvolutions::kAsTensat}) {
    SCOPED_TRACE(std::string(name_of(grouped)));
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = grouped_convolutions(ctx);
    const rewrite::RuleSet rules =
        tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules", grouped);
    const TensatResult found = run_tensat(graph, rules, {});
    const verify::Verdict verdict = verify::check_equivalent(graph, found.graph);
    const bool sound = grouped == GroupedConvolutions::kSound;
    EXPECT_EQ(verdict.equivalent(), sound) << verify::summary(verdict);
    EXPECT_EQ(verdict.kind == verify::VerdictKind::kRefuted, !sound) << verify::summary(verdict);
    costs.push_back(found.cost);
  }
  EXPECT_LT(costs[1], costs[0]);
}

// With rules that are right for grouped convolutions too, and each application that made a part of the result
// checked again, at the types it had or smaller ones.
TEST(Tensat, SoundRulesReachTheSameCostAndEachStepIsChecked) {
  for (const auto& [name, cost] : {std::pair{"bert", 0.7456}, {"inceptionv3", 2.3504}, {"nasrnn", 1.0072}}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = formats::read_sexpr_file(ctx, data(fmt::format("{}.dag", name)));
    const rewrite::RuleSet rules = tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules");
    rewrite::TensorEGraph program(graph);
    rewrite::Saturation saturation(program, rules);
    rewrite::SaturateOptions explore;
    explore.limits.iterations = 15;
    saturation.run(explore);
    const auto model = cost::make_cost_model("anchor");
    const rewrite::TensorExtraction best = rewrite::extract(program, saturation.alternatives(), *model, {});
    EXPECT_LE(best.cost, cost + 5e-5) << name;
    EXPECT_FALSE(best.instances.empty()) << name;
    std::set<std::string> seen;
    for (uint32_t i : best.instances) {
      const rewrite::Application& applied = saturation.alternatives().applications()[i];
      const rewrite::Source& source = saturation.alternatives().source_of(applied);
      const std::string place = source.name() + " " + source.describe(ctx, applied.instance);
      if (!seen.insert(place).second) continue;
      const verify::Verdict verdict = source.check(ctx, applied.instance, {});
      EXPECT_TRUE(verdict.equivalent()) << name << " " << place << " " << verify::summary(verdict);
    }
  }
}

}  // namespace
}  // namespace isomer::recipes
