// Rules of integers that small draws do not tell apart.
#include "rewrite/rule_sweep.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"

namespace isomer::rewrite {
namespace {

/// With one draw of small integers to each instance.
RuleVerdict check(const std::string& body) {
  ir::Context ctx(ir::standard_ops());
  const RuleSet set = parse_rules(ctx.ops(), "rule r { " + body + " }", "test");
  RuleCheckOptions options;
  options.instances = 16;
  options.screened = 0;
  options.equivalence.float_tests = 1;
  options.equivalence.stray_tests = 0;
  return check_rule(ctx, set.rules[0], options);
}

TEST(RuleSweep, OneNumberIsItsOwnOpposite) {
  const RuleVerdict wrong = check("dtypes i32; (div (neg ?x) ?y) => (neg (div ?x ?y));");
  EXPECT_EQ(wrong.verdict.kind, verify::VerdictKind::kRefuted) << summary(wrong);
  EXPECT_NE(wrong.verdict.counterexample.find("-2147483648"), std::string::npos) << summary(wrong);
  const RuleVerdict right = check("dtypes i8; (mul (neg ?x) ?y) => (neg (mul ?x ?y));");
  EXPECT_TRUE(right.verdict.equivalent()) << summary(right);
  EXPECT_GT(right.swept, 0);
  EXPECT_NE(summary(right).find("at all values of integers"), std::string::npos) << summary(right);
}

TEST(RuleSweep, NothingToDoWhereElementsAreJoinedOrOnlyMoved) {
  EXPECT_EQ(check("dtypes i8; (reduce_max{axes=?a, keepdims=?k} (max ?x ?x)) => (reduce_max{axes=?a, "
                  "keepdims=?k} ?x);")
                .swept,
            0);
  EXPECT_EQ(
      check(
          "dtypes i8; (transpose{perm=?p} (transpose{perm=?q} ?x)) => (transpose{perm=compose(?q, ?p)} ?x);")
          .swept,
      0);
  EXPECT_EQ(check("dtypes f32; (add ?x ?y) => (add ?y ?x);").swept, 0);
}

}  // namespace
}  // namespace isomer::rewrite
