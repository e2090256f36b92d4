#include "cost/known.h"

#include <gtest/gtest.h>

#include <string>

#include "ir/op_table.h"

namespace isomer::cost {
namespace {

TEST(Known, IsWhatConstantsAndWeightsGiveByOperatorsThatCanBeFolded) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({4}));
  const ir::ValueId x = b.input("x", type);
  const ir::ValueId w = b.add("weight", {}, {{"name", "w"}, {"type", int64_t{type.v}}});
  const ir::ValueId negative = b.add("neg", {w});
  const ir::ValueId sum = b.add("add", {negative, w});
  const ir::ValueId y = b.add("add", {x, sum});
  const ir::ValueId places = b.add("iota", {}, {{"shape", ir::static_shape({4})}, {"axis", int64_t{0}}});
  const ir::Graph graph = b.finish({y, places});
  const auto known = [&](bool input) {
    std::string out;
    for (const bool k : known_values(graph, [&](size_t) { return input; })) out += k ? 'k' : '.';
    return out;
  };
  EXPECT_EQ(known(false), ".kkk..");  // a runtime makes what has no operands
  EXPECT_EQ(known(true), "kkkkk.");
}

}  // namespace
}  // namespace isomer::cost
