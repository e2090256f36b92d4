#include "rewrite/rule_parser.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "ir/op_table.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::rewrite {
namespace {

RuleSet parse(const std::string& text) { return parse_rules(ir::standard_ops(), text, "test.rules"); }

TEST(RuleParser, ReadsAllParts) {
  const RuleSet set = parse(R"(
    # a comment
    rule two-products {
      origin "somewhere";
      stability exact;
      dtypes f32, f16;
      ordered;
      (matmul ?x ?a) => (get{index=0} (split{axis=1, sizes=[?n, dim(root2, 1)]} (matmul ?x (concat{axis=1} ?a ?b))));
      (matmul ?x ?b) => (get{index=1} (split{axis=1, sizes=[?n, dim(root2, 1)]} (matmul ?x (concat{axis=1} ?a ?b))));
      let ?n = dim(?a, 1);
      if constant(?a), rank(?b) == 2 && !constant(?x);
    })");
  ASSERT_EQ(set.rules.size(), 1u);
  const Rule& rule = set.rules[0];
  EXPECT_EQ(rule.name, "two-products");
  EXPECT_EQ(rule.origin, "somewhere");
  EXPECT_EQ(rule.stability, Stability::kExact);
  EXPECT_EQ(rule.dtypes, (std::vector{ir::DType::kF32, ir::DType::kF16}));
  EXPECT_FALSE(rule.symmetric);
  EXPECT_TRUE(rule.is_multi());
  EXPECT_EQ(rule.tensors, (std::vector<std::string>{"x", "a", "b"}));
  EXPECT_EQ(rule.attributes, (std::vector<std::string>{"n"}));
  EXPECT_EQ(rule.lets.size(), 1u);
  EXPECT_EQ(rule.conditions.size(), 2u);
  EXPECT_EQ(rule.right.size(), 2u);
}

TEST(RuleParser, AnAimIsOfTheRulesThatFollow) {
  const RuleSet set = parse(R"(
    rule before { (neg (neg ?x)) => ?x }
    aim "signs cancel";
    rule r { (abs (neg ?x)) => (abs ?x) }
    rule twice-F {
      each F in relu, abs;
      (F (F ?x)) => (F ?x);
    }
    aim "something else";
    rule last { (neg (sub ?x ?y)) => (sub ?y ?x) })");
  ASSERT_EQ(set.rules.size(), 5u);
  EXPECT_EQ(set.find("before")->aim, "");
  EXPECT_EQ(set.find("r")->aim, "signs cancel");
  EXPECT_EQ(set.find("twice-abs")->aim, "signs cancel");
  EXPECT_EQ(set.find("last")->aim, "something else");
  EXPECT_THROW((void)parse("aim signs;"), InputError);
  EXPECT_THROW((void)parse("aim \"signs\" rule r { (neg (neg ?x)) => ?x }"), InputError);
}

TEST(RuleParser, BothDirectionsAreTwoRules) {
  const RuleSet set = parse("rule r { (relu (transpose{perm=?p} ?x)) <=> (transpose{perm=?p} (relu ?x)) }");
  ASSERT_EQ(set.rules.size(), 2u);
  EXPECT_EQ(set.rules[1].name, "r.reverse");
  EXPECT_EQ(ir::standard_ops().get(set.rules[1].left[0].nodes.back().op).name, "transpose");
}

TEST(RuleParser, AFamilyIsOneRuleForEachOperator) {
  const RuleSet set = parse(R"(
    rule twice-F {
      each F in relu, clip{min=?a, max=?b};
      (F (F ?x)) => (F ?x);
      if rank(?x) > 0;
    }
    rule last { (neg (neg ?x)) => ?x })");
  ASSERT_EQ(set.rules.size(), 3u);
  EXPECT_EQ(set.rules[0].name, "twice-relu");
  EXPECT_EQ(set.rules[1].name, "twice-clip");
  EXPECT_EQ(set.rules[2].name, "last");
  EXPECT_EQ(set.rules[1].attributes, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(ir::standard_ops().get(set.rules[1].left[0].nodes.back().op).name, "clip");
  EXPECT_EQ(set.rules[1].conditions.size(), 1u);
}

TEST(RuleParser, ReadsTensatsFiles) {
  const std::string folder = std::string(ISOMER_SOURCE_DIR) + "/rules/";
  const RuleSet single = load_rules(ir::standard_ops(), folder + "taso_single.txt");
  EXPECT_EQ(single.rules.size(), 120u);
  EXPECT_EQ(single.rules[0].name, "taso1");
  const RuleSet multi = load_rules(ir::standard_ops(), folder + "taso_multi.txt");
  ASSERT_EQ(multi.rules.size(), 13u);
  for (const Rule& rule : multi.rules) EXPECT_EQ(rule.left.size(), 2u);
  EXPECT_EQ(load_rules(ir::standard_ops(), folder + "taso_handwritten.rules").rules.size(), 6u);
}

TEST(RuleSet, DisablesByName) {
  RuleSet set = parse("rule a { (neg (neg ?x)) => ?x }  rule b { (relu (relu ?x)) => (relu ?x) }");
  set.disable("a");
  EXPECT_EQ(set.rules.size(), 1u);
  EXPECT_THROW(set.disable("a"), UsageError);
}

std::string repeated(const std::string& text, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += text;
  return out;
}

/// What the parser says of this as a condition; empty: it takes it.
std::string refusal(const std::string& condition) {
  try {
    parse("rule r { (relu ?x) => (relu (relu ?x)); if\n" + condition + " }");
    return {};
  } catch (const InputError& error) {
    return error.what();
  }
}

TEST(RuleParser, LongAndDeepExpressionsAreRefusedWhereTheyBecomeSo) {
  const std::string too_deep = "expected an expression of depth at most 200";
  EXPECT_EQ(refusal(repeated("(", 150) + "1" + repeated(")", 150) + " == 1"), "");
  EXPECT_EQ(refusal(repeated("(", 5000) + "1" + repeated(")", 5000) + " == 1"),
            "test.rules:2:201: " + too_deep);
  EXPECT_EQ(refusal(repeated("[", 5000)), "test.rules:2:201: " + too_deep);
  EXPECT_EQ(refusal(repeated("!", 50'000) + "1"), "test.rules:2:201: " + too_deep);
  EXPECT_EQ(refusal(repeated("min(1,", 5000)), "test.rules:2:1199: " + too_deep);
  EXPECT_EQ(refusal("1" + repeated("+1", 500) + " > 1, 1" + repeated("+1", 500)),
            "test.rules:2:1003: expected at most 500 operators in an expression");
  EXPECT_EQ(refusal("1" + repeated("+1", 400) + " > 1, 2" + repeated("*2", 400) + " > 1"), "");
  EXPECT_EQ(refusal("1" + repeated(" + 1", 20'000) + " == 1"),
            "test.rules:2:2003: expected at most 500 operators in an expression");
  EXPECT_EQ(refusal("(" + repeated("1 + (", 5000)), "test.rules:2:997: " + too_deep);
}

TEST(RuleParser, ARuleHasSoManyVariables) {
  std::string operands;
  for (int i = 0; i < 20'000; ++i) operands += " ?x" + std::to_string(i);
  try {
    parse("rule r { (concat{axis=0}" + operands + ") => (neg ?x0) }");
    FAIL() << "was accepted";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("expected at most 1000 variables in a rule"), std::string::npos)
        << error.what();
  }
}

// Each file of tests/error/rules begins with `# expect LINE: words of the message`.
TEST(RuleParser, BadFilesSayWhereAndWhatWasExpected) {
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ISOMER_SOURCE_DIR) + "/tests/error/rules")) {
    const std::string text = read_file(entry.path().string());
    std::smatch m;
    ASSERT_TRUE(std::regex_search(text, m, std::regex("# expect (\\d+): ([^\n]*)"))) << entry.path();
    ++files;
    try {
      parse_rules(ir::standard_ops(), text, entry.path().filename().string());
      FAIL() << entry.path() << " was accepted";
    } catch (const InputError& e) {
      const std::string message = e.what();
      EXPECT_NE(message.find(entry.path().filename().string() + ":" + m[1].str() + ":"), std::string::npos)
          << message;
      EXPECT_NE(message.find(m[2].str()), std::string::npos) << message;
    }
  }
  EXPECT_GE(files, 10);
}

}  // namespace
}  // namespace isomer::rewrite
