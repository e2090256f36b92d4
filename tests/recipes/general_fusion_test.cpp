// Fusions change nothing: written out again, a fused module is the program that it was.
#include "passes/known_passes.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "formats/hlo_graph.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "ir/context.h"
#include "ir/dag_hash.h"
#include "ir/op_table.h"
#include "support/errors.h"
#include "support/files.h"

namespace isomer::passes {
namespace {

/// One pass to the end after another over the corpus; what was made is, written out, the program it was made
/// of.
void expect_the_same_programs(std::span<const std::shared_ptr<const Pass>> passes, size_t least_fused) {
  size_t compared = 0, fused = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(std::string(ISOMER_SOURCE_DIR) + "/tests/hlo/corpus")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".txt")) continue;
    SCOPED_TRACE(path);
    const Module module = hlo::parse(read_file(path), path);
    RunResult result;
    result.module = module;
    for (const auto& pass : passes) {
      result = run_to_end(std::move(result.module), std::span(&pass, 1));
      EXPECT_TRUE(result.at_rest);
    }
    // As it is printed: nothing hidden in the arrays.
    const Module read = hlo::parse(hlo::print(result.module, hlo::Dialect::kShort), path);
    hlo::require_valid(read);
    ir::Context ctx(ir::standard_ops());
    try {
      const uint64_t before = ir::dag_hash(formats::hlo_graph(ctx, module));
      EXPECT_EQ(before, ir::dag_hash(formats::hlo_graph(ctx, read)));
    } catch (const InputError&) {
      continue;  // what the IR cannot say
    }
    ++compared;
    fused += result.taken;
  }
  EXPECT_GT(compared, 20U);
  EXPECT_GE(fused, least_fused);
}

TEST(GeneralFusion, WhatIsFusedIsTheSameProgram) {
  expect_the_same_programs(std::array{general_fusion()}, 500);
}

// Those of graphics processors go on from fusions that are there; `fused` counts what the last one took.
TEST(FurtherFusions, WhatIsFusedIsTheSameProgram) {
  for (const auto& pass : {fusion_merger(), multi_output_fusion()}) {
    SCOPED_TRACE(pass->name());
    expect_the_same_programs(std::array{instruction_fusion(), pass}, 1);
  }
}

TEST(GeneralFusion, AProducerOfTwoConsumersIsComputedTwice) {
  const Module module = hlo::parse(R"(HloModule m

ENTRY e {
  x = f32[8]{0} parameter(0)
  y = f32[8]{0} exponential(x)
  a = f32[8]{0} negate(y)
  b = f32[8]{0} abs(y)
  ROOT r = (f32[8]{0}, f32[8]{0}) tuple(a, b)
}
)",
                                   "m.hlo");
  const AlternativeGraph graph = dry_run(module, std::array{general_fusion()});
  ASSERT_EQ(graph.choices().size(), 2U);
  const auto opcodes = [&](std::vector<uint32_t> decisions) {
    const Module made = graph.apply(decisions).module;
    std::string out;
    const hlo::Range all = made[made.entry].instructions;
    for (uint32_t i = 0; i < all.count; ++i)
      out += std::string(hlo::name(made[InstructionId(all.first + i)].opcode)) + " ";
    return out;
  };
  EXPECT_EQ(opcodes({0, 0}), "parameter exponential negate abs tuple ");
  EXPECT_EQ(opcodes({1, 0}), "parameter fusion exponential abs tuple ");
  EXPECT_EQ(opcodes({1, 1}), "parameter fusion fusion tuple ");
}

TEST(GeneralFusion, LeavesAloneWhatIsNoLoop) {
  const Module module = hlo::parse(R"(HloModule m

ENTRY e {
  x = f32[8]{0} parameter(0), sharding={replicated}
  y = f32[8]{0} custom-call(x), custom_call_target="f"
  z = f32[8]{0} negate(y), sharding={replicated}
  t = (f32[8]{0}) tuple(z)
  u = f32[8]{0} get-tuple-element(t), index=0
  ROOT r = f32[8]{0} abs(u)
}
)",
                                   "m.hlo");
  EXPECT_TRUE(dry_run(module, std::array{general_fusion()}).choices().empty());
}

}  // namespace
}  // namespace isomer::passes
