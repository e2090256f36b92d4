// Programs in parts: equal ones are equal as programs, what depends on constants runs at load, and scratch
// that lives at one time does not overlap.
#include "codegen/parts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "codegen/generate.h"
#include "codegen/llvm_text.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::codegen {
namespace {

// Two equal layers: product, norm.
const char* const kLayers = R"(graph {
  %x = input{name="x"} : f32[40,32]
  %w = input{name="w"} : f32[32,32]
  %v = input{name="v"} : f32[32,32]
  %a = matmul(%x, %w) : f32[40,32]
  %b = softmax{axis=1}(%a) : f32[40,32]
  %c = matmul(%b, %v) : f32[40,32]
  %d = softmax{axis=1}(%c) : f32[40,32]
  return %d })";

int64_t bytes(const Buffer& b) { return ir::byte_size(b.dtype, b.count()); }

TEST(Parts, EqualOnesHaveEqualCode) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate(ir::parse_graph(ctx, kLayers));
  const Parts parts = in_parts(program);
  std::set<std::string> texts;
  for (const Part& p : parts.parts) {
    texts.insert(llvm_function(p.program).text);
    EXPECT_FALSE(p.at_load);
    EXPECT_TRUE(p.range.has_value());
  }
  EXPECT_EQ(parts.parts.size(), 2 * texts.size());
}

TEST(Parts, ScratchThatLivesAtOneTimeLiesApart) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate(ir::parse_graph(ctx, kLayers));
  const Parts parts = in_parts(program);
  std::map<int, std::pair<size_t, size_t>> lives;
  for (size_t p = 0; p < parts.parts.size(); ++p)
    for (const int b : parts.parts[p].buffers)
      if (program.buffers[static_cast<size_t>(b)].memory == Memory::kScratch)
        lives.try_emplace(b, p, p).first->second.second = p;
  EXPECT_GE(lives.size(), 3U);
  int64_t all = 0;
  for (const auto& [b, life] : lives) {
    const int64_t at = parts.offsets[static_cast<size_t>(b)],
                  end = at + bytes(program.buffers[static_cast<size_t>(b)]);
    all += end - at;
    EXPECT_GE(at, 0);
    EXPECT_LE(end, parts.workspace_bytes);
    for (const auto& [other, its] : lives) {
      if (other == b || its.first > life.second || life.first > its.second) continue;
      const int64_t begins = parts.offsets[static_cast<size_t>(other)];
      EXPECT_TRUE(begins >= end || begins + bytes(program.buffers[static_cast<size_t>(other)]) <= at);
    }
  }
  EXPECT_LT(parts.workspace_bytes, all);
}

TEST(Parts, WhatDependsOnConstantsOnlyRunsAtLoad) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[40,4]
    %w = constant : f32[4,4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
    %e = exp(%w) : f32[4,4]
    %y = matmul(%x, %e) : f32[40,4]
    return %y })");
  const LoopProgram program = generate(graph);
  const Parts parts = in_parts(program);
  int at_load = 0;
  for (const Part& p : parts.parts) {
    at_load += static_cast<int>(p.at_load);
    for (const int b : p.buffers)
      if (p.at_load) {
        const Memory m = program.buffers[static_cast<size_t>(b)].memory;
        EXPECT_TRUE(m == Memory::kConstant || parts.kept[static_cast<size_t>(b)]);
      }
  }
  EXPECT_EQ(at_load, 2);  // the exponential, and panels of it
  EXPECT_GT(parts.parts.size(), 2U);
}

// Three products by two weights: panels of the first are made once, and both products read them.
TEST(Parts, EqualPanelsOfAWeightAreMadeOnce) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[40,4]
    %w = constant : f32[4,4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
    %v = constant : f32[4,4] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 17}
    %a = matmul(%x, %w) : f32[40,4]
    %b = softmax{axis=1}(%a) : f32[40,4]
    %c = matmul(%b, %v) : f32[40,4]
    %d = softmax{axis=1}(%c) : f32[40,4]
    %y = matmul(%d, %w) : f32[40,4]
    return %y })");
  const LoopProgram program = generate(graph);
  const Parts parts = in_parts(program);
  std::set<int> made;
  std::map<int, int> read;
  for (const Part& p : parts.parts)
    for (const int b : p.buffers)
      if (parts.kept[static_cast<size_t>(b)]) {
        if (p.at_load)
          EXPECT_TRUE(made.insert(b).second);
        else
          ++read[b];
        EXPECT_GE(parts.offsets[static_cast<size_t>(b)], 0);
      }
  EXPECT_EQ(made.size(), 2U);
  std::vector<int> times;
  for (const auto& [b, n] : read) times.push_back(n);
  std::ranges::sort(times);
  EXPECT_EQ(times, (std::vector<int>{1, 2}));
}

// %k depends on constants only, but is made in one loop with what does not: what reads it cannot run before.
TEST(Parts, WhatStandsWithOthersDoesNotRunAtLoad) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[16]
    %w = constant : f32[16] {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16}
    %t = mul(%x, %w) : f32[16]
    %k = exp(%w) : f32[16]
    %u = tanh(%t) : f32[16]
    %y = add(%u, %k) : f32[16]
    %m = reshape{shape=[4,4]}(%k) : f32[4,4]
    %n = transpose{perm=[1,0]}(%m) : f32[4,4]
    %e = neg(%n) : f32[4,4]
    %z = matmul(%e, %m) : f32[4,4]
    return %y, %z })");
  const LoopProgram program = generate(graph);
  const Parts parts = in_parts(program);
  std::set<int> written;  // at load, then in calls
  for (const bool at_load : {true, false})
    for (const Part& p : parts.parts) {
      if (p.at_load != at_load) continue;
      size_t number = 0;
      for (const Buffer& b : p.program.buffers) {
        if (b.memory == Memory::kPrivate) continue;
        const int whole = p.buffers[number++];
        if (b.memory == Memory::kOutput) written.insert(whole);
        const Memory m = program.buffers[static_cast<size_t>(whole)].memory;
        EXPECT_TRUE(m == Memory::kInput || m == Memory::kConstant || written.contains(whole));
      }
    }
}

}  // namespace
}  // namespace isomer::codegen
