// Exploration of TENSAT's start graphs with its rules and limits: its counts where it saturates, all cycle
// modes (SqueezeNet with two multi-pattern steps kills TENSAT with the vanilla filter, by stack overflow, and
// without one, by an assertion), larger k, and a result that depends on neither threads nor incremental
// search.
#include <gtest/gtest.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"

namespace isomer::recipes {
namespace {

struct Explored {
  rewrite::SaturateReport report;
  bool acyclic = false;
  std::string broken;
  std::vector<uint32_t> state;
};

Explored explore(const std::string& model, uint32_t k, rewrite::SaturateOptions options = {}) {
  ir::Context ctx(ir::standard_ops());
  const std::string root = ISOMER_SOURCE_DIR;
  const ir::Graph graph =
      formats::read_sexpr_file(ctx, root + "/tests/data/tensat/models/dag/" + model + ".dag");
  const rewrite::RuleSet rules = tensat_rules(ctx.ops(), root + "/rules", GroupedConvolutions::kAsTensat);
  rewrite::TensorEGraph program(graph);
  rewrite::Saturation saturation(program, rules);
  options.k_multi = k;
  options.limits.iterations = 15;
  options.limits.nodes = 50'000;
  options.limit_by_tensat_count = true;
  Explored out;
  out.report = saturation.run(options);
  const rewrite::EGraph& g = program.graph();
  out.acyclic = !egraph::has_cycle(g, program.roots());
  out.broken = g.check_invariants();
  for (uint32_t i = 0; i < g.slots(); ++i) {
    const egraph::NodeId n(i);
    out.state.insert(out.state.end(), {g.op(n), g.payload(n), g.class_of(n).v, uint32_t{g.usable(n)}});
    if (g.dead(n)) continue;
    for (egraph::ClassId c : g.children(n)) out.state.push_back(c.v);
  }
  return out;
}

TEST(Exploration, ReachesTensatsCountsWithTwoMultiPatternSteps) {
  struct Expected {
    const char* model;
    size_t e_nodes, e_classes;
    uint64_t iterations;
    StopReason stop;
  };
  for (const Expected& e : {Expected{"nasrnn", 33060, 19965, 4, StopReason::kSaturated},
                            Expected{"inceptionv3", 4294, 2974, 3, StopReason::kSaturated},
                            Expected{"resnext50", 431, 327, 6, StopReason::kSaturated},
                            Expected{"mobilenetv2", 2949, 1728, 10, StopReason::kSaturated},
                            Expected{"bert", 20244, 7315, 15, StopReason::kIterationLimit}}) {
    SCOPED_TRACE(e.model);
    const Explored got = explore(e.model, 2);
    EXPECT_EQ(got.report.tensat_nodes, e.e_nodes);
    EXPECT_EQ(got.report.tensat_nodes - got.report.e_nodes + got.report.e_classes, e.e_classes);
    EXPECT_EQ(got.report.iterations, e.iterations);
    EXPECT_EQ(got.report.stop_reason, e.stop);
    EXPECT_TRUE(got.acyclic);
    EXPECT_EQ(got.broken, "");
    EXPECT_EQ(got.report.contradictions, 0u);
  }
}

TEST(Exploration, NasnetStopsAtTheNodeLimitInTensatsIteration) {
  const Explored got = explore("nasneta", 2);
  EXPECT_EQ(got.report.stop_reason, StopReason::kNodeLimit);
  EXPECT_EQ(got.report.iterations, 13u);
  EXPECT_EQ(got.report.added_by_multi, (std::vector<size_t>{1272, 39693}));
}

TEST(Exploration, SqueezenetSurvivesAllCycleModes) {
  for (const char* mode : {"none", "efficient", "vanilla", "vanilla-multi", "online"}) {
    SCOPED_TRACE(mode);
    rewrite::SaturateOptions options;
    options.cycles = egraph::cycle_mode(mode);
    const Explored got = explore("squeezenet", 2, options);
    EXPECT_EQ(got.report.stop_reason, StopReason::kSaturated);
    EXPECT_EQ(got.acyclic, options.cycles != egraph::CycleMode::kNone);
    EXPECT_EQ(got.broken, "");
    // Nothing is refused when none is filtered or filtering comes after the union.
    const bool refuses =
        options.cycles != egraph::CycleMode::kNone && options.cycles != egraph::CycleMode::kOnline;
    EXPECT_EQ(got.report.e_nodes < 1000, refuses);
  }
}

TEST(Exploration, MoreMultiPatternStepsEndAtTheNodeLimit) {
  for (uint32_t k : {3u, 4u}) {
    for (const char* model : {"bert", "nasrnn"}) {
      const Explored got = explore(model, k);
      EXPECT_EQ(got.report.stop_reason, StopReason::kNodeLimit) << model << k;
      EXPECT_LT(got.report.tensat_nodes, 51'000u) << model << k;
      EXPECT_TRUE(got.acyclic) << model << k;
    }
  }
}

TEST(Exploration, IsTheSameWithThreadsAndWithoutIncrementalSearch) {
  for (const char* model : {"bert", "mobilenetv2"}) {
    SCOPED_TRACE(model);
    const Explored one = explore(model, 1);
    rewrite::SaturateOptions options;
    for (unsigned threads : {2u, 4u}) {
      options.threads = threads;
      EXPECT_EQ(explore(model, 1, options).state, one.state) << threads;
    }
    options.threads = 1;
    options.incremental = false;
    const Explored full = explore(model, 1, options);
    EXPECT_EQ(full.report.tensat_nodes, one.report.tensat_nodes);
    EXPECT_EQ(full.report.e_classes, one.report.e_classes);
    EXPECT_EQ(full.report.iterations, one.report.iterations);
    EXPECT_GT(full.report.matches, one.report.matches);
  }
}

}  // namespace
}  // namespace isomer::recipes
