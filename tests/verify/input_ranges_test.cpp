// Ranges of inputs from what a program does with them.
#include "verify/input_ranges.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::verify {
namespace {

InputRange range(const std::string& body) {
  ir::Context ctx(ir::standard_ops());
  return infer_input_ranges(ir::parse_graph(ctx, "graph { " + body + " }")).at(0);
}

TEST(InputRanges, IndicesStayWithinTheTable) {
  const InputRange r = range(
      "%i = input{name=\"ids\"} : i64[4] %t = input{name=\"table\"} : f32[30,8] %y = gather{axis=0}(%t, %i) "
      ": f32[4,8] "
      "return %y");
  EXPECT_EQ(r.low, 0);
  EXPECT_EQ(r.high, 30);
  EXPECT_FALSE(r.optional);
  EXPECT_NE(r.why.find("indices"), std::string::npos);
}

// What has no axis, or names something else first.
TEST(InputRanges, IndicesOfSeveralAxesStayWithinEach) {
  const InputRange scattered = range(
      "%i = input{name=\"ids\"} : i64[2,1] %t = input{name=\"table\"} : f32[30] %u = input{name=\"u\"} : "
      "f32[2] "
      "%y = scatter_nd{reduction=\"mul\"}(%t, %i, %u) : f32[30] return %y");
  EXPECT_EQ(scattered.low, 0);
  EXPECT_EQ(scattered.high, 30);
  const InputRange gathered = range(
      "%i = input{name=\"ids\"} : i64[5,2] %t = input{name=\"table\"} : f32[30,8] "
      "%y = gather_nd{batch_dims=0}(%t, %i) : f32[5] return %y");
  EXPECT_EQ(gathered.high, 8);
  const InputRange rows = range(
      "%i = input{name=\"ids\"} : i64[5,1] %t = input{name=\"table\"} : f32[30,8] "
      "%y = gather_nd{batch_dims=0}(%t, %i) : f32[5,8] return %y");
  EXPECT_EQ(rows.high, 30);
}

// As XLA's gathers and scatters have them: a few out of range, the others anywhere within.
TEST(InputRanges, ClampedIndicesAreAroundTheTable) {
  const std::string ids =
      "%i = input{name=\"ids\"} : i64[5,1] %t = input{name=\"table\"} : f32[30,8] %m = constant : i64[] {29} "
      "%n = broadcast{shape=[5,1]}(%m) : i64[5,1] %l = min(%i, %n) : i64[5,1] ";
  const InputRange gathered = range(ids + "%y = gather_nd{batch_dims=0}(%t, %l) : f32[5,8] return %y");
  EXPECT_EQ(gathered.low, -2);
  EXPECT_TRUE(gathered.optional);
  EXPECT_EQ(gathered.high, 32);
  const InputRange scattered = range(
      ids +
      "%f = equal(%i, %l) : bool[5,1] %w = where(%f, %i, %n) : i64[5,1] %u = input{name=\"u\"} : f32[5,8] "
      "%y = scatter_nd{reduction=\"add\"}(%t, %w, %u) : f32[30,8] return %y");
  EXPECT_EQ(scattered.low, -2);
  EXPECT_EQ(scattered.high, 32);
}

TEST(InputRanges, NumbersOfBranchesReachAllOfThem) {
  const std::string inner =
      "{ %j = input{name=\"j\"} : i32[] %z = input{name=\"z\"} : f32[] %k = constant : i32[] {1} "
      "%h = equal(%j, %k) : bool[] %y = conditional{region={ %a = input{name=\"a\"} : i32[] "
      "%b = input{name=\"b\"} : f32[] return %b }, otherwise={ %a = input{name=\"a\"} : i32[] "
      "%b = input{name=\"b\"} : f32[] %n = neg(%b) : f32[] return %n }}(%h, %j, %z) : f32[] return %y }";
  const InputRange r = range(
      "%i = input{name=\"i\"} : i32[] %x = input{name=\"x\"} : f32[] %c = constant : i32[] {0} "
      "%e = equal(%i, %c) : bool[] %y = conditional{region={ %a = input{name=\"a\"} : i32[] "
      "%b = input{name=\"b\"} : f32[] return %b }, otherwise=" +
      inner + "}(%e, %i, %x) : f32[] return %y");
  EXPECT_EQ(r.low, -1);
  EXPECT_EQ(r.high, 4) << "three branches, and one number beyond them";
}

TEST(InputRanges, ShiftsAreByAboutTheWidth) {
  const auto shifts = [](const std::string& type) {
    return range("%y = input{name=\"y\"} : " + type + " %x = input{name=\"x\"} : " + type +
                 " %z = bit_shift{direction=\"LEFT\"}(%x, %y) : " + type + " return %z");
  };
  EXPECT_EQ(shifts("u8[4]").low, 0);
  EXPECT_EQ(shifts("u8[4]").high, 10);
  EXPECT_EQ(shifts("i32[4]").low, -1);
}

TEST(InputRanges, ClassesAndLengthsAreOfTheirAxis) {
  const InputRange classes = range(
      "%i = input{name=\"classes\"} : i64[2] %t = input{name=\"x\"} : f32[2,30] "
      "%y = nll_loss{reduction=\"none\"}(%t, %i) : f32[2] return %y");
  EXPECT_EQ(classes.high, 30);
  const InputRange lengths = range(
      "%i = input{name=\"lengths\"} : i64[3] %t = input{name=\"x\"} : f32[9,3] "
      "%y = reverse_sequence{batch_axis=1, time_axis=0}(%t, %i) : f32[9,3] return %y");
  EXPECT_EQ(lengths.high, 10);
}

TEST(InputRanges, ThroughMovementCastsAndShifts) {
  const InputRange r = range(
      "%i = input{name=\"ids\"} : i32[4] %w = cast{to=i64}(%i) : i64[4] %s = reshape{shape=[2,2]}(%w) : "
      "i64[2,2] "
      "%c = constant : i64[] {3} %b = broadcast{shape=[2,2]}(%c) : i64[2,2] %p = sub(%s, %b) : i64[2,2] "
      "%t = input{name=\"table\"} : f32[10,8] %y = gather{axis=0}(%t, %p) : f32[2,2,8] return %y");
  EXPECT_EQ(r.low, 3);
  EXPECT_EQ(r.high, 13);
}

TEST(InputRanges, TheNarrowestOfSeveralTables) {
  const InputRange r = range(
      "%i = input{name=\"ids\"} : i64[4] %t = input{name=\"t\"} : f32[30,8] %u = input{name=\"u\"} : "
      "f32[7,8] "
      "%a = gather{axis=0}(%t, %i) : f32[4,8] %b = gather{axis=0}(%u, %i) : f32[4,8] %y = add(%a, %b) : "
      "f32[4,8] "
      "return %y");
  EXPECT_EQ(r.high, 7);
}

TEST(InputRanges, FloatMasksAreZeroOrOne) {
  const InputRange r = range(
      "%m = input{name=\"mask\"} : f32[4] %one = constant : f32[] {1} %o = broadcast{shape=[4]}(%one) : "
      "f32[4] "
      "%k = sub(%o, %m) : f32[4] %big = constant : f32[] {-10000} %b = broadcast{shape=[4]}(%big) : f32[4] "
      "%y = mul(%k, %b) : f32[4] return %y");
  EXPECT_EQ(r.values, (std::vector<double>{0, 1}));
}

TEST(InputRanges, ProbabilitiesUnderALogarithm) {
  const InputRange direct = range("%p = input{name=\"p\"} : f32[4] %y = log(%p) : f32[4] return %y");
  EXPECT_GT(direct.low, 0);
  EXPECT_LE(direct.high, 1.001);
  // log(1 - p): below 1.
  const InputRange other = range(
      "%p = input{name=\"p\"} : f32[4] %one = constant : f32[] {1} %o = broadcast{shape=[4]}(%one) : f32[4] "
      "%q = sub(%o, %p) : f32[4] %y = log(%q) : f32[4] return %y");
  EXPECT_GE(other.low, 0);
  EXPECT_LT(other.high, 1);
}

TEST(InputRanges, LengthsAreComparedWithPositions) {
  const InputRange r = range(
      "%n = input{name=\"lengths\"} : i64[1] %b = broadcast{shape=[5]}(%n) : i64[5] "
      "%p = constant : i64[5] {0, 1, 2, 3, 4} %y = less(%p, %b) : bool[5] return %y");
  EXPECT_EQ(r.low, 0);
  EXPECT_EQ(r.high, 6);
}

TEST(InputRanges, NothingIsClaimedWithoutAReason) {
  EXPECT_FALSE(range("%x = input{name=\"x\"} : f32[4] %y = tanh(%x) : f32[4] return %y").known());
}

}  // namespace
}  // namespace isomer::verify
