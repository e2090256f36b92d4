// Substitution and layout chosen together: on a graph where the best program in the usual order is not the
// best once layouts are free, and never behind the choice of one after the other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"
#include "rewrite/rule_parser.h"

namespace isomer::recipes {
namespace {

const std::string kSource = ISOMER_SOURCE_DIR;

struct CheapestOf {
  double cost = 0;
  bool optimal = false;
  ir::Graph graph;
};

CheapestOf cheapest(const ir::Graph& graph, bool substitutions, bool layouts, const std::string& cost) {
  rewrite::RuleSet rules;
  ir::Context& ctx = graph.context();
  if (substitutions) rules = tensat_rules(ctx.ops(), kSource + "/rules", GroupedConvolutions::kSound);
  if (layouts) rules.append(rewrite::load_rules(ctx.ops(), kSource + "/rules/layouts.rules"));
  TensatOptions options;
  options.cost = cost;
  options.seconds = 120;
  TensatResult r = run_tensat(graph, rules, options);
  return {r.cost, r.optimal, std::move(r.graph)};
}

class Layouts : public testing::TestWithParam<std::string> {};

TEST_P(Layouts, TogetherAreNeverBehindOneAfterTheOther) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph =
      formats::read_sexpr_file(ctx, kSource + "/tests/data/tensat/models/dag/" + GetParam() + ".dag");
  for (const std::string cost : {"roofline:a100+nhwc", "roofline:cpu+c8"}) {
    const CheapestOf none = cheapest(graph, false, false, cost);
    const CheapestOf only_substitutions = cheapest(graph, true, false, cost);
    const CheapestOf only_layouts = cheapest(graph, false, true, cost);
    const CheapestOf after = cheapest(only_substitutions.graph, false, true, cost);
    const CheapestOf together = cheapest(graph, true, true, cost);
    RecordProperty(cost, together.cost);
    fmt::print("{} {}: start {:.4f}, substitutions {:.4f}, layouts {:.4f}, then {:.4f}, together {:.4f}{}\n",
               GetParam(), cost, none.cost, only_substitutions.cost, only_layouts.cost, after.cost,
               together.cost, together.optimal ? "" : " (not proved)");
    EXPECT_LT(only_layouts.cost, none.cost);
    EXPECT_LE(after.cost, only_substitutions.cost + 1e-9);
    EXPECT_LE(together.cost, after.cost + 1e-9);
    if (GetParam() == "squeezenet" && cost == "roofline:a100+nhwc") {
      EXPECT_LT(together.cost, 0.9 * after.cost);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Layouts, testing::Values("squeezenet", "resnext50"),
                         [](const auto& instance) { return instance.param; });

}  // namespace
}  // namespace isomer::recipes
