// Each operator at random attributes, shapes and types: what its loops compute, as lowered, fused and
// scheduled, is what evaluation computes. In double precision to the bit as long as sums keep their order; in
// lanes, where they do not, over a prime field.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>

#include "codegen/loops_agree.h"
#include "conformance/drawn_cases.h"
#include "ir/op_table.h"
#include "support/errors.h"
#include "support/sanitized.h"

namespace isomer::codegen {
namespace {

TEST(OpCases, LoopsComputeWhatTheOperatorsMean) {
  Rng rng(7);
  int cases = 0;
  std::set<std::string> without;
  conformance::for_each_case(rng, draws(8), [&](const auto& op, const auto& graph, const auto& inputs) {
    try {
      lower(graph);
    } catch (const InputError&) {
      without.insert(op);
      return;
    }
    ASSERT_EQ(disagreement(graph, inputs, rng.next()), "") << ir::print(graph);
    ++cases;
  });
  EXPECT_GT(cases, draws(500));
  EXPECT_TRUE(without.contains("arg_max"));
  for (const std::string& op : without) EXPECT_TRUE(conformance::without_loops().contains(op)) << op;
}

}  // namespace
}  // namespace isomer::codegen
