#include "ir/layout.h"

#include <gtest/gtest.h>

#include "ir/graph.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

TEST(Layout, TypeRulesDoNotLookAtIt) {
  Context ctx(standard_ops());
  Builder b(ctx);
  Type type = Type::tensor(DType::kF32, static_shape({2, 3}));
  const ValueId plain = b.input("y", ctx.intern(type));
  type.layout = {0, 1};
  const ValueId x = b.input("x", ctx.intern(type));
  EXPECT_EQ(print(ctx, b.type_id(x)), "f32[2,3]{0,1}");
  EXPECT_EQ(without_layout(ctx, b.type_id(x)), b.type_id(plain));
  EXPECT_EQ(b.type_id(b.add("neg", {x})), b.type_id(plain));
  EXPECT_EQ(b.type_id(b.add("add", {x, plain})), b.type_id(plain));
  EXPECT_EQ(b.type_id(b.add("after", {x, plain})), b.type_id(plain));
}

TEST(Layout, ACopyHasTheOneThatItIsGiven) {
  Context ctx(standard_ops());
  Builder b(ctx);
  const ValueId x = b.input("x", ctx.tensor_type(DType::kF32, static_shape({2, 3})));
  const auto type = [&](std::vector<int64_t> layout) {
    return print(ctx, b.type_id(b.add("copy", {x}, {{"layout", std::move(layout)}})));
  };
  EXPECT_EQ(type({0, 1}), "f32[2,3]{0,1}");
  EXPECT_EQ(type({1, 0}), "f32[2,3]") << "row-major is what no layout says";
  EXPECT_EQ(type({}), "f32[2,3]");
  EXPECT_THROW(type({0, 0}), MisuseError);
  EXPECT_THROW(type({0}), MisuseError);
}

}  // namespace
}  // namespace isomer::ir
