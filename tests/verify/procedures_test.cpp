// Verdicts about what sorts and what repeats.
#include <gtest/gtest.h>

#include <string>

#include "eval/doubling.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "verify/by_operands.h"
#include "verify/equivalence.h"

namespace isomer::verify {
namespace {

class ProcedureVerdicts : public testing::Test {
 protected:
  ir::Context ctx{ir::standard_ops()};

  Verdict compare(const std::string& a, const std::string& b) {
    return check_equivalent(ir::parse_graph(ctx, a), ir::parse_graph(ctx, b));
  }
};

TEST_F(ProcedureVerdicts, VerdictsOfWhatSortsFollowItsOperands) {
  const std::string of_sum = R"(graph { %x = input{name="x"} : f32[4,6]
    %y = input{name="y"} : f32[4,6]
    %s = add(%x, %y) : f32[4,6]
    %t = top_k{axis=1, k=3}(%s) : (f32[4,3], i64[4,3])
    %i = get{index=1}(%t) : i64[4,3]
    return %i })";
  std::string turned = of_sum, fewer = of_sum, smallest = of_sum;
  turned.replace(turned.find("(%x, %y)"), 8, "(%y, %x)");
  EXPECT_EQ(compare(of_sum, turned).kind, VerdictKind::kSampled);  // in the orders that were drawn
  smallest.replace(smallest.find("k=3"), 3, "k=3, largest=0");
  EXPECT_EQ(compare(of_sum, smallest).kind, VerdictKind::kRefuted);
  // Equal on numbers, no identity over a field, whose order is not the order of numbers.
  const std::string of_double = R"(graph { %x = input{name="x"} : f32[4,6]
    %s = add(%x, %x) : f32[4,6]
    %a = arg_max{axis=1}(%s) : i64[4,1]
    return %a })";
  const std::string of_it = R"(graph { %x = input{name="x"} : f32[4,6]
    %a = arg_max{axis=1}(%x) : i64[4,1]
    return %a })";
  EXPECT_EQ(compare(of_double, of_it).kind, VerdictKind::kTested);
}

TEST_F(ProcedureVerdicts, NothingIsProvedOfALoop) {
  std::string other = eval_test::kDoubling;
  other.replace(other.find("add(%v, %v)"), 11, "sub(%v, %u)");
  other.replace(other.find("%twice ="), 8, "%u = neg(%v) : f64[2]\n %twice =");
  EXPECT_EQ(compare(eval_test::kDoubling, other).kind, VerdictKind::kSampled);
  std::string longer = eval_test::kDoubling;
  longer.replace(longer.find("{5}"), 3, "{6}");
  EXPECT_EQ(compare(eval_test::kDoubling, longer).kind, VerdictKind::kRefuted);
}

TEST_F(ProcedureVerdicts, WhatIsTooLargeToBeSortedIsPaired) {
  const std::string large = R"(graph { %x = input{name="x"} : f32[100000,2000]
    %y = input{name="y"} : f32[100000,2000]
    %s = add(%x, %y) : f32[100000,2000]
    %a = arg_max{axis=1}(%s) : i64[100000,1]
    return %a })";
  std::string turned = large;
  turned.replace(turned.find("(%x, %y)"), 8, "(%y, %x)");
  const Verdict v = compare(large, turned);
  EXPECT_EQ(v.kind, VerdictKind::kUnknown);
  EXPECT_NE(v.note.find("too large"), std::string::npos) << v.note;
  const auto pair = [&](const std::string& other) {
    return check_by_operands(ir::parse_graph(ctx, large), ir::parse_graph(ctx, other), {},
                             Paired::kProceduresToo);
  };
  EXPECT_TRUE(pair(turned).equivalent());
  std::string smallest = large;
  smallest.replace(smallest.find("arg_max"), 7, "arg_min");
  EXPECT_EQ(pair(smallest).kind, VerdictKind::kUnknown)
      << "which may still be the same for all that is known";
}

}  // namespace
}  // namespace isomer::verify
