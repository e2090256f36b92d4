#include "meaning/expansion.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "meaning/flatten.h"

namespace isomer::meaning {
namespace {

TEST(Expansion, DefinitionsDoNotLookAtLayouts) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx, "graph { %0 = input{name=\"x\"} : f32[2,3]{0,1} %1 = taso.dropout(%0) : f32[2,3] return %1 }");
  EXPECT_EQ(flatten(graph).graph.size(), 1u) << "its definition is its operand";
}

}  // namespace
}  // namespace isomer::meaning
