#include "passes/alternatives.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/cse.h"
#include "passes/pass.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::passes {
namespace {

hlo::Module module_of(const std::string& instructions) {
  hlo::Module out = hlo::parse("HloModule m\n\nENTRY main {\n" + instructions + "}\n", "test");
  hlo::require_valid(out);
  return out;
}

InstructionId named(const Module& module, std::string_view name) {
  for (uint32_t i = 0; i < module.instructions.size(); ++i)
    if (module.text(module.instructions[i].name) == name) return InstructionId(i);
  ADD_FAILURE() << name;
  return {};
}

bool same(const Module& module, const std::string& instructions) {
  return hlo::dag_hash(module) == hlo::dag_hash(module_of(instructions));
}

const char* const kSum = R"(
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  a = f32[3] add(x, y)
  b = f32[3] multiply(a, a)
  ROOT r = f32[3] subtract(b, a)
)";

TEST(Alternatives, ADecisionIsApplied) {
  AlternativeGraph graph(module_of(kSum));
  Writer& w = graph.writer();
  const Module& m = graph.module();
  const InstructionId a = named(m, "a"), x = named(m, "x"), y = named(m, "y");
  w.write_for(m.entry);
  graph.propose(a, w.binary(Opcode::kMaximum, x, y), "first");
  graph.propose(a, x, "second");
  ASSERT_EQ(graph.choices().size(), 1U);
  EXPECT_EQ(graph.choices()[0].ways.size(), 2U);
  EXPECT_TRUE(same(graph.apply(std::vector<uint32_t>{0}).module, kSum));
  EXPECT_TRUE(same(graph.apply(std::vector<uint32_t>{1}).module, R"(
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  a = f32[3] maximum(x, y)
  b = f32[3] multiply(a, a)
  ROOT r = f32[3] subtract(b, a)
)"));
  // The parameter that nobody uses any more stays.
  EXPECT_TRUE(same(graph.apply(std::vector<uint32_t>{2}).module, R"(
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  b = f32[3] multiply(x, x)
  ROOT r = f32[3] subtract(b, x)
)"));
}

TEST(Alternatives, AnAlternativeOfAnAlternative) {
  // The value of one choice is the target of another.
  AlternativeGraph graph(module_of(kSum));
  const Module& m = graph.module();
  graph.propose(named(m, "b"), named(m, "a"), "b is a");
  graph.propose(named(m, "a"), named(m, "x"), "a is x");
  EXPECT_TRUE(same(graph.apply(std::vector<uint32_t>{1, 1}).module, R"(
  x = f32[3] parameter(0)
  y = f32[3] parameter(1)
  ROOT r = f32[3] subtract(x, x)
)"));
}

TEST(Alternatives, WhatWouldCloseACycleIsRefused) {
  // a from b's side of the tuple and b from a's: each can be had, both cannot.
  AlternativeGraph graph(module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] abs(x)
  ROOT r = f32[3] add(a, b)
)"));
  const Module& m = graph.module();
  const InstructionId a = named(m, "a"), b = named(m, "b");
  Writer& w = graph.writer();
  w.write_for(m.entry);
  graph.propose(a, w.unary(Opcode::kSign, b), "from b");
  graph.propose(b, w.unary(Opcode::kFloor, a), "from a");
  EXPECT_TRUE(graph.apply(std::vector<uint32_t>{1, 0}).refused.empty());
  EXPECT_TRUE(graph.apply(std::vector<uint32_t>{0, 1}).refused.empty());
  const Applied both = graph.apply(std::vector<uint32_t>{1, 1});
  ASSERT_EQ(both.refused.size(), 1U);
  EXPECT_EQ(both.refused[0].choice, 1U);
  EXPECT_EQ(both.refused[0].reason, "from a for b would need its own result");
  EXPECT_TRUE(hlo::verify(both.module).empty());
  // So is one that needs itself.
  graph.propose(a, w.unary(Opcode::kFloor, a), "from itself");
  EXPECT_EQ(graph.apply(std::vector<uint32_t>{2, 0}).refused.size(), 1U);
}

TEST(Alternatives, FaultsOfPassesAndCallersAreSaid) {
  AlternativeGraph graph(module_of(R"(
  x = f32[3] parameter(0)
  y = f32[4] parameter(1)
  a = f32[3] negate(x)
  ROOT r = (f32[3], f32[4]) tuple(a, y)
)"));
  const Module& m = graph.module();
  EXPECT_THROW(graph.propose(named(m, "a"), named(m, "y"), "wrong"), std::logic_error);
  graph.propose(named(m, "a"), named(m, "x"), "right");
  EXPECT_THROW((void)graph.apply({}), std::invalid_argument);
  EXPECT_THROW((void)graph.apply(std::vector<uint32_t>{2}), std::invalid_argument);
  EXPECT_THROW((void)find_pass("algsim"), UsageError);
}

TEST(Alternatives, EffectsStay) {
  const Module module = module_of(R"(
  x = f32[3] parameter(0)
  c = f32[3] custom-call(x), custom_call_target="f", custom_call_has_side_effect=true
  d = f32[3] custom-call(x), custom_call_target="g"
  ROOT r = f32[3] negate(x)
)");
  const std::shared_ptr<const Pass> passes[] = {common_subexpressions()};
  const Module out = run_to_end(module, passes).module;
  EXPECT_EQ(out.instructions.size(), 3U);
}

/// Four random decisions after another give modules whose types fit, which read back as they are printed.
void expect_modules(Module module, std::span<const std::shared_ptr<const Pass>> passes, bool may_be_refused,
                    std::mt19937& random) {
  for (int step = 0; step < 4; ++step) {
    const AlternativeGraph graph = dry_run(std::move(module), passes);
    std::vector<uint32_t> decisions;
    for (const Choice& choice : graph.choices())
      decisions.push_back(static_cast<uint32_t>(random() % (choice.ways.size() + 1)));
    Applied applied = graph.apply(decisions);
    EXPECT_TRUE(may_be_refused || applied.refused.empty()) << applied.refused[0].reason;
    ASSERT_TRUE(hlo::verify(applied.module).empty()) << hlo::verify(applied.module)[0].message;
    const std::string text = hlo::print(applied.module, hlo::Dialect::kShort);
    ASSERT_EQ(hlo::difference(hlo::parse(text, ""), applied.module), "");
    module = std::move(applied.module);
  }
}

/// What all passes propose together may close cycles.
TEST(Alternatives, AnyDecisionGivesAModule) {
  const std::shared_ptr<const Pass> two[] = {find_pass("algsimp"), find_pass("cse")};
  std::mt19937 random(7);
  const std::string folder = std::string(ISOMER_SOURCE_DIR) + "/tests/passes/algsimp";
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".before.txt")) continue;
    SCOPED_TRACE(path);
    const Module module = hlo::parse(read_file(path), path);
    ASSERT_NO_FATAL_FAILURE(expect_modules(module, two, false, random));
    ASSERT_NO_FATAL_FAILURE(expect_modules(module, all_passes(), true, random));
  }
}

/// Loops in loops whose condition and body both run the next one: written out there would be 2^60.
TEST(Alternatives, WhatManyComputationsCallIsLookedAtOnce) {
  std::string text = "HloModule m\n\nbody0 {\n  ROOT x = s32[] parameter(0)\n}\n\n";
  constexpr int kLevels = 60;
  for (int i = 1; i <= kLevels; ++i) {
    const std::string at = std::to_string(i), next = std::to_string(i - 1);
    text += "goes_on" + at + " {\n  y = s32[] parameter(0)\n  z = s32[] call(y), to_apply=body" + next +
            "\n  ROOT p = pred[] compare(z, y), direction=LT\n}\n\nbody" + at +
            " {\n  x = s32[] parameter(0)\n  ROOT r = s32[] " +
            (i == 1 ? "add(x, x)" : "while(x), condition=goes_on" + next + ", body=body" + next) + "\n}\n\n";
  }
  text +=
      "ENTRY main {\n  a = s32[] parameter(0)\n  ROOT r = s32[] while(a), condition=goes_on60, "
      "body=body60\n}\n";
  const Module module = hlo::parse(text, "test");
  EXPECT_FALSE(has_side_effect(module, module[module.entry].root));
  std::vector<std::shared_ptr<const Pass>> passes = all_passes();
  std::erase_if(passes, [](const auto& pass) { return pass->name() == "call-inliner"; });
  EXPECT_TRUE(hlo::verify(run_to_end(module, passes, 3).module).empty());
}

TEST(RunToEnd, AWatchEndsItBetweenSweeps) {
  Limits limits;
  limits.stop = StopToken();
  LimitWatch watch(limits);
  const std::shared_ptr<const Pass> passes[] = {find_pass("algsimp")};
  const Module module =
      module_of("  x = f32[3] parameter(0)\n  n = f32[3] negate(x)\n  ROOT r = f32[3] negate(n)\n");
  EXPECT_TRUE(run_to_end(module, passes, kMostSweeps, {}, &watch).at_rest);
  limits.stop.request();
  const RunResult stopped = run_to_end(module, passes, kMostSweeps, {}, &watch);
  EXPECT_FALSE(stopped.at_rest);
  EXPECT_EQ(stopped.sweeps, 0U);
  EXPECT_EQ(hlo::dag_hash(stopped.module), hlo::dag_hash(module));
}

TEST(CommonSubexpressions, EqualOnesAreOne) {
  const std::shared_ptr<const Pass> passes[] = {common_subexpressions()};
  const RunResult result = run_to_end(module_of(R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(x)
  c = f32[3] abs(a)
  d = f32[3] abs(b)
  e = f32[1] slice(c), slice={[0:1]}
  f = f32[1] slice(d), slice={[1:2]}
  ROOT r = (f32[3], f32[3], f32[1], f32[1]) tuple(c, d, e, f)
)"),
                                      passes);
  EXPECT_EQ(result.sweeps, 1U);
  EXPECT_TRUE(same(result.module, R"(
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  c = f32[3] abs(a)
  e = f32[1] slice(c), slice={[0:1]}
  f = f32[1] slice(c), slice={[1:2]}
  ROOT r = (f32[3], f32[3], f32[1], f32[1]) tuple(c, c, e, f)
)"));
}

}  // namespace
}  // namespace isomer::passes
