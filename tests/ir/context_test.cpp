#include "ir/context.h"

#include <gtest/gtest.h>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::ir {
namespace {

constexpr const char* kProgram = R"(graph outer {
  %0 = input{name="x"} : f32[2]
  %1 = constant : f32[2] {1, 2}
  %2 = add(%0, %1) : f32[2]
  %3 = call{region={
    %0 = input{name="q"} : f32[2]
    %1 = neg(%0) : f32[2]
    return %1
  }}(%2) : f32[2]
  return %3
}
)";

TEST(Context, ACloneHasTheSameUnderTheSameIdsAndGoesItsOwnWay) {
  Context ctx(standard_ops());
  const Graph graph = parse_graph(ctx, kProgram);
  const SymbolId batch = ctx.symbol("batch");
  auto clone = ctx.clone();
  const Graph copy = graph.over(*clone);
  EXPECT_EQ(&copy.context(), clone.get());
  EXPECT_EQ(print(copy), print(graph));
  EXPECT_EQ(&clone->get(RegionId(0)).context(), clone.get());
  EXPECT_EQ(clone->symbol("batch"), batch);
  EXPECT_EQ(clone->fresh_identity(), ctx.fresh_identity());

  const TypeId three = ctx.tensor_type(DType::kF32, {Dim(3)});
  const TypeId five = clone->tensor_type(DType::kF32, {Dim(5)});
  EXPECT_EQ(three, five);  // the next number in both
  EXPECT_EQ(ctx.get(three).shape[0], Dim(3));
  EXPECT_EQ(clone->get(five).shape[0], Dim(5));
  EXPECT_EQ(ctx.intern(ctx.get(graph.type_id(graph.outputs()[0]))), graph.type_id(graph.outputs()[0]));
  EXPECT_EQ(clone->intern(copy.type(copy.outputs()[0])), graph.type_id(graph.outputs()[0]));
}

}  // namespace
}  // namespace isomer::ir
