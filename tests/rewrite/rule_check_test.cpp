// Every shipped rule is checked by the verifier at random instances; wrong rules are refuted, and rules that
// no types fit are reported as such.
#include "rewrite/rule_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "ir/op_table.h"
#include "rewrite/rule_parser.h"
#include "rewrite/shipped_files.h"
#include "support/sanitized.h"

namespace isomer::rewrite {
namespace {

std::string shipped(const std::string& name) { return std::string(ISOMER_SOURCE_DIR) + "/rules/" + name; }

class Shipped : public testing::TestWithParam<std::string> {};

TEST_P(Shipped, RulesAreTrue) {
  const RuleSet set = load_rules(ir::standard_ops(), shipped(GetParam()));
  RuleCheckOptions options;
  options.instances = 3;
  options.attempts = 20'000;  // rotary-of-halves is rarely met
  std::map<std::string, int> kinds;
  for (const Rule& rule : some_of(set.rules)) {
    ir::Context ctx(ir::standard_ops());  // of its own: types of many thousand attempts stay in it
    const RuleVerdict verdict = check_rule(ctx, rule, options);
    ++kinds[std::string(verify::to_string(verdict.verdict.kind))];
    EXPECT_GT(verdict.instances, 0) << rule.name << ": " << verdict.verdict.note;
    EXPECT_TRUE(verdict.verdict.equivalent())
        << rule.name << " at " << verdict.instance << ": " << verify::summary(verdict.verdict);
  }
  for (const auto& [kind, count] : kinds) RecordProperty(kind, count);
}

INSTANTIATE_TEST_SUITE_P(Files, Shipped, testing::ValuesIn(shipped_files(Length::kShort)),
                         [](const auto& instance) { return stem(instance.param); });
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, Shipped, testing::ValuesIn(shipped_files(Length::kLong)),
                         [](const auto& instance) { return stem(instance.param); });

RuleVerdict check(ir::Context& ctx, const std::string& body, int instances = RuleCheckOptions().instances) {
  const RuleSet set = parse_rules(ctx.ops(), "rule r { " + body + " }", "test");
  RuleCheckOptions options;
  options.instances = instances;
  return check_rule(ctx, set.rules[0], options);
}

TEST(RuleCheck, RefutesWhatIsWrong) {
  ir::Context ctx(ir::standard_ops());
  EXPECT_EQ(check(ctx, "(sub ?x ?y) => (sub ?y ?x)").verdict.kind, verify::VerdictKind::kRefuted);
  EXPECT_EQ(check(ctx, "(mul ?x ?a) => ?x; if splat(?a) == 2").verdict.kind, verify::VerdictKind::kRefuted);
  EXPECT_EQ(check(ctx, "(transpose{perm=?p} ?x) => ?x; if rank(?x) == 2, dim(?x, 0) == 3, !is_identity(?p)")
                .verdict.kind,
            verify::VerdictKind::kRefuted);
  // A whole slice may go backwards.
  EXPECT_EQ(
      check(ctx,
            "(slice{axes=_, starts=_, ends=_, steps=_} ?x) => ?x; if same_type(root, ?x), elements(?x) > 1",
            200)
          .verdict.kind,
      verify::VerdictKind::kRefuted);
  // True for one group only: this is what TASO and TENSAT overlook.
  EXPECT_EQ(
      check(ctx,
            "(taso.concat{axis=1, ndim=4} (taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0} ?x ?a)"
            " (taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0} ?x ?b)) =>"
            " (taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0} ?x (taso.concat{axis=0, ndim=4} ?a ?b));"
            " if dim(?x, 1) == 2 * dim(?a, 1)")
          .verdict.kind,
      verify::VerdictKind::kRefuted);
}

TEST(RuleCheck, SaysWhenNothingFits) {
  ir::Context ctx(ir::standard_ops());
  const RuleVerdict verdict = check(ctx, "(relu ?x) => ?x; if rank(?x) == 2, rank(?x) == 3");
  EXPECT_EQ(verdict.instances, 0);
  EXPECT_EQ(verdict.verdict.kind, verify::VerdictKind::kUnknown);
  EXPECT_FALSE(verdict.verdict.note.empty());
}

TEST(RuleCheck, DigitsThatAreLostAreNoRefutation) {
  ir::Context ctx(ir::standard_ops());
  // Of large numbers the sum of what is centred leaves more than a small ?y is.
  const RuleVerdict verdict =
      check(ctx,
            "dtypes f32; (add (reduce_sum{axes=[0], keepdims=0} (sub ?x (broadcast{shape=?s} "
            "(reduce_mean{axes=[0], keepdims=1} ?x)))) ?y) => ?y;",
            64);
  EXPECT_TRUE(verdict.verdict.equivalent()) << verdict.verdict.counterexample;
  EXPECT_NE(verdict.limits & verify::kCancels, 0);
}

TEST(RuleCheck, LooksAtWhatHoldsNothingBetweenTheSides) {
  ir::Context ctx(ir::standard_ops());
  // Spread to no columns there is no largest.
  const RuleVerdict verdict =
      check(ctx,
            "dtypes f32; (reduce_max{axes=[1], keepdims=1} (broadcast{shape=?s} ?x)) => ?x; "
            "if rank(?x) == 2, dim(?x, 1) == 1, length(?s) == 2, dim(?x, 0) == 1;",
            64);
  EXPECT_EQ(verdict.verdict.kind, verify::VerdictKind::kRefuted);
}

TEST(RuleCheck, ResultsOf16BitsAreComparedAsTheyAreStored) {
  ir::Context ctx(ir::standard_ops());
  const RuleVerdict verdict =
      check(ctx,
            "dtypes bf16; (cast{to=bf16} (mul (cast{to=f32} ?x) (cast{to=f32} ?y))) => (mul ?x ?y); "
            "if dtype(?x) == bf16, dtype(?y) == bf16;",
            16);
  EXPECT_TRUE(verdict.verdict.equivalent()) << verdict.verdict.counterexample;
}

TEST(RuleCheck, ProvesOverTheField) {
  ir::Context ctx(ir::standard_ops());
  const RuleVerdict verdict = check(ctx, "(matmul (matmul ?x ?a) ?b) => (matmul ?x (matmul ?a ?b))");
  EXPECT_EQ(verdict.instances, 4);
  EXPECT_EQ(verdict.verdict.kind, verify::VerdictKind::kProved);
}

}  // namespace
}  // namespace isomer::rewrite
