#include "ir/attempt.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "support/errors.h"

namespace isomer::ir {
namespace {

class AttemptTest : public testing::Test {
 protected:
  ValueId input(Builder& b, const std::vector<int64_t>& sizes) {
    return b.input("", ctx_.tensor_type(DType::kF32, static_shape(sizes)));
  }
  Context ctx_{standard_ops()};
};

TEST_F(AttemptTest, SaysWhyTheFirstThatDoesNotFitDoesNot) {
  Builder b(ctx_);
  const ValueId x = input(b, {2, 3}), y = input(b, {4, 5});
  const Attempt attempt(b);
  EXPECT_TRUE(attempt);
  const ValueId fits = b.add("exp", {x});
  EXPECT_TRUE(attempt);
  const ValueId sum = b.add("add", {fits, y});
  EXPECT_FALSE(attempt);
  EXPECT_EQ(attempt.refusal().substr(0, 4), "add:");
  const std::string first = attempt.refusal();
  // What reads its shape reads something, and all that is made of it stands for nothing as well.
  const auto last = static_cast<int64_t>(b.type(sum).shape.size()) - 1;
  const ValueId kept =
      b.add("reduce_sum", {sum}, {{"axes", std::vector<int64_t>{last}}, {"keepdims", int64_t{1}}});
  b.add("matmul", {kept, b.add("exp", {x})});
  EXPECT_EQ(attempt.refusal(), first);
}

// Others go on to be held to their contract, before, within and after.
TEST_F(AttemptTest, IsOfOneBuilder) {
  Builder b(ctx_), other(ctx_);
  const ValueId x = input(b, {2}), y = input(b, {3}), v = input(other, {2}), w = input(other, {3});
  {
    const Attempt attempt(b);
    b.add("add", {x, y});
    EXPECT_THROW(other.add("add", {v, w}), MisuseError);
    const Attempt inner(other);
    other.add("add", {v, w});
    EXPECT_FALSE(inner);
    EXPECT_FALSE(attempt);
  }
  EXPECT_THROW(b.add("add", {x, y}), MisuseError);
}

}  // namespace
}  // namespace isomer::ir
