#include "ir/graph_copy.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::ir {
namespace {

class GraphCopyTest : public testing::Test {
 protected:
  Context ctx_{standard_ops()};
  const Graph graph_ = parse_graph(ctx_, R"(graph small {
  %0 = input{name="x"} : f32[2]
  %1 = exp(%0) : f32[2] "e"
  %2 = neg(%1) : f32[2] "n"
  return %2
}
)");
};

TEST_F(GraphCopyTest, CopiesAll) {
  Builder b(ctx_, graph_.title());
  GraphCopy copy(b, graph_);
  copy.inputs();
  copy.rest();
  EXPECT_EQ(print(b.finish(copy.outputs())), print(graph_));
}

// What stands for a value already is not copied, nor is it named anew.
TEST_F(GraphCopyTest, LeavesWhatStandsForSomething) {
  Builder b(ctx_);
  GraphCopy copy(b, graph_, GraphCopy::Names::kDropped);
  copy.inputs();
  const ValueId e(size_t{1});
  copy[e] = b.add("sqrt", {copy[graph_.inputs()[0]]});
  copy.rest();
  const Graph out = b.finish(copy.outputs());
  ASSERT_EQ(out.size(), 3u);
  EXPECT_EQ(out.def(ValueId(size_t{1})).name, "sqrt");
  EXPECT_EQ(out.name(ValueId(size_t{2})), "");
  EXPECT_EQ(out.operands(out.outputs()[0])[0], copy[e]);
}

}  // namespace
}  // namespace isomer::ir
