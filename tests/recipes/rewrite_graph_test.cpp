#include "problems/rewrite_graph.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/sexpr/sexpr.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"
#include "support/rng.h"
#include "verify/equivalence.h"

namespace isomer::problems {
namespace {

std::string source(const std::string& path) { return std::string(ISOMER_SOURCE_DIR) + "/" + path; }

struct Fixture {
  ir::Context ctx{ir::standard_ops()};
  ir::Graph graph;
  rewrite::RuleSet rules = recipes::tensat_rules(ctx.ops(), source("rules"));
  std::unique_ptr<cost::CostModel> model = cost::make_cost_model("anchor");
  explicit Fixture(const std::string& text) : graph(formats::read_term(ctx, text, "test")) {}
};

constexpr const char* kTwoProducts =
    "(noop (matmul 0 (input x@2_3) (weight a@3_4)) (matmul 0 (input x@2_3) (weight b@3_5)))";

TEST(RewriteGraph, TheStartIsTheSource) {
  Fixture f(kTwoProducts);
  RewriteGraph problem(f.graph, f.rules, *f.model);
  const auto s = problem.initial();
  EXPECT_NEAR(s.cost, cost::graph_cost(*f.model, f.graph), 1e-12);
  EXPECT_EQ(ir::dag_hash(problem.graph(s)), ir::dag_hash(f.graph));
}

TEST(RewriteGraph, AMultiPatternRuleReplacesBothRoots) {
  Fixture f(kTwoProducts);
  RewriteGraph problem(f.graph, f.rules, *f.model);
  const auto s = problem.initial();
  bool merged = false;
  for (const auto& a : problem.actions(s)) {
    if (a.roots.size() != 2) continue;
    const auto next = problem.step(s, a);
    const ir::Graph g = problem.graph(next);
    EXPECT_TRUE(verify::check_equivalent(f.graph, g).equivalent());
    size_t products = 0;
    for (size_t i = 0; i < g.size(); ++i) products += g.def(ir::ValueId(i)).name == "taso.matmul";
    merged = merged || products == 1;
  }
  EXPECT_TRUE(merged);
}

TEST(RewriteGraph, RootsThatDependOnEachOtherAreNotMerged) {
  // (x a) b and its operand share no operand that a merge could use, except through a cycle.
  Fixture f(
      "(noop (matmul 0 (input x@3_3) (weight a@3_3)) (matmul 0 (matmul 0 (input x@3_3) (weight a@3_3)) "
      "(weight a@3_3)))");
  RewriteGraph problem(f.graph, f.rules, *f.model);
  const auto s = problem.initial();
  for (const auto& a : problem.actions(s)) {
    const auto next = problem.step(s, a);
    EXPECT_TRUE(verify::check_equivalent(f.graph, problem.graph(next)).equivalent())
        << f.rules.rules[a.rule].name;
  }
}

// What is said of a step beforehand is what it leads to; only values that turn out equal to others make it
// cheaper.
TEST(RewriteGraph, PreviewsAreTrue) {
  for (const char* name : {"bert", "nasrnn", "squeezenet", "inceptionv3"}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph =
        formats::read_sexpr_file(ctx, source(fmt::format("tests/data/tensat/models/dag/{}.dag", name)));
    const rewrite::RuleSet rules = recipes::tensat_rules(ctx.ops(), source("rules"));
    const auto model = cost::make_cost_model("anchor");
    RewriteGraph problem(graph, rules, *model, {true, "taso.concat"});
    Rng rng(7);
    auto s = problem.initial();
    for (int i = 0; i < 12; ++i) {
      const auto actions = problem.actions(s);
      ASSERT_FALSE(actions.empty());
      for (int k = 0; k < 10; ++k) {
        const auto& a = actions[rng.below(actions.size())];
        const auto next = problem.step(s, a);
        EXPECT_EQ(next.key, a.ahead.key);
        EXPECT_LE(next.cost, a.ahead.cost + 1e-9) << name << " " << rules.rules[a.rule].name;
        if (next.terms.size() == problem.dag().reachable(next.roots).size() && k == 0) {
          const ir::Graph g = problem.graph(next);
          EXPECT_EQ(g.outputs().size(), graph.outputs().size());
        }
      }
      s = problem.step(s, actions[rng.below(actions.size())]);
    }
  }
}

}  // namespace
}  // namespace isomer::problems
