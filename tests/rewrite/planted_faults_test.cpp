// Faults planted on purpose, each caught by the guard that is meant for it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <string>
#include <utility>

#include "ir/op_table.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_stability.h"
#include "rewrite/shipped_files.h"

namespace isomer::rewrite {
namespace {

using verify::VerdictKind;

struct Planted {
  ir::Context ctx{ir::standard_ops()};
  RuleSet set;
  RuleVerdict verdict;
  StabilityReport stability;

  explicit Planted(const std::string& body)
      : set(parse_rules(ctx.ops(), "rule r { " + body + " }", "planted")) {
    RuleCheckOptions options;
    options.instances = 16;
    verdict = check_rule(ctx, set.rules[0], options);
    stability = measure_stability(ctx, set.rules[0]);
  }
  VerdictKind kind() const { return verdict.verdict.kind; }
};

/// Of a rule whose truth another test is about.
StabilityReport stability_of(const std::string& body, int instances = StabilityOptions().instances) {
  ir::Context ctx(ir::standard_ops());
  StabilityOptions options;
  options.instances = instances;
  return measure_stability(ctx, parse_rules(ctx.ops(), "rule r { " + body + " }", "planted").rules[0],
                           options);
}

const char* const kVariance =
    "dtypes f32; (reduce_mean{axes=?a, keepdims=1} (mul (sub ?x (broadcast{shape=?s} (reduce_mean{axes=?a, "
    "keepdims=1} "
    "?x)))"
    " (sub ?x (broadcast{shape=?s} (reduce_mean{axes=?a, keepdims=1} ?x)))))"
    " => (sub (reduce_mean{axes=?a, keepdims=1} (mul ?x ?x))"
    " (mul (reduce_mean{axes=?a, keepdims=1} ?x) (reduce_mean{axes=?a, keepdims=1} ?x)))";
const char* const kSoftmax =
    "(softmax{axis=?a} ?x) =>"
    " (div (exp ?x) (broadcast{shape=shape(?x)} (reduce_sum{axes=[?a], keepdims=1} (exp ?x))))";

TEST(PlantedFaults, AWrongRuleIsRefuted) {
  EXPECT_EQ(Planted("(matmul ?a ?b) => (matmul ?b ?a)").kind(), VerdictKind::kRefuted);
  EXPECT_EQ(Planted("(exp (mul ?x ?y)) => (mul (exp ?x) (exp ?y))").kind(), VerdictKind::kRefuted);
  EXPECT_EQ(Planted("(relu (add ?x ?y)) => (add (relu ?x) (relu ?y))").kind(), VerdictKind::kRefuted);
}

TEST(PlantedFaults, AWrongConditionIsRefuted) {
  // Right when the permutation is the identity; keeping the first axis is not enough.
  const char* const rule =
      "(reshape{shape=?s} (transpose{perm=?p} ?x)) => (reshape{shape=?s} ?x); if rank(?x) == 3, ";
  EXPECT_EQ(Planted(rule + std::string("at(?p, 0) == 0")).kind(), VerdictKind::kRefuted);
  EXPECT_EQ(Planted(rule + std::string("is_identity(?p)")).kind(), VerdictKind::kProved);
  // TASO's: two convolutions side by side as one of two groups, without a word on the numbers of kernels.
  const std::string groups =
      "(taso.concat{axis=1, ndim=4} (taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0} ?x ?a)"
      " (taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0} ?y ?b)) =>"
      " (taso.conv2d{stride_h=1, stride_w=1, padding=0, act=0} (taso.concat{axis=1, ndim=4} ?x ?y)"
      " (taso.concat{axis=0, ndim=4} ?a ?b)); if dim(?x, 1) == dim(?a, 1), dim(?y, 1) == dim(?b, 1)";
  RuleCheckOptions many;
  many.instances = 16;
  ir::Context ctx(ir::standard_ops());
  const RuleSet wrong = parse_rules(ctx.ops(), "rule r { " + groups + " }", "planted");
  EXPECT_EQ(check_rule(ctx, wrong.rules[0], many).verdict.kind, VerdictKind::kRefuted);
  const RuleSet right =
      parse_rules(ctx.ops(), "rule r { " + groups + ", dim(?a, 0) == dim(?b, 0) }", "planted");
  EXPECT_LE(check_rule(ctx, right.rules[0], many).verdict.kind, VerdictKind::kSampled);
}

TEST(PlantedFaults, ASoftmaxWithoutMaximumIsUnstable) {
  const Planted planted(kSoftmax);
  EXPECT_EQ(planted.kind(), VerdictKind::kProved) << "true over the reals: only its numbers are bad";
  EXPECT_EQ(planted.stability.measured, Stability::kUnstable);
  EXPECT_NE(planted.stability.reason.find("not finite"), std::string::npos) << planted.stability.reason;
}

TEST(PlantedFaults, AVarianceByMeanSquaresIsUnstable) {
  const Planted planted(kVariance);
  EXPECT_EQ(planted.kind(), VerdictKind::kProved);
  EXPECT_EQ(planted.stability.measured, Stability::kUnstable);
  EXPECT_NE(planted.stability.reason.find("near-cancellation"), std::string::npos)
      << planted.stability.reason;
  EXPECT_GT(planted.stability.worst, 100);
}

TEST(PlantedFaults, AnExponentialOfASumInTwoIsUnstable) {
  EXPECT_EQ(stability_of("(exp (add ?x ?y)) => (mul (exp ?x) (exp ?y))").measured, Stability::kUnstable);
}

TEST(PlantedFaults, ARuleOfFloatsUsedOnIntegersIsRefuted) {
  for (const char* rule : {"(div (mul ?x ?y) ?y) => ?x", "(mul (div ?x ?y) ?y) => ?x",
                           "(max (add ?x ?y) (add ?z ?y)) => (add (max ?x ?z) ?y)"}) {
    const Planted any(rule);
    EXPECT_EQ(any.kind(), VerdictKind::kRefuted) << rule;
    EXPECT_EQ(any.verdict.instance.find("f32"), std::string::npos)
        << "on floats it holds: " << any.verdict.instance;
    EXPECT_TRUE(Planted("dtypes f32, f64; " + std::string(rule)).verdict.verdict.equivalent()) << rule;
  }
}

TEST(PlantedFaults, ShiftsOfIntegersWithASignAreTried) {
  // A shift rounds down, a quotient towards zero.
  const std::string quotient =
      "(bit_shift{direction=\"RIGHT\"} ?x ?c) => (div ?x (broadcast{shape=shape(?x)} (constant{id=scalar(8, "
      "?x)}))); if splat(?c) == 3";
  EXPECT_EQ(Planted("dtypes i32; " + quotient).kind(), VerdictKind::kRefuted);
  EXPECT_EQ(Planted(quotient).kind(), VerdictKind::kRefuted);
  EXPECT_TRUE(Planted("dtypes u8, u32; " + quotient).verdict.verdict.equivalent());
}

TEST(Stability, WhatReordersIsNotUnstable) {
  for (const char* rule :
       {"(add (add ?x ?y) ?z) => (add ?x (add ?y ?z))",
        "(matmul (matmul ?x ?a) ?b) => (matmul ?x (matmul ?a ?b))",
        "(mul (mul ?x ?y) ?z) => (mul ?x (mul ?y ?z))", "(div ?x ?y) => (mul ?x (reciprocal ?y))",
        "(mul (add ?x ?y) ?z) => (add (mul ?x ?z) (mul ?y ?z))"})
    EXPECT_NE(stability_of(rule).measured, Stability::kUnstable) << rule << stability_of(rule).reason;
}

TEST(Stability, WhatFloat16AloneMakesInfiniteIsAnException) {
  const StabilityReport report = stability_of("(div ?x ?y) => (mul ?x (reciprocal ?y))", 64);
  EXPECT_EQ(report.measured, Stability::kReassociates) << report.reason;
  EXPECT_TRUE(report.exceptions.test(static_cast<size_t>(Exception::kOverflow)));
  EXPECT_EQ(stability_of("dtypes f16; (div ?x ?y) => (mul ?x (reciprocal ?y))").measured,
            Stability::kUnstable);
}

TEST(Stability, TheLogarithmOfASoftmaxUnderflows) {
  EXPECT_EQ(stability_of("(log_softmax{axis=?a} ?x) => (log (softmax{axis=?a} ?x))").measured,
            Stability::kUnstable);
}

TEST(Stability, ExactRulesAreSeenToBe) {
  EXPECT_EQ(stability_of("(add ?x ?y) => (add ?y ?x)").measured, Stability::kExact);
  EXPECT_EQ(stability_of("(transpose{perm=?p} (exp ?x)) => (exp (transpose{perm=?p} ?x))").measured,
            Stability::kExact);
  EXPECT_EQ(stability_of("(mul ?x (add ?y ?z)) => (add (mul ?x ?y) (mul ?x ?z))").measured,
            Stability::kReassociates);
}

TEST(Stability, InfinitiesThatSpreadAreSaid) {
  // Zero times infinity: a sum of products with zeros instead of a selection.
  const Planted planted(
      "(slice{axes=[0], starts=[0], ends=[1], steps=[1]} (mul ?x ?y)) => (slice{axes=[0], starts=[0], "
      "ends=[1], "
      "steps=[1]} (add (mul ?x ?y) (sub (broadcast{shape=shape(?x)} (reduce_sum{axes=[0], keepdims=1} ?x))"
      " (broadcast{shape=shape(?x)} (reduce_sum{axes=[0], keepdims=1} ?x))))); if rank(?x) == 2, dim(?x, 0) "
      "> 1");
  EXPECT_TRUE(planted.stability.exceptions.test(static_cast<size_t>(Exception::kSpecials)));
}

TEST(Stability, ElementsThatAreLostBesideOthersAreSaid) {
  const auto says = [](const std::string& rule, Exception e) {
    return stability_of(rule).exceptions.test(static_cast<size_t>(e));
  };
  // A tail; what is nearly alike; the number just below a half; a scale at its end.
  EXPECT_TRUE(says(
      "(sigmoid (neg ?x)) => (sub (broadcast{shape=shape(?x)} (constant{id=scalar(1, ?x)})) (sigmoid ?x))",
      Exception::kCancellation));
  EXPECT_TRUE(says("(hardmax{axis=0} ?x) => (hardmax{axis=0} (exp ?x)); if dim(?x, 0) > 1",
                   Exception::kNextToNothing));
  EXPECT_TRUE(
      says("dtypes f64; (round_away ?x) => (mul (sign ?x) (floor (add (abs ?x) (broadcast{shape=shape(?x)} "
           "(constant{id=scalar(0.5, ?x)})))))",
           Exception::kBesideConstant));
  EXPECT_TRUE(
      says("(quantize_linear (dequantize_linear ?q ?s ?z) ?s ?z) => ?q; if rank(?s) == 0, dtype(?s) == f32, "
           "splat(?s) > 0",
           Exception::kOverflow));
  for (const char* rule : {"(add (add ?x ?y) ?z) => (add ?x (add ?y ?z))", "(relu (relu ?x)) => (relu ?x)"})
    for (const Exception e :
         {Exception::kCancellation, Exception::kNextToNothing, Exception::kBesideConstant})
      EXPECT_FALSE(says(rule, e)) << rule << " at " << to_string(e);
}

TEST(PlantedFaults, AFunctionThatKeepsItsDigitsIsHeldToThem) {
  const auto says = [](const std::string& rule, Exception e) {
    return stability_of(rule).exceptions.test(static_cast<size_t>(e));
  };
  const std::string one = "(broadcast{shape=shape(?x)} (constant{id=scalar(1.0, ?x)}))";
  EXPECT_TRUE(says("(softplus (neg ?x)) => (sub (softplus ?x) ?x)", Exception::kCancellation))
      << "nothing is left of 1.8e-35 at 80";
  EXPECT_TRUE(says("(softplus ?x) => (log (add " + one + " (exp ?x)))", Exception::kCancellation));
  EXPECT_TRUE(says("(elu{alpha=1.0} ?x) => (where (less ?x (sub ?x ?x)) (sub (exp ?x) " + one + ") ?x)",
                   Exception::kNextToNothing));
  const StabilityReport written_out =
      stability_of("(sigmoid ?x) => (div " + one + " (add " + one + " (exp (neg ?x))))");
  EXPECT_EQ(written_out.measured, Stability::kReassociates) << "a kernel rounds once";
  for (const char* rule : {"(softplus (transpose{perm=?p} ?x)) => (transpose{perm=?p} (softplus ?x))",
                           "(relu (softplus ?x)) => (softplus ?x)"})
    EXPECT_EQ(arithmetic_of(stability_of(rule)), "bit-exact") << rule;
}

TEST(PlantedFaults, NumbersMadeOfComparisonsAreToldFromThoseOfNan) {
  EXPECT_TRUE(stability_of("dtypes f32; (cast{to=f32} (equal ?x ?x)) => (broadcast{shape=shape(?x)} "
                           "(constant{id=scalar(1.0, ?x)})); if dtype(?x) == f32")
                  .exceptions.test(static_cast<size_t>(Exception::kSpecials)));
}

TEST(PlantedFaults, EachTypeIsTriedInItsLastDigitBesideAConstant) {
  for (const auto& [type, digit] : {std::pair{"f16", 0x1p-4}, {"bf16", 0x1p-1}, {"f32", 0x1p-17}})
    EXPECT_TRUE(
        stability_of(
            fmt::format("(less ?o ?x) => (less (add ?o (broadcast{{shape=shape(?x)}} "
                        "(constant{{id=scalar({:.20f}, ?x)}}))) ?x); if splat(?o) == 100, dtype(?x) == {}",
                        digit, type))
            .exceptions.test(static_cast<size_t>(Exception::kBesideConstant)))
        << type << ": they part at one number";
}

TEST(PlantedFaults, WhatIsNothingOnOneSideAloneDiffersHoweverSmallItIs) {
  const auto difference = [](const std::string& rule) { return stability_of(rule).difference; };
  EXPECT_NE(
      difference("dtypes f32; (add ?x ?x) => (bit_cast{to=f32} (add (bit_cast{to=i32} ?x) "
                 "(broadcast{shape=shape(?x)} (bit_cast{to=i32} (constant{id=scalar(1.1754943508222875e-38, "
                 "?x)})))))"),
      "")
      << "0 has an exponent, too, which is raised";
  EXPECT_NE(difference("dtypes f32; (sigmoid (clip{min=-30.0, max=30.0} ?x)) => (sigmoid ?x)"), "")
      << "1e-13 of 1";
  EXPECT_NE(
      difference("dtypes f32; (clip{min=-1.0, max=1.0} (mul ?x ?c)) => (sign ?x); if splat(?c) >= 1e12"), "");
  EXPECT_EQ(difference("dtypes f32; (sub (add ?x ?y) ?y) => ?x"), "") << "what is absorbed is rounding, too";
  EXPECT_EQ(difference("dtypes f32; (softplus (neg ?x)) => (sub (softplus ?x) ?x)"), "");
  EXPECT_EQ(difference("dtypes f32; (add (mul (sub ?x ?m) ?s) ?b) => (add (mul ?x ?s) (sub ?b (mul ?m ?s)))"),
            "")
      << "what rounding leaves of 0 is no difference";
}

/// More draws of each experiment begin with the same ones.
TEST(PlantedFaults, AnExperimentTakesNothingBackThatAnotherSaw) {
  for (const char* rule : {"dtypes f32; (div (mul ?x ?y) ?z) => (mul ?x (div ?y ?z))",
                           "dtypes f32; (mul (mul ?x ?y) ?z) => (mul ?x (mul ?y ?z))",
                           "dtypes f32; (sub (add ?x ?y) ?y) => ?x"}) {
    ir::Context ctx(ir::standard_ops());
    const RuleSet set = parse_rules(ctx.ops(), std::string("rule r { ") + rule + " }", "planted");
    std::bitset<kExceptions> before;
    for (int draws = 1; draws <= 6; ++draws) {
      StabilityOptions options;
      options.draws = draws;
      std::bitset<kExceptions> seen = measure_stability(ctx, set.rules[0], options).exceptions;
      seen.reset(static_cast<size_t>(Exception::kCancellation));  // a median decides it too
      EXPECT_EQ(before & ~seen, std::bitset<kExceptions>()) << rule << " with " << draws << " draws";
      before = seen;
    }
    EXPECT_TRUE(before.any());
  }
}

class ShippedStability : public testing::TestWithParam<ShippedFile> {};

TEST_P(ShippedStability, RulesAreAsStableAsTheySay) {
  const RuleSet set =
      load_rules(ir::standard_ops(), std::string(ISOMER_SOURCE_DIR) + "/rules/" + GetParam().name);
  for (const Rule& rule : some_of(set.rules, GetParam().every)) {
    ir::Context ctx(ir::standard_ops());
    StabilityOptions options;
    options.instances = std::min(GetParam().instances, 2);
    options.draws = 3;
    const StabilityReport report = measure_stability(ctx, rule, options);
    EXPECT_LE(report.measured, rule.stability) << rule.name << ": " << report.reason;
  }
}

INSTANTIATE_TEST_SUITE_P(Files, ShippedStability, testing::ValuesIn(shipped_files(Length::kShort)),
                         [](const auto& instance) { return stem(instance.param.name); });
INSTANTIATE_TEST_SUITE_P(DISABLED_Long, ShippedStability, testing::ValuesIn(shipped_files(Length::kLong)),
                         [](const auto& instance) { return stem(instance.param.name); });

}  // namespace
}  // namespace isomer::rewrite
