#include "rewrite/generate_rules.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/op_table.h"
#include "rewrite/term_enumeration.h"

namespace isomer::rewrite {
namespace {

const GeneratedRules& of_two_operators() {
  static const GeneratedRules kRules = [] {
    GenerateOptions options;
    options.operators = 2;
    options.variables = 3;
    options.instances = 1;  // wrong rules are rule_check_test.cpp's
    return generate_rules(ir::standard_ops(), options);
  }();
  return kRules;
}

bool has(const std::string& arrow) {
  return std::ranges::any_of(of_two_operators().rules,
                             [&](const GeneratedRule& r) { return r.arrows[0] == arrow; });
}

TEST(GenerateRules, FindsTheLawsOfTheOperators) {
  EXPECT_EQ(of_two_operators().stop_reason, StopReason::kSaturated);
  EXPECT_TRUE(has("(ewadd ?input_1 ?input_2)=>(ewadd ?input_2 ?input_1)"));
  EXPECT_TRUE(has(
      "(matmul 0 (matmul 0 ?input_1 ?input_2) ?input_3)=>(matmul 0 ?input_1 (matmul 0 ?input_2 ?input_3))"));
  EXPECT_TRUE(has("(conv2d 1 1 0 2 ?input_1 ?input_2)=>(relu (conv2d 1 1 0 0 ?input_1 ?input_2))"));
  // Not commutative, not distributive over itself.
  EXPECT_FALSE(has("(matmul 0 ?input_1 ?input_2)=>(matmul 0 ?input_2 ?input_1)"));
}

TEST(GenerateRules, EveryRuleHasAVerdict) {
  ASSERT_GT(of_two_operators().rules.size(), 10u);
  for (const GeneratedRule& r : of_two_operators().rules) EXPECT_TRUE(r.verdict.equivalent()) << r.arrows[0];
}

TEST(GenerateRules, WhatTheyCoverIsSaid) {
  GenerateOptions options;
  options.operators = 2;
  const Coverage c = cover({{"(ewadd ?b ?a)=>(ewadd ?a ?b)"},
                            {"(ewadd ?a (ewadd ?b ?c))=>(ewadd ?c (ewadd ?b ?a))"},
                            {"(relu (concat 0 2 ?a ?b))=>(concat 0 2 (relu ?a) (relu ?b))"},
                            {"(matmul 0 ?a ?b)=>(matmul 0 ?b ?a)"}},
                           of_two_operators().rules, options);
  using How = CoveredRule::How;
  EXPECT_EQ(c.rules[0].how, How::kSame);
  EXPECT_EQ(c.rules[1].how, How::kFollows);
  EXPECT_EQ(c.rules[2].how, How::kMissed);
  EXPECT_EQ(c.rules[2].reason, "a side has 3 operators");
  EXPECT_EQ(c.rules[3].how, How::kMissed);
  EXPECT_NE(c.rules[3].reason, "");
  ASSERT_EQ(c.follows_there.size(), of_two_operators().rules.size());
  EXPECT_TRUE(std::ranges::count(c.follows_there, false) > 0);
}

TEST(TermEnumeration, HalvesOfAJoinAreWhatWasJoined) {
  TermEnumeration all(ir::standard_ops(), TermEnumeration::Kind::kMatrices, 2, 1);
  ASSERT_EQ(all.run(3, {}), StopReason::kSaturated);  // what is kept is one smaller
  int found = 0;
  for (uint32_t t = 0; t < all.terms().size(); ++t) {
    if (all.text(t) == "(matmul 0 ?input_1 (concat 1 2 ?input_1 ?input_2))") {
      const auto [a, b] = all.halves(t, 1);
      ASSERT_NE(a, TermEnumeration::kNone);
      EXPECT_EQ(all.text(a), "(matmul 0 ?input_1 ?input_1)");
      ++found;
    }
    if (all.text(t) == "(concat 0 2 ?input_2 ?input_1)") {
      const auto [a, b] = all.halves(t, 0);
      EXPECT_EQ(all.text(a), "?input_2");
      EXPECT_EQ(all.text(b), "?input_1");
      EXPECT_EQ(all.halves(t, 1).first, TermEnumeration::kNone);  // rows of both: no term of one operator
      ++found;
    }
  }
  EXPECT_EQ(found, 2);
}

}  // namespace
}  // namespace isomer::rewrite
