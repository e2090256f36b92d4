// In which programs a rounding decides what comes out.
#include "verify/only_casts.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::verify {
namespace {

bool exact(const std::string& body) {
  ir::Context ctx(ir::standard_ops());
  return only_casts_round(
      ir::parse_graph(ctx, "graph { %x = input{name=\"x\"} : f32[4] " + body + " return %y }"));
}

TEST(OnlyCasts, MoveChooseCompareAndCast) {
  EXPECT_TRUE(exact("%y = cast{to=bf16}(%x) : bf16[4]"));
  EXPECT_TRUE(exact("%a = abs(%x) : f32[4] %y = less(%a, %x) : bool[4]"));
  EXPECT_TRUE(exact("%y = reduce_max{axes=[0], keepdims=0}(%x) : f32[]"));
  EXPECT_TRUE(exact("%y = is_nan(%x) : bool[4]"));
  EXPECT_TRUE(exact("%y = arg_max{axis=0, keepdims=0}(%x) : i64[]"));
  EXPECT_TRUE(exact("%i = cast{to=i64}(%x) : i64[4] %y = reduce_sum{axes=[0], keepdims=0}(%i) : i64[]"));
}

TEST(OnlyCasts, ArithmeticRounds) {
  EXPECT_FALSE(exact("%y = add(%x, %x) : f32[4]"));
  EXPECT_FALSE(exact("%a = exp(%x) : f32[4] %y = less(%a, %x) : bool[4]"));
  EXPECT_FALSE(exact("%y = reduce_sum{axes=[0], keepdims=0}(%x) : f32[]"));
}

}  // namespace
}  // namespace isomer::verify
