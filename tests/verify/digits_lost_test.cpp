// Programs that are equal in exact arithmetic, of which one has no digits left where the other has all.
#include "verify/digits_lost.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::verify {
namespace {

DigitsLost of(const std::string& inputs, const std::string& a, const std::string& b) {
  ir::Context ctx(ir::standard_ops());
  const auto graph = [&](const std::string& body) {
    return ir::parse_graph(ctx, "graph { " + inputs + " " + body + " return %y }");
  };
  return digits_lost(graph(a), graph(b), {.tolerance = 1e-4});
}

const char* const kRow = "%x = input{name=\"x\"} : f32[4]";
const char* const kBySquares =
    "%q = mul(%x, %x) : f32[4] %m = reduce_mean{axes=[0], keepdims=1}(%q) : f32[1] "
    "%n = reduce_mean{axes=[0], keepdims=1}(%x) : f32[1] %s = mul(%n, %n) : f32[1] %y = sub(%m, %s) : f32[1]";
const char* const kInTwoPasses =
    "%n = reduce_mean{axes=[0], keepdims=1}(%x) : f32[1] %w = broadcast{shape=[4]}(%n) : f32[4] "
    "%c = sub(%x, %w) : f32[4] %q = mul(%c, %c) : f32[4] %y = reduce_mean{axes=[0], keepdims=1}(%q) : f32[1]";

TEST(DigitsLost, AVarianceFromSumsOfSquares) {
  const DigitsLost first = of(kRow, kBySquares, kInTwoPasses), second = of(kRow, kInTwoPasses, kBySquares);
  EXPECT_NE(first.by_first, "");
  EXPECT_EQ(first.by_second, "");
  EXPECT_EQ(second.by_first, "");
  EXPECT_NE(second.by_second, "");
}

// Both are as good as their inputs' last digits let them be.
TEST(DigitsLost, AnotherOrderLosesNone) {
  const std::string pair = "%x = input{name=\"x\"} : f32[4] %z = input{name=\"z\"} : f32[4]";
  const DigitsLost products =
      of(pair, "%a = mul(%x, %x) : f32[4] %b = mul(%x, %z) : f32[4] %y = sub(%a, %b) : f32[4]",
         "%a = sub(%x, %z) : f32[4] %y = mul(%x, %a) : f32[4]");
  EXPECT_EQ(products.by_first + products.by_second, "");
  const DigitsLost sums = of(pair, "%a = add(%x, %z) : f32[4] %y = add(%a, %x) : f32[4]",
                             "%a = add(%x, %x) : f32[4] %y = add(%a, %z) : f32[4]");
  EXPECT_EQ(sums.by_first + sums.by_second, "");
}

}  // namespace
}  // namespace isomer::verify
