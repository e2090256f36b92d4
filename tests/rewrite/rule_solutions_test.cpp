// Numbers that conditions ask for without naming them.
#include "rewrite/rule_solutions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "ir/op_table.h"
#include "rewrite/rule_parser.h"

namespace isomer::rewrite {
namespace {

/// Of the upper bound of a clip, whose name is ?m.
std::vector<double> found(const std::string& conditions) {
  const RuleSet set = parse_rules(
      ir::standard_ops(),
      "rule r { (clip{min=0.0, max=?m} ?x) => (clip{min=0.0, max=?m} ?x); if " + conditions + "; }",
      "solutions");
  const Solutions solutions = solutions_of(set.rules[0]);
  return solutions.attributes.empty() ? std::vector<double>() : solutions.attributes.begin()->second;
}
bool has(const std::vector<double>& all, double x) { return std::ranges::find(all, x) != all.end(); }

TEST(RuleSolutions, RootsAndRemainders) {
  EXPECT_TRUE(has(found("?m >= 1, ?m * ?m <= 256"), 16));
  EXPECT_TRUE(has(found("?m % 11 == 0, ?m % 13 == 0, ?m > 0"), 143));
  EXPECT_TRUE(has(found("(?m - 3) * (?m - 40) == 0"), 40));
  EXPECT_TRUE(has(found("?m * ?m <= 2147483647"), 46340)) << "beyond what is tried one by one";
  EXPECT_TRUE(found("?m * ?m < 0").empty());
  EXPECT_TRUE(found("?m >= dim(?x, 0)").empty()) << "it speaks of something else, too";
}

TEST(RuleSolutions, TheLastNumberOfEachType) {
  const std::vector<double> below_one = found("?m >= 0, ?m < 1");
  for (const double x : {1 - 0x1p-24, 1 - 0x1p-11, 1 - 0x1p-8}) EXPECT_TRUE(has(below_one, x)) << x;
  const std::vector<double> near_one = found("near(?m, 1.0)");
  EXPECT_TRUE(std::ranges::any_of(near_one, [](double x) { return x > 1 + 9e-7 && x <= 1 + 1e-6; }));
  EXPECT_TRUE(std::ranges::any_of(near_one, [](double x) { return x < 1 - 9e-7 && x >= 1 - 1e-6; }));
  EXPECT_TRUE(has(found("?m >= 65520"), std::numeric_limits<double>::infinity())) << "which it is in float16";
}

}  // namespace
}  // namespace isomer::rewrite
