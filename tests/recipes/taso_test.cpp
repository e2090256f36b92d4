// TASO's search on TENSAT's start graphs, n = 100: at least what TASO itself reached with the same analytic
// cost. By its rules as they were published: what they make of nasneta's grouped convolutions is another
// program.
#include "recipes/taso.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "formats/sexpr/sexpr.h"
#include "ir/op_table.h"
#include "recipes/tensat.h"

namespace isomer::recipes {
namespace {

struct Published {
  const char* model;
  double start, best;  ///< TASO's own, alpha 1.0, budget 100; the best with operators on weights folded
};
constexpr Published kTaso[] = {
    {"bert", 0.8256, 0.7056},       {"inceptionv3", 2.3708, 2.3448}, {"resnext50", 1.9473, 1.9398},
    {"resnet50", 1.8180, 1.8103},   {"vgg", 7.2576, 6.7815},         {"nasrnn", 1.4333, 1.0072},
    {"squeezenet", 0.5652, 0.3135}, {"nasneta", 7.6747, 6.6683},
};

class Taso : public testing::TestWithParam<Published> {};

TEST_P(Taso, ReachesItsCost) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = formats::read_sexpr_file(
      ctx, fmt::format("{}/tests/data/tensat/models/dag/{}.dag", ISOMER_SOURCE_DIR, GetParam().model));
  const rewrite::RuleSet rules =
      tensat_rules(ctx.ops(), std::string(ISOMER_SOURCE_DIR) + "/rules", GroupedConvolutions::kAsTensat);
  TasoOptions options;
  options.alpha = 1.0;
  const TasoResult r = run_taso(graph, rules, options);
  RecordProperty("cost", fmt::format("{}", r.cost));
  RecordProperty("cpu_seconds", fmt::format("{}", r.cpu_seconds));
  fmt::print("{}: {:.4f} -> {:.4f} ({:.4f}), {:.3f} CPU s, {} expanded, {} held, {} generated\n",
             GetParam().model, r.start_cost, r.folded_cost, GetParam().best, r.cpu_seconds, r.expanded,
             r.held, r.generated);
  EXPECT_NEAR(r.start_cost, GetParam().start, 6e-5);
  EXPECT_LE(r.folded_cost, GetParam().best + 6e-5);
  EXPECT_LE(r.folded_cost, r.cost);
}

INSTANTIATE_TEST_SUITE_P(Models, Taso, testing::ValuesIn(kTaso),
                         [](const auto& instance) { return std::string(instance.param.model); });

}  // namespace
}  // namespace isomer::recipes
