#include "mugraph/scheduled_cost.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/schedule.h"
#include "mugraph/ir_graph.h"
#include "published/mirage_figures.h"

namespace isomer::mugraph {
namespace {

// A kernel of a program costs what it costs in the muGraph, whatever stands beside it.
TEST(ScheduledCost, OfKernelsIsThatOfMuGraphs) {
  const auto model = with_schedules(cost::make_cost_model("roofline:a100"));
  size_t kernels = 0;
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    ir::Context ctx(p.graph.ops->declarations());
    const ir::Graph program = to_graph(ctx, p.graph, ir::DType::kF16);
    const MuCost expected = Pricing().price(p.graph);
    std::vector<double> scheduled;
    for (size_t n = 0; n < p.graph.nodes.size(); ++n)
      if (p.graph.nodes[n].block && std::isfinite(expected.kernels[n].seconds))
        scheduled.push_back(1e3 * expected.kernels[n].seconds);
    const std::vector<double> costs = cost::node_costs(*model, program);
    size_t at = 0;
    for (size_t i = 0; i < program.size(); ++i) {
      if (!ir::has_schedule(program.def(ir::ValueId(i)))) continue;
      ASSERT_LT(at, scheduled.size()) << p.name;
      EXPECT_DOUBLE_EQ(costs[i], scheduled[at++]) << p.name;
      ++kernels;
    }
  }
  EXPECT_GT(kernels, 5u);
}

// Fewer bytes: float16's kernels are not dearer than float32's. Others are priced as without.
TEST(ScheduledCost, KnowsTheElementsAndLeavesOthersAlone) {
  const auto model = with_schedules(cost::make_cost_model("roofline:a100"));
  const auto plain = cost::make_cost_model("roofline:a100");
  EXPECT_EQ(model->name(), plain->name());
  ir::Context ctx(ir::standard_ops());
  const MuGraph& g = published::mirage::figures()[0].graph;
  EXPECT_LT(cost::graph_cost(*model, to_graph(ctx, g, ir::DType::kF16)),
            cost::graph_cost(*model, to_graph(ctx, g, ir::DType::kF32)));
  ir::Builder b(ctx);
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({64, 64}));
  const ir::ValueId x = b.input("x", type);
  const ir::Graph product = b.finish({b.add("matmul", {x, x})});
  EXPECT_EQ(cost::graph_cost(*model, product), cost::graph_cost(*plain, product));
}

TEST(ScheduledCost, IsForDevicesWhoseKernelsArePriced) {
  for (const char* name : {"ast-size", "anchor", "roofline:t4"})
    EXPECT_EQ(dynamic_cast<ScheduledCost*>(with_schedules(cost::make_cost_model(name)).get()), nullptr);
}

}  // namespace
}  // namespace isomer::mugraph
