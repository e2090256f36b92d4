// What passes propose, as equations of the engine's.
#include "recipes/hlo_alternative.h"

#include <gtest/gtest.h>

#include "hlo/parse.h"
#include "ir/op_table.h"
#include "passes/pass.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

constexpr const char* kText = R"(HloModule m, input_output_alias={ {}: (0, {}) }

f {
  a = f32[4]{0} parameter(0)
  zero = f32[] constant(0)
  zeros = f32[4]{0} broadcast(zero), dimensions={}
  ROOT s = f32[4]{0} add(a, zeros)
}

ENTRY main {
  x = f32[4]{0} parameter(0)
  y = f32[4]{0} parameter(1)
  c = f32[4]{0} call(x), to_apply=f
  m = f32[4]{0} multiply(c, y)
  ROOT r = f32[4]{0} exponential(m)
}
)";

passes::InstructionId named(const hlo::Module& module, std::string_view name) {
  for (uint32_t i = 0; i < module.instructions.size(); ++i)
    if (module.text(module.instructions[i].name) == name) return passes::InstructionId(i);
  ADD_FAILURE() << name;
  return {};
}

class HloAlternative : public testing::Test {
 protected:
  verify::VerdictKind verdict(const passes::AlternativeGraph& graph) {
    const rewrite::StatedSource source = stated(ctx_, graph, graph.alternatives().back());
    said_ = source.name() + " " + source.equation().title;
    return source.check(ctx_, {}, {}).kind;
  }

  ir::Context ctx_{ir::standard_ops()};
  std::string said_;
};

TEST_F(HloAlternative, WhatAPassProposesHolds) {
  const auto pass = passes::find_pass("algsimp");
  const passes::AlternativeGraph graph = passes::dry_run(hlo::parse(kText, "m.hlo"), std::span(&pass, 1));
  ASSERT_EQ(graph.alternatives().size(), 1u) << "the sum with 0, in a computation that is called";
  EXPECT_EQ(verdict(graph), verify::VerdictKind::kProved);
  EXPECT_EQ(said_, "add-zero add-zero");
}

TEST_F(HloAlternative, WhatIsWrongIsRefuted) {
  passes::AlternativeGraph graph(hlo::parse(kText, "m.hlo"));
  const auto at = [&](std::string_view name) { return named(graph.module(), name); };
  graph.writer().write_for(graph.computation_of(at("m")));
  graph.propose(at("m"), graph.writer().binary(passes::Opcode::kMultiply, at("y"), at("c")), "turned");
  EXPECT_EQ(verdict(graph), verify::VerdictKind::kProved);
  graph.propose(at("m"), graph.writer().binary(passes::Opcode::kMultiply, at("y"), at("y")), "wrong");
  EXPECT_EQ(verdict(graph), verify::VerdictKind::kRefuted);
}

TEST_F(HloAlternative, WhatTheIrCannotSayIsNotStated) {
  passes::AlternativeGraph graph(
      hlo::parse("HloModule m\n\nENTRY main {\n  x = f32[2] parameter(0)\n  c = f32[2] custom-call(x), "
                 "custom_call_target=\"none\"\n  ROOT n = f32[2] negate(c)\n}\n",
                 "m.hlo"));
  graph.propose(named(graph.module(), "n"), named(graph.module(), "x"), "wrong");
  EXPECT_THROW((void)stated(ctx_, graph, graph.alternatives()[0]), InputError);
}

}  // namespace
}  // namespace isomer::recipes
