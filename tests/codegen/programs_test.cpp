// Programs of several operators: what comes together, what runs in lanes, and that it computes the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "codegen/loops_agree.h"

namespace isomer::codegen {
namespace {

LoopProgram fused(const ir::Graph& graph) {
  return shrink_buffers(fuse_loops(simplify_indices(inline_movement(lower(graph)))));
}

class Programs : public testing::TestWithParam<const char*> {};

TEST_P(Programs, ComputeTheSameAfterEachStep) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, GetParam());
  EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5), "");
}

INSTANTIATE_TEST_SUITE_P(
    Of, Programs,
    testing::Values(
        R"(graph {
             %x = input{name="x"} : f32[6,10]
             %b = input{name="b"} : f32[10]
             %w = broadcast{shape=[6,10]}(%b) : f32[6,10]
             %s = add(%x, %w) : f32[6,10]
             %y = relu(%s) : f32[6,10]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[5,9]
             %y = softmax{axis=1}(%x) : f32[5,9]
             return %y })",
        // A row that two loops write, one of them of one iteration.
        R"(graph {
             %a = input{name="a"} : f32[7,2]
             %b = input{name="b"} : f32[7,1]
             %p = relu(%a) : f32[7,2]
             %q = exp(%b) : f32[7,1]
             %c = concat{axis=1}(%p, %q) : f32[7,3]
             %y = softmax{axis=1}(%c) : f32[7,3]
             return %y })",
        // Tensor cores: whole slices, and ragged ones of what is turned.
        R"(graph {
             %a = input{name="a"} : f16[48,64]
             %b = input{name="b"} : f16[64,40]
             %m = matmul(%a, %b) : f16[48,40]
             %y = relu(%m) : f16[48,40]
             return %y })",
        R"(graph {
             %a = input{name="a"} : f16[3,19,33]
             %b = input{name="b"} : f16[3,21,33]
             %t = transpose{perm=[0,2,1]}(%b) : f16[3,33,21]
             %y = matmul(%a, %t) : f16[3,19,21]
             return %y })",
        // Vectors by matrices, many of them: nothing is shared but the vectors.
        R"(graph {
             %q = input{name="q"} : f32[3,1,7]
             %k = input{name="k"} : f32[3,7,24]
             %v = input{name="v"} : f32[3,24,20]
             %s = matmul(%q, %k) : f32[3,1,24]
             %p = softmax{axis=2}(%s) : f32[3,1,24]
             %y = matmul(%p, %v) : f32[3,1,20]
             return %y })",
        // A sum down columns of what is computed for each column.
        R"(graph {
             %x = input{name="x"} : f32[16,12]
             %b = input{name="b"} : f32[12]
             %e = exp(%b) : f32[12]
             %w = broadcast{shape=[16,12]}(%e) : f32[16,12]
             %m = mul(%x, %w) : f32[16,12]
             %y = reduce_sum{axes=[0], keepdims=0}(%m) : f32[12]
             return %y })",
        // Whole slices that begin one element later.
        R"(graph {
             %a = input{name="a"} : f16[32,72]
             %b = input{name="b"} : f16[64,32]
             %s = slice{axes=[1], starts=[1], ends=[65], steps=[1]}(%a) : f16[32,64]
             %y = matmul(%s, %b) : f16[32,32]
             return %y })",
        // Columns, and what is read along another axis than it is written along.
        R"(graph {
             %x = input{name="x"} : f32[11,13]
             %s = reduce_sum{axes=[0], keepdims=0}(%x) : f32[13]
             %t = transpose{perm=[1,0]}(%x) : f32[13,11]
             %y = tanh(%t) : f32[13,11]
             return %s, %y })",
        R"(graph {
             %x = input{name="x"} : f32[7,12]
             %w = input{name="w"} : f32[12,10]
             %b = input{name="b"} : f32[10]
             %m = matmul(%x, %w) : f32[7,10]
             %c = broadcast{shape=[7,10]}(%b) : f32[7,10]
             %s = add(%m, %c) : f32[7,10]
             %y = relu(%s) : f32[7,10]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[4,6]
             %t = transpose{perm=[1,0]}(%x) : f32[6,4]
             %r = reshape{shape=[3,8]}(%t) : f32[3,8]
             %y = exp(%r) : f32[3,8]
             return %y, %x, %y })",
        R"(graph {
             %x = input{name="x"} : f32[2,6,8]
             %w = input{name="w"} : f32[8,8]
             %q = matmul(%x, %w) : f32[2,6,8]
             %k = transpose{perm=[0,2,1]}(%x) : f32[2,8,6]
             %s = matmul(%q, %k) : f32[2,6,6]
             %p = softmax{axis=2}(%s) : f32[2,6,6]
             %y = matmul(%p, %x) : f32[2,6,8]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[1,3,7,9]
             %w = input{name="w"} : f32[6,3,3,3]
             %c = conv{strides=[2,1], pads=[1,0,1,1], dilations=[1,1], group=1}(%x, %w) : f32[1,6,4,8]
             %y = relu(%c) : f32[1,6,4,8]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[1,8,6,6]
             %w = input{name="w"} : f32[10,4,3,3]
             %y = conv{strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=2}(%x, %w) : f32[1,10,6,6]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[3,11,5]
             %w = input{name="w"} : f32[3,5,7]
             %m = matmul(%x, %w) : f32[3,11,7]
             %s = softmax{axis=2}(%m) : f32[3,11,7]
             %y = add(%s, %m) : f32[3,11,7]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[1,5,1,1]
             %e = exp(%x) : f32[1,5,1,1]
             %y = avg_pool{kernel=[3,3], strides=[1,1], pads=[1,1,1,1], dilations=[1,1], count_include_pad=1}(%e) : f32[1,5,1,1]
             return %y })",
        // A turned copy beside something else in one loop around both.
        R"(graph {
             %x = input{name="x"} : f32[3,7,4]
             %t = transpose{perm=[0,2,1]}(%x) : f32[3,4,7]
             %r = tile{repeats=[3,3,3]}(%t) : f32[9,12,21]
             %y = exp(%x) : f32[3,7,4]
             return %y, %r, %t })",
        // Where nothing is read, what says where is not read either.
        R"(graph {
             %x = input{name="x"} : f32[8]
             %i = constant : i64[4] {1, 2, 3, 5}
             %g = gather{axis=0}(%x, %i) : f32[4]
             %y = pad{pads=[9, 7], mode="constant", value=0}(%g) : f32[20]
             return %y })",
        R"(graph {
             %x = input{name="x"} : f32[8,3]
             %i = constant : i64[4] {1, 2, 3, 5}
             %j = constant : i64[3] {7, 0, 4}
             %g = gather{axis=0}(%x, %i) : f32[4,3]
             %h = gather{axis=0}(%x, %j) : f32[3,3]
             %y = concat{axis=0}(%g, %h) : f32[7,3]
             return %y })",
        // What lies beyond an index's period, in a piece that is copied into a concatenation.
        R"(graph {
             %x = input{name="x"} : f32[2,6]
             %e = exp(%x) : f32[2,6]
             %p = pad{pads=[0,2,0,1], mode="reflect", value=0}(%e) : f32[2,9]
             %y = concat{axis=1}(%p, %p, %p, %p) : f32[2,36]
             return %y })",
        // One element of an image in blocks, which is read outside of any loop.
        R"(graph {
             %x = input{name="x"} : f32[1,3,4,4]
             %w = constant : f32[4,3,1,1] {1, -2, 3, 4, 0, 2, -1, 5, 2, 3, 1, -4}
             %c = conv{strides=[1,1], pads=[0,0,0,0], dilations=[1,1], group=1}(%x, %w) : f32[1,4,4,4]
             %y = relu(%c) : f32[1,4,4,4]
             %s = slice{axes=[0,1,2,3], starts=[0,3,2,1], ends=[1,4,3,2], steps=[1,1,1,1]}(%c) : f32[1,1,1,1]
             %z = exp(%s) : f32[1,1,1,1]
             return %y, %z })"));

// Each transposition and reshape read through the one before would double the index.
TEST(Movement, LongChainsStayShort) {
  ir::Context ctx(ir::standard_ops());
  std::string text = "graph { %x = input{name=\"x\"} : f32[6,35]\n %r0 = neg(%x) : f32[6,35]\n";
  constexpr int kPairs = 30;
  for (int i = 0; i < kPairs; ++i) {
    const bool even = i % 2 == 0;
    text += fmt::format("%t{} = transpose{{perm=[1,0]}}(%r{}) : f32[{}]\n", i, i, even ? "35,6" : "21,10");
    text += fmt::format("%r{} = reshape{{shape=[{}]}}(%t{}) : f32[{}]\n", i + 1, even ? "10,21" : "6,35", i,
                        even ? "10,21" : "6,35");
  }
  const ir::Graph graph =
      ir::parse_graph(ctx, text + fmt::format("%y = exp(%r{}) : f32[6,35]\n return %y }}", kPairs));
  Rng rng(3);
  const Doubles inputs = {eval::make_value(eval_test::random_tensor(ir::DType::kF32, {6, 35}, rng))};
  EXPECT_EQ(disagreement(graph, inputs, 5), "");
}

TEST(Fused, ASoftmaxIsOneLoopOverRows) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
             %x = input{name="x"} : f32[5,9]
             %y = softmax{axis=1}(%x) : f32[5,9]
             return %y })");
  EXPECT_EQ(print(fused(graph)), R"(input x0: f32[5, 9]
private t1: f32[1]
private acc2: f32[]
private t3: f32[]
private t4: f32[9]
private t5: f32[1]
private acc7: f32[]
output y0: f32[5, 9]
for i in 0..5
  acc2[] = -inf
  for k in 0..9
    acc2[] max= x0[i, k]
  t1[0] = acc2[]
  acc7[] = 0
  for j in 0..9
    t3[] = x0[i, j] - t1[0]
    t4[j] = exp(t3[])
    acc7[] += t4[j]
  t5[0] = acc7[]
  for j in 0..9
    y0[i, j] = t4[j] / t5[0]
)");
}

// Each result is added right where it is made to what there was before: no statement reads two that are kept.
TEST(Fused, SumsOfProductsGrowWithEachProduct) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
             %x = input{name="x"} : f32[6,7]
             %v = input{name="v"} : f32[7,5]
             %w = input{name="w"} : f32[7,5]
             %z = input{name="z"} : f32[7,5]
             %a = matmul(%x, %v) : f32[6,5]
             %b = matmul(%x, %w) : f32[6,5]
             %c = matmul(%x, %z) : f32[6,5]
             %s = add(%a, %b) : f32[6,5]
             %y = add(%s, %c) : f32[6,5]
             return %y })");
  EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5), "");
  const LoopProgram program = fused(graph);
  EXPECT_EQ(program.body.size(), 3U);
  for (const Statement& s : program.body) {
    const auto uses = uses_of(s);
    EXPECT_LE(std::ranges::count_if(uses,
                                    [&](const auto& use) {
                                      return use.second.read && !use.second.written &&
                                             program.buffers[static_cast<size_t>(use.first)].memory ==
                                                 Memory::kScratch;
                                    }),
              1)
        << print(program);
  }
}

TEST(Scheduled, AProductIsMadeInRegisterTiles) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
             %x = input{name="x"} : f32[12,12]
             %w = input{name="w"} : f32[12,16]
             %m = matmul(%x, %w) : f32[12,16]
             %y = relu(%m) : f32[12,16]
             return %y })");
  ScheduleOptions options;
  options.lanes = 8;
  options.rows = 4;
  options.block = 4;
  EXPECT_EQ(print(schedule(fused(graph), options)), R"(input x0: f32[12, 12]
input x1: f32[12, 16]
output y0: f32[12, 16]
private panels5: f32[1, 12, 8]
private t2_6_8: f32[4, 8]
private acc3_7_9: f32[4, 8]
for j0b in 0..2 parallel
  for q in 0..12
    for v in 0..8 vector
      panels5[0, q, v] = x1[q, j0b * 8 + v]
  for i0 in 0..3
    for u in 0..4 unrolled
      for v in 0..8 vector
        acc3_7_9[u, v] = 0
    for k in 0..12 unrolled
      for u in 0..4 unrolled
        for v in 0..8 vector
          acc3_7_9[u, v] += x0[i0 * 4 + u, k] * panels5[0, k, v]
    for u in 0..4 unrolled
      for v in 0..8 vector
        t2_6_8[u, v] = acc3_7_9[u, v]
    for u in 0..4 unrolled
      for v in 0..8 vector
        y0[i0 * 4 + u, j0b * 8 + v] = max(t2_6_8[u, v], 0)
)");
}

// Rows of a matrix are a page apart or more, and more of them than are read at once.
TEST(Programs, MatricesThatAreReadDownPagesAreTakenInStrips) {
  for (const char* text : {R"(graph {
         %x = input{name="x"} : f32[2,48]
         %w = input{name="w"} : f32[48,1024]
         %m = matmul(%x, %w) : f32[2,1024]
         %y = relu(%m) : f32[2,1024]
         return %y })",
                           R"(graph {
         %q = input{name="q"} : f32[2,1,40]
         %k = input{name="k"} : f32[2,40,1152]
         %y = matmul(%q, %k) : f32[2,1,1152]
         return %y })"}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, text);
    EXPECT_EQ(scheduled_otherwise(graph), "") << text;
    const LoopProgram program = generate(graph, options_for({}));
    const auto strips =
        std::ranges::count_if(program.variables, [](const std::string& v) { return v == "js" || v == "ls"; });
    EXPECT_GT(strips, 0) << print(program);
  }
}

/// Iterations of loops that hold stores only, one after the other.
int64_t most_one_by_one(const std::vector<Statement>& body) {
  int64_t out = 0;
  for (const Statement& s : body)
    if (const auto* loop = std::get_if<Loop>(&s.node)) {
      const bool innermost = std::ranges::none_of(
          loop->body, [](const Statement& inner) { return std::holds_alternative<Loop>(inner.node); });
      if (innermost && loop->kind == LoopKind::kSerial)
        out = std::max(out, loop->end.value() - loop->begin.value());
      out = std::max(out, most_one_by_one(loop->body));
    }
  return out;
}

// What a softmax over channels keeps for its second pass is written through two loops: blocks, and channels
// of one.
TEST(Programs, ReductionsOverBlocksOfChannelsRunInLanes) {
  ir::Context ctx(ir::standard_ops());
  std::string numbers = "1";
  for (int i = 1; i < 32 * 3 * 9; ++i) numbers += ", " + std::to_string(i % 7);
  const ir::Graph graph = ir::parse_graph(ctx, "graph {\n %x = input{name=\"x\"} : f32[1,3,6,6]\n" +
                                                   ("%w = constant : f32[32,3,3,3] {" + numbers + "}\n") + R"(
         %c = conv{strides=[1,1], pads=[1,1,1,1], dilations=[1,1], group=1}(%x, %w) : f32[1,32,6,6]
         %t = transpose{perm=[0,2,3,1]}(%c) : f32[1,6,6,32]
         %y = softmax{axis=3}(%t) : f32[1,6,6,32]
         return %y })");
  EXPECT_EQ(scheduled_otherwise(graph), "");
  EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5), "");
  const LoopProgram program = generate(graph, options_for({}));
  for (const Statement& s : program.body) {
    const std::string loops = print({program.buffers, {}, {}, program.variables, {s}});
    if (loops.find("exp(") == std::string::npos) continue;
    EXPECT_LT(most_one_by_one({s}), 4) << loops;
  }
}

/// Iterations of all loops in lanes.
std::set<int64_t> lanes_of(const std::vector<Statement>& body) {
  std::set<int64_t> out;
  for (const Statement& s : body)
    if (const auto* loop = std::get_if<Loop>(&s.node)) {
      if (loop->kind == LoopKind::kVector) out.insert(loop->end.value() - loop->begin.value());
      out.merge(lanes_of(loop->body));
    }
  return out;
}

// 25 columns are a panel of 16, and 8 and one that are read in place: the last one is computed with three
// that were computed before.
TEST(Programs, WhatIsLeftOverOfAPanelIsOneVector) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
         %x = input{name="x"} : f32[24,12]
         %w = input{name="w"} : f32[12,25]
         %b = input{name="b"} : f32[24,25]
         %m = matmul(%x, %w) : f32[24,25]
         %y = add(%m, %b) : f32[24,25]
         return %y })");
  EXPECT_EQ(scheduled_otherwise(graph), "");
  const LoopProgram program = generate(graph, options_for({}));
  for (const int64_t lanes : lanes_of(program.body)) EXPECT_GE(lanes, 4) << print(program);
}

// 25 columns of what is turned are a panel of 16, and nine of another one: none is asked about.
TEST(Programs, PanelsThatAreTurnedAreCopiedInSquares) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
         %x = input{name="x"} : f32[24,12]
         %w = input{name="w"} : f32[25,12]
         %t = transpose{perm=[1,0]}(%w) : f32[12,25]
         %y = matmul(%x, %t) : f32[24,25]
         return %y })");
  EXPECT_EQ(scheduled_otherwise(graph), "");
  EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5), "");
  const LoopProgram program = generate(graph, options_for({}));
  EXPECT_EQ(print(program).find(" ? "), std::string::npos) << print(program);
  EXPECT_LT(most_one_by_one(program.body), 4) << print(program);
}

}  // namespace
}  // namespace isomer::codegen
