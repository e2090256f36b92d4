#include "recipes/known_verdicts.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace isomer::recipes {
namespace {

class KnownVerdictsTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "isomer-verdicts-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  KnownVerdicts open(uint64_t build = 7) { return {Store(folder_ / "store.sqlite"), build}; }
  /// Asks, and says whether `check` had to be called.
  bool checks(KnownVerdicts& known, const std::string& statement, verify::VerdictKind kind,
              const std::string& note = {}) {
    bool called = false;
    verify::Verdict truth;
    truth.kind = kind;
    truth.note = note;
    const verify::Verdict got = known.verdict(statement, [&] {
      called = true;
      return truth;
    });
    EXPECT_EQ(got.kind, kind);
    EXPECT_EQ(got.note, note);
    return called;
  }

  std::filesystem::path folder_;
};

using Kind = verify::VerdictKind;

TEST_F(KnownVerdictsTest, OutliveTheRunWhenKept) {
  {
    KnownVerdicts known = open();
    EXPECT_FALSE(known.asked("a"));
    EXPECT_TRUE(checks(known, "a", Kind::kProved));
    EXPECT_TRUE(known.asked("a"));
    EXPECT_TRUE(checks(known, "b", Kind::kUnknown, "two\nlines"));
    known.keep();
    EXPECT_TRUE(checks(known, "c", Kind::kTested));  // not kept
    EXPECT_EQ(known.remembered(), 0u);
  }
  KnownVerdicts again = open();
  EXPECT_FALSE(again.asked("a"));
  EXPECT_FALSE(checks(again, "a", Kind::kProved));
  EXPECT_FALSE(checks(again, "b", Kind::kUnknown, "two\nlines"));
  EXPECT_EQ(again.remembered(), 2u);
  EXPECT_TRUE(checks(again, "c", Kind::kSampled));
}

TEST_F(KnownVerdictsTest, RefutationsAndOtherBuildsAreNotRemembered) {
  {
    KnownVerdicts known = open();
    EXPECT_TRUE(checks(known, "wrong", Kind::kRefuted));
    EXPECT_TRUE(checks(known, "right", Kind::kProved));
    known.keep();
  }
  KnownVerdicts same = open();
  EXPECT_TRUE(checks(same, "wrong", Kind::kRefuted));
  EXPECT_FALSE(checks(same, "right", Kind::kProved));
  KnownVerdicts other = open(8);
  EXPECT_TRUE(checks(other, "right", Kind::kProved));
  KnownVerdicts unknown_build = open(0);
  EXPECT_TRUE(checks(unknown_build, "right", Kind::kProved));
  unknown_build.keep();
  EXPECT_TRUE(checks(unknown_build, "right", Kind::kProved));
}

TEST_F(KnownVerdictsTest, ShippedArithmeticHoldsForTheContentThatWasMeasured) {
  const std::filesystem::path file = folder_ / "some.rules";
  std::ofstream(file) << "rule some { }\n";
  const ShippedArithmetic shipped(
      fmt::format("# of some rules\n\nsome.rules {:016x}\n  other: bit-exact\n  some: equal "
                  "in exact arithmetic, except at -0; the ends: both\n",
                  rule_file_hash(file.string())));
  EXPECT_EQ(shipped.find(rule_file_hash(file.string()), "some"),
            "equal in exact arithmetic, except at -0; the ends: both");
  EXPECT_EQ(shipped.find(rule_file_hash(file.string()), "other"), "bit-exact");
  EXPECT_EQ(shipped.find(rule_file_hash(file.string()), "none"), std::nullopt);
  rewrite::Rule rule;
  rule.name = "some";
  rule.file = file.string();
  KnownVerdicts known(Store(folder_ / "store.sqlite"), 7, shipped);
  EXPECT_EQ(known.arithmetic("statement", rule), "equal in exact arithmetic, except at -0; the ends: both");
  std::ofstream(file) << "rule some { } # changed\n";
  EXPECT_EQ(shipped.find(rule_file_hash(file.string()), "some"), std::nullopt);
  EXPECT_EQ(shipped.find(rule_file_hash("no such file"), "some"), std::nullopt);
}

}  // namespace
}  // namespace isomer::recipes
