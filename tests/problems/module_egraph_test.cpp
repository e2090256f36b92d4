// The cheapest module among all decisions at once: what is shared costs once, loops are decided inside, what
// has effects stays, and what comes out is a module that computes the same.
#include "problems/module_egraph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/print.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "support/files.h"

namespace isomer::problems {
namespace {

using hlo::InstructionId;
using hlo::Module;
using hlo::Opcode;

InstructionId named(const Module& module, std::string_view name) {
  for (uint32_t i = 0; i < module.instructions.size(); ++i)
    if (module.text(module.instructions[i].name) == name) return InstructionId(i);
  ADD_FAILURE() << name;
  return {};
}

std::vector<double> ones(const Module& module) {
  std::vector<double> out;
  for (const hlo::Instruction& i : module.instructions)
    out.push_back(i.opcode == Opcode::kParameter || i.opcode == Opcode::kConstant ? 0 : 1);
  return out;
}

size_t count(const Module& module, Opcode opcode) {
  return static_cast<size_t>(std::ranges::count(module.instructions, opcode, &hlo::Instruction::opcode));
}

TEST(ModuleEGraph, WhatTwoAlternativesShareCostsOnce) {
  passes::AlternativeGraph graph(hlo::parse(R"(HloModule m

ENTRY main {
  x = f32[8]{0} parameter(0)
  p = f32[8]{0} negate(x)
  q = f32[8]{0} sine(x)
  ROOT r = (f32[8]{0}, f32[8]{0}) tuple(p, q)
}
)",
                                            "test"));
  passes::Writer& w = graph.writer();
  w.write_for(graph.module().entry);
  const InstructionId shared = w.unary(Opcode::kExp, named(graph.module(), "x"));
  const InstructionId a = w.unary(Opcode::kAbs, shared), b = w.unary(Opcode::kFloor, shared);
  graph.propose(named(graph.module(), "p"), a, "by-hand");
  graph.propose(named(graph.module(), "q"), b, "by-hand");
  std::vector<double> costs = ones(graph.module());
  costs[named(graph.module(), "p").v] = costs[named(graph.module(), "q").v] = 4;
  // Each alone costs 5 + 1 + 4, neither 8, both 5 + 1 + 1.
  costs[shared.v] = 5;
  const ExtractedModule both = cheapest_module(graph, costs, {});
  EXPECT_TRUE(both.optimal);
  EXPECT_EQ(both.cost, 5 + 1 + 1 + 1);
  EXPECT_EQ(count(both.module, Opcode::kExp), 1U);
  EXPECT_EQ(count(both.module, Opcode::kNegate), 0U);
  costs[shared.v] = 7;
  const ExtractedModule neither = cheapest_module(graph, costs, {});
  EXPECT_EQ(hlo::dag_hash(neither.module), hlo::dag_hash(graph.module()));
}

TEST(ModuleEGraph, ConstantsThatNobodyKnowsAreNotOne) {
  passes::AlternativeGraph graph(hlo::parse(R"(HloModule m

f {
  u = f32[8]{0} parameter(0)
  c = f32[8]{0} constant({...})
  ROOT v = f32[8]{0} multiply(u, c)
}

g {
  u = f32[8]{0} parameter(0)
  c = f32[8]{0} constant({...})
  ROOT v = f32[8]{0} multiply(u, c)
}

ENTRY main {
  x = f32[8]{0} parameter(0)
  a = f32[8]{0} constant({...})
  b = f32[8]{0} constant({...})
  p = f32[8]{0} multiply(x, a)
  q = f32[8]{0} multiply(x, b)
  k = f32[8]{0} fusion(x), kind=kLoop, calls=f
  l = f32[8]{0} fusion(x), kind=kLoop, calls=g
  ROOT r = (f32[8]{0}, f32[8]{0}, f32[8]{0}, f32[8]{0}) tuple(p, q, k, l)
}
)",
                                            "test"));
  const ExtractedModule same = cheapest_module(graph, ones(graph.module()), {});
  EXPECT_EQ(hlo::dag_hash(same.module), hlo::dag_hash(graph.module()));
  EXPECT_EQ(same.module.instructions.size(), graph.module().instructions.size());
}

TEST(ModuleEGraph, AComputationMayBeOfAKernelAndOfACall) {
  passes::AlternativeGraph graph(hlo::parse(R"(HloModule m

sum {
  a = f32[] parameter(0)
  b = f32[] parameter(1)
  ROOT s = f32[] add(a, b)
}

ENTRY main {
  x = f32[8]{0} parameter(0)
  z = f32[] constant(0)
  r = f32[] reduce(x, z), dimensions={0}, to_apply=sum
  ROOT c = f32[] call(r, z), to_apply=sum
}
)",
                                            "test"));
  const ExtractedModule same = cheapest_module(graph, ones(graph.module()), {});
  EXPECT_EQ(hlo::dag_hash(same.module), hlo::dag_hash(graph.module()));
}

TEST(ModuleEGraph, LoopsAreDecidedInsideAndEffectsStay) {
  const Module module = hlo::parse(R"(HloModule m

body {
  s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  one = s32[] constant(1)
  next = s32[] add(i, one)
  v = f32[8]{0} get-tuple-element(s), index=1
  a = f32[8]{0} negate(v)
  b = f32[8]{0} negate(a)
  c = f32[8]{0} exponential(b)
  ROOT t = (s32[], f32[8]{0}) tuple(next, c)
}

condition {
  s = (s32[], f32[8]{0}) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  n = s32[] constant(9)
  ROOT less = pred[] compare(i, n), direction=LT
}

ENTRY main {
  x = f32[8]{0} parameter(0)
  y = f32[8]{0} negate(x)
  z = f32[8]{0} negate(y)
  one = s32[] constant(1)
  start = (s32[], f32[8]{0}) tuple(one, z)
  zero = f32[] constant(0)
  unused = f32[2]{0} rng(zero, zero), distribution=rng_uniform
  ROOT w = (s32[], f32[8]{0}) while(start), condition=condition, body=body
}
)",
                                   "test");
  const std::shared_ptr<const passes::Pass> algebra[] = {passes::find_pass("algsimp")};
  const passes::AlternativeGraph graph = passes::dry_run(module, algebra);
  const ExtractedModule found = cheapest_module(graph, ones(graph.module()), {});
  hlo::require_valid(found.module);
  EXPECT_EQ(count(found.module, Opcode::kNegate), 0U) << hlo::print(found.module, hlo::Dialect::kShort);
  EXPECT_EQ(count(found.module, Opcode::kRng), 1U);
  EXPECT_EQ(hlo::difference(hlo::parse(hlo::print(found.module, hlo::Dialect::kShort), ""), found.module),
            "");
}

TEST(ModuleEGraph, OfEachModuleOfTheCorpusOneThatFitsAndIsNoDearer) {
  std::vector<std::shared_ptr<const passes::Pass>> passes;
  for (const char* name : {"algsimp", "cse", "general-fusion", "reshape-mover", "tuple-simplifier"})
    passes.push_back(passes::find_pass(name));
  size_t cheaper = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::string(ISOMER_SOURCE_DIR) + "/tests/hlo/corpus/jax")) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".txt")) continue;
    SCOPED_TRACE(path);
    const Module module = hlo::parse(read_file(path), path);
    const passes::AlternativeGraph none(module), graph = passes::dry_run(module, passes);
    Limits limits;
    limits.seconds = 2;
    const ExtractedModule before = cheapest_module(none, ones(none.module()), limits);
    const ExtractedModule found = cheapest_module(graph, ones(graph.module()), limits);
    hlo::require_valid(found.module);
    EXPECT_LE(found.cost, before.cost);
    cheaper += found.cost < before.cost;
  }
  EXPECT_GT(cheaper, 6U);
}

}  // namespace
}  // namespace isomer::problems
