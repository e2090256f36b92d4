// The main job for HLO with a worker in XLA's place, to which a module takes as long as it has instructions.
#include "recipes/hlo_optimize.h"

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "runtime/fake_xla.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using HloOptimize = runtime::FakeXla;

hlo::Module module_of(const std::string& instructions) {
  return hlo::parse("HloModule m\n\nENTRY main {\n" + instructions + "}\n", "test");
}

TEST_F(HloOptimize, TakesWhatIsFaster) {
  const hlo::Module module = module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(a)
  ROOT r = f32[3] tanh(b)
)");
  const HloOptimizeResult result = hlo_optimize(module, {});
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.made_by, "all rules");
  EXPECT_EQ(result.module.instructions.size(), 2U);
  EXPECT_DOUBLE_EQ(result.speedup.median, 2);
  EXPECT_EQ(result.xla, "fake");
  EXPECT_EQ(result.evaluations, kHloEvaluations);
}

TEST_F(HloOptimize, StableHloItselfIsWhatACandidateHasToBeat) {
  // As a fake it takes as long as its text has instructions: one more than its HLO.
  const runtime::HloFile file = runtime::hlo_file(R"(module {}
// %0 = what the conversion leaves out
// as HLO
// HloModule m
// ENTRY main {
//   x = f32[3] parameter(0)
//   a = f32[3] negate(x)
//   b = f32[3] negate(a)
//   ROOT r = f32[3] tanh(b)
// }
)",
                                                  "m.mlir");
  const HloOptimizeResult result = hlo_optimize(file, {});
  EXPECT_TRUE(result.changed);
  EXPECT_DOUBLE_EQ(result.speedup.median, 2.5);
}

TEST_F(HloOptimize, WhatIsCalledIsSeenByTheRules) {
  const hlo::Module module = hlo::parse(R"(HloModule m

again {
  p = f32[3] parameter(0)
  ROOT n = f32[3] negate(p)
}

ENTRY main {
  x = f32[3] parameter(0)
  a = f32[3] call(x), to_apply=again
  ROOT b = f32[3] negate(a)
}
)",
                                        "test");
  const HloOptimizeResult result = hlo_optimize(module, {});
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.module.instructions.size(), 1U);
}

TEST_F(HloOptimize, ASearchDecidesEachProposal) {
  const hlo::Module module = module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(a)
  ROOT r = f32[3] tanh(b)
)");
  HloOptimizeOptions options;
  options.search = hlo_candidates_named("exhaustive");
  const HloOptimizeResult result = hlo_optimize(module, options);
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.made_by, "exhaustive");
  EXPECT_EQ(result.module.instructions.size(), 2U);
  EXPECT_FALSE(hlo_candidates_named("rules"));
  EXPECT_THROW((void)hlo_candidates_named("guess"), UsageError);
}

TEST_F(HloOptimize, NothingFasterIsTheModuleItself) {
  // Fewer divisions, but more instructions.
  const hlo::Module module = module_of(R"(
  x = f32[3,4] parameter(0)
  y = f32[3] parameter(1)
  b = f32[3,4] broadcast(y), dimensions={0}
  ROOT r = f32[3,4] divide(x, b)
)");
  const HloOptimizeResult result = hlo_optimize(module, {});
  EXPECT_FALSE(result.changed);
  EXPECT_EQ(hlo::dag_hash(result.module), hlo::dag_hash(module));
  EXPECT_EQ(result.candidates.size(), 2U);
}

TEST_F(HloOptimize, NoTimeIsTheModuleItself) {
  const hlo::Module module = module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  ROOT r = f32[3] negate(a)
)");
  HloOptimizeOptions options;
  options.stop.request();
  const HloOptimizeResult result = hlo_optimize(module, options);
  EXPECT_FALSE(result.changed);
  EXPECT_EQ(result.candidates.back().dropped, "no time was left");
}

TEST_F(HloOptimize, OtherOutputsAreNotTaken) {
  // The parameter's name is in all of them: every candidate differs.
  const hlo::Module module = module_of(R"(
  differ = f32[3] parameter(0)
  a = f32[3] negate(differ)
  ROOT r = f32[3] negate(a)
)");
  const HloOptimizeResult result = hlo_optimize(module, {});
  EXPECT_FALSE(result.changed);
  EXPECT_EQ(result.candidates.back().dropped, "its outputs differ");
}

TEST_F(HloOptimize, WhatIsRefutedMakesRoomForTheNextCandidate) {
  const hlo::Module module = module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(a)
  t = f32[3] tanh(b)
  c = f32[3] convert(t)
  ROOT r = f32[3] tanh(c)
)");
  std::vector<size_t> asked;
  HloOptimizeOptions options;
  options.check = [&](const hlo::Module& start, const hlo::Module& found, double seconds,
                      const Deadline& until) {
    FoundCheck out = check_module(start, found, seconds, until);
    EXPECT_TRUE(out.holds()) << out.words();
    asked.push_back(found.instructions.size());
    if (asked.size() > 1) return out;
    out.floats.kind = out.field.kind = verify::VerdictKind::kRefuted;
    out.field.on_field = verify::OnField::kOther;
    out.field.counterexample = "output 0 at [0]: 1 against 2";
    return out;
  };
  const HloOptimizeResult result = hlo_optimize(module, options);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(asked[0], 3U);
  EXPECT_GT(asked[1], asked[0]);
  EXPECT_TRUE(result.changed);
  EXPECT_EQ(result.module.instructions.size(), asked[1]);
  EXPECT_NE(result.made_by, "all rules");
  ASSERT_TRUE(result.check);
  EXPECT_TRUE(result.check->holds());
  EXPECT_EQ(result.candidates[1].made_by, "all rules");
  EXPECT_EQ(result.candidates[1].dropped, "DIFFERS: output 0 at [0]: 1 against 2");
  EXPECT_DOUBLE_EQ(result.speedup.median, 6.0 / static_cast<double>(asked[1]));
}

TEST_F(HloOptimize, WhatIsRefutedIsNotWrittenWhereThereIsNoOther) {
  const hlo::Module module = module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(a)
  ROOT r = f32[3] tanh(b)
)");
  HloOptimizeOptions options;
  options.check = [](const hlo::Module&, const hlo::Module&, double, const Deadline&) {
    FoundCheck out;
    out.floats.kind = out.field.kind = verify::VerdictKind::kRefuted;
    return out;
  };
  const HloOptimizeResult result = hlo_optimize(module, options);
  EXPECT_FALSE(result.changed);
  EXPECT_EQ(hlo::dag_hash(result.module), hlo::dag_hash(module));
  EXPECT_FALSE(result.check);
}

TEST_F(HloOptimize, WhatCannotBeDoneIsSaid) {
  EXPECT_THROW((void)hlo_optimize(module_of("  ROOT refuse = f32[3] parameter(0)\n"), {}), InputError);
  EXPECT_THROW((void)hlo_optimize(module_of("  ROOT r = f32[99] constant({...})\n"), {}), InputError);
  HloOptimizeOptions options;
  options.passes = {"nothing"};
  EXPECT_THROW((void)hlo_optimize(module_of("  ROOT r = f32[3] parameter(0)\n"), options), UsageError);
  setenv("FAKE_XLA_MISSING", "1", 1);
  EXPECT_THROW((void)hlo_optimize(module_of("  ROOT r = f32[3] parameter(0)\n"), {}), MissingRuntimeError);
}

}  // namespace
}  // namespace isomer::recipes
