#include "rewrite/taso_rules.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "ir/op_table.h"
#include "rewrite/rule_parser.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::rewrite {
namespace {

const std::string kSource = ISOMER_SOURCE_DIR;

std::vector<std::string> lines(const std::string& file) {
  std::istringstream in(read_file(kSource + file));
  std::vector<std::string> out;
  for (std::string line; std::getline(in, line);)
    if (!line.empty()) out.push_back(line);
  return out;
}

// TENSAT wrote TASO's file out in its own language: the same rules, in the same order.
TEST(TasoRules, AreThoseOfTensatsFiles) {
  std::vector<std::string> single, multi;
  for (const TasoRule& rule : read_taso_rules(read_file(kSource + "/rules/graph_subst.pb"), "graph_subst.pb"))
    for (const std::string& arrow : rule.arrows) (rule.arrows.size() == 1 ? single : multi).push_back(arrow);
  EXPECT_EQ(single, lines("/rules/taso_single.txt"));
  EXPECT_EQ(multi, lines("/rules/taso_multi.txt"));
}

TEST(TasoRules, CarryTheConditionsOfTheTextFiles) {
  const ir::OpTable& ops = ir::standard_ops();
  const RuleSet read = load_rules(ops, kSource + "/rules/graph_subst.pb");
  RuleSet text = load_rules(ops, kSource + "/rules/taso_single.txt");
  text.append(load_rules(ops, kSource + "/rules/taso_multi.txt"));
  ASSERT_EQ(read.rules.size(), 133u);
  ASSERT_EQ(text.rules.size(), 133u);
  size_t conditions = 0;
  for (size_t i = 0; i < read.rules.size(); ++i) {
    EXPECT_EQ(read.rules[i].name, text.rules[i].name);
    EXPECT_EQ(read.rules[i].conditions.size(), text.rules[i].conditions.size());
    conditions += read.rules[i].conditions.size();
  }
  EXPECT_GT(conditions, 0u);
}

// Beside each NAME.pb of tests/error/taso_rules lies NAME.expected, the message that it provokes.
TEST(TasoRules, BadFilesSayWhereAndWhatWasExpected) {
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kSource + "/tests/error/taso_rules")) {
    if (entry.path().extension() != ".pb") continue;
    ++files;
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".expected");
    std::string message = "accepted";
    try {
      parse_taso(ir::standard_ops(), read_file(entry.path().string()), entry.path().filename().string());
    } catch (const InputError& e) {
      message = e.what();
    }
    EXPECT_EQ(message + "\n", read_file(expected.string())) << entry.path();
  }
  EXPECT_GE(files, 12);
}

}  // namespace
}  // namespace isomer::rewrite
