#include "passes/pipeline.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::passes {
namespace {

/// x + 0 twice over: equal sums, and what the simplifier takes away.
Module module() {
  return hlo::parse(
      "HloModule m\n\nENTRY main {\n  x = f32[4]{0} parameter(0)\n  z = f32[] constant(0)\n"
      "  b = f32[4]{0} broadcast(z), dimensions={}\n  a = f32[4]{0} add(x, b)\n  c = f32[4]{0} add(x, b)\n"
      "  e = f32[4]{0} exponential(a)\n  f = f32[4]{0} exponential(c)\n"
      "  ROOT r = (f32[4]{0}, f32[4]{0}) tuple(e, f)\n}\n",
      "m");
}

size_t instructions_after(const std::string& text) {
  return run(module(), parse_pipeline(text, "p").stages).module.instructions.size();
}

TEST(Pipeline, StagesRunInTheirOrderAndOffIsLeftOut) {
  const size_t as_it_was = module().instructions.size();
  EXPECT_EQ(instructions_after("off algsimp; off { cse; }"), as_it_was);
  EXPECT_EQ(instructions_after("cse;"), as_it_was - 2);
  EXPECT_EQ(instructions_after("algsimp;"), as_it_was - 4);
  EXPECT_EQ(instructions_after("algsimp; cse;"), as_it_was - 5);
  EXPECT_EQ(instructions_after("dry algsimp; on cse;"), as_it_was - 5);
}

/// What is equal is one only after the simplifier has run, which then has something to do again: a - a.
TEST(Pipeline, AGroupRunsUntilNothingChanges) {
  const Module equal = hlo::parse(
      "HloModule m\n\nENTRY main {\n  x = s32[4]{0} parameter(0)\n  a = s32[4]{0} negate(x)\n"
      "  b = s32[4]{0} negate(x)\n  ROOT d = s32[4]{0} subtract(a, b)\n}\n",
      "m");
  const auto after = [&](const char* text) { return run(equal, parse_pipeline(text, "p").stages); };
  EXPECT_EQ(after("algsimp; cse;").module.instructions.size(), 3u);
  const RunResult group = after("{ algsimp; cse; }");
  EXPECT_TRUE(group.at_rest);
  EXPECT_EQ(hlo::dag_hash(group.module), hlo::dag_hash(after("algsimp; cse; algsimp; cse;").module));
  EXPECT_NE(hlo::dag_hash(group.module), hlo::dag_hash(after("algsimp; cse;").module));
}

TEST(Pipeline, OneDryStageIsDecided) {
  const Decided d =
      decided(parse_pipeline("cse; dry { algsimp; off cse; tuple-simplifier; } off cse; cse;", "p"));
  EXPECT_EQ(d.before.size(), 1u);
  EXPECT_EQ(d.after.size(), 2u);
  ASSERT_EQ(d.passes.size(), 2u);
  EXPECT_EQ(d.passes[0]->name(), "algsimp");
  EXPECT_EQ(d.passes[1]->name(), "tuple-simplifier");
  EXPECT_THROW(decided(parse_pipeline("cse;", "p")), UsageError);
  EXPECT_THROW(decided(parse_pipeline("dry cse; dry algsimp;", "p")), UsageError);
  EXPECT_THROW(decided(parse_pipeline("{ dry cse; }", "p")), UsageError);
}

TEST(Pipeline, PresetsAreRead) {
  EXPECT_GE(presets().size(), 2u);
  for (const Preset& preset : presets()) {
    const Pipeline p = parse_pipeline(preset.text, std::string(preset.name));
    EXPECT_FALSE(p.without.empty());
    EXPECT_EQ(decided(p).passes.size(), 1u);
  }
}

/// Beside each NAME.pipeline of tests/error/pipeline lies NAME.expected, the message that it provokes.
TEST(Pipeline, EachErrorIsSaid) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ISOMER_SOURCE_DIR "/tests/error/pipeline")) {
    if (entry.path().extension() != ".pipeline") continue;
    ++files;
    std::filesystem::path expected = entry.path();
    expected.replace_extension(".expected");
    try {
      parse_pipeline(read_file(entry.path().string()), entry.path().filename().string());
      ADD_FAILURE() << entry.path() << " was read";
    } catch (const InputError& e) {
      EXPECT_EQ(std::string(e.what()) + "\n", read_file(expected.string())) << entry.path();
    }
  }
  EXPECT_GE(files, 10u);
}

TEST(Pass, AnAddedOneIsKnownByItsName) {
  class Nothing : public Pass {
    std::string_view name() const override { return "nothing-at-all"; }
    void propose(AlternativeGraph&) const override {}
  };
  EXPECT_THROW(find_pass("nothing-at-all"), UsageError);
  add_pass(std::make_shared<Nothing>());
  EXPECT_EQ(find_pass("nothing-at-all")->name(), "nothing-at-all");
  EXPECT_THROW(add_pass(std::make_shared<Nothing>()), UsageError);
}

}  // namespace
}  // namespace isomer::passes
