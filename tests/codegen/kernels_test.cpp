// Kernels that run by blocks and iterations compute what they are defined as: what each kind of accumulator,
// grid, loop, several outputs and threads become.
#include <gtest/gtest.h>

#include "codegen/embed.h"
#include "codegen/loops_agree.h"
#include "eval/kernel_texts.h"

namespace isomer::codegen {
namespace {

class Kernels : public testing::TestWithParam<const char*> {};

TEST_P(Kernels, ComputeTheSameByTheirSchedules) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, GetParam());
  EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5), "");
}

INSTANTIATE_TEST_SUITE_P(
    Of, Kernels,
    testing::Values(
        // A product in parts, beside the product, with what comes before and after kernels.
        R"(graph {
             %x = input{name="x"} : f32[4,6]
             %w = input{name="w"} : f32[6,8]
             %r = relu(%x) : f32[4,6]
             %k = kernel{body={
               %a = input{name="a"} : f32[2,2]
               %b = input{name="b"} : f32[2,2]
               %m = matmul(%a, %b) : f32[2,2]
               %s = accum.add(%m) : f32[2,2]
               return %s
             }, grid=[4,2,1], loops=[3], imap=[-1,0,-1,1,-1,-1], fmap=[1,0], omap=[1,0,-1]}(%r, %w) : f32[4,8]
             %t = transpose{perm=[1,0]}(%k) : f32[8,4]
             %p = matmul(%t, %r) : f32[8,6]
             return %k, %p })",
        // One block, one iteration, and what a kernel gives to another.
        R"(graph {
             %x = input{name="x"} : f32[4,6]
             %c = constant : f32[4,6] {1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 7}
             %k = kernel{body={
               %a = input{name="a"} : f32[4,6]
               %b = input{name="b"} : f32[4,6]
               %m = mul(%a, %b) : f32[4,6]
               %s = accum.add(%m) : f32[4,6]
               %e = exp(%s) : f32[4,6]
               return %e
             }, imap=[-1,-1,-1,-1,-1,-1], fmap=[-1,-1], omap=[-1,-1,-1]}(%x, %c) : f32[4,6]
             %l = kernel{body={
               %a = input{name="a"} : f32[2,3]
               %s = accum.max(%a) : f32[2,3]
               return %s
             }, grid=[2,1,1], loops=[2], imap=[0,-1,-1], fmap=[1], omap=[0,-1,-1]}(%k) : f32[4,3]
             return %l, %x })",
        // Sums that are finished after the loop, of two loops over one axis and over a third that cuts
        // nothing.
        R"(graph {
             %x = input{name="x"} : f32[6,24]
             %k = kernel{body={
               %a = input{name="a"} : f32[3,4]
               %r = accum.rms{iterations=12}(%a) : f32[3,1]
               %m = accum.mean{iterations=12}(%a) : f32[3,1]
               %s = accum.sum(%a) : f32[3,1]
               %d = div(%m, %r) : f32[3,1]
               return %d, %s
             }, grid=[2,1,1], loops=[3,2,2], imap=[0,-1,-1], fmap=[1,1,-1], omap=[0,-1,-1,0,-1,-1]}(%x)
               : (f32[6,1], f32[6,1])
             %d = get{index=0}(%k) : f32[6,1]
             %s = get{index=1}(%k) : f32[6,1]
             %y = add(%d, %s) : f32[6,1]
             return %y, %s })",
        // Online softmax: the largest so far, sums that are taken again with a larger one.
        R"(graph {
             %q = input{name="q"} : f32[2,6,8]
             %k = input{name="k"} : f32[2,8,12]
             %v = input{name="v"} : f32[2,12,8]
             %o = kernel{body={
               %a = input{name="a"} : f32[1,3,8]
               %b = input{name="b"} : f32[1,8,4]
               %c = input{name="c"} : f32[1,4,8]
               %s = matmul(%a, %b) : f32[1,3,4]
               %m = accum.running_max(%s) : f32[1,3,1]
               %w = broadcast{shape=[1,3,4]}(%m) : f32[1,3,4]
               %d = sub(%s, %w) : f32[1,3,4]
               %e = exp(%d) : f32[1,3,4]
               %p = matmul(%e, %c) : f32[1,3,8]
               %n = accum.sum_rescale(%e, %m) : f32[1,3,1]
               %t = accum.rescale(%p, %m) : f32[1,3,8]
               %u = broadcast{shape=[1,3,8]}(%n) : f32[1,3,8]
               %y = div(%t, %u) : f32[1,3,8]
               return %y
             }, grid=[2,2,1], loops=[3], imap=[0,1,-1,0,-1,-1,0,-1,-1], fmap=[-1,2,1], omap=[0,1,-1]}(%q, %k, %v)
               : f32[2,6,8]
             return %o })",
        // Tiles side by side in the order of the iterations, two loops.
        R"(graph {
             %x = input{name="x"} : f32[4,12]
             %k = kernel{body={
               %a = input{name="a"} : f32[2,2]
               %e = exp(%a) : f32[2,2]
               %t = accum.concat{axis=1, iterations=6}(%e) : f32[2,12]
               %r = reduce_sum{axes=[1], keepdims=1}(%t) : f32[2,1]
               %w = broadcast{shape=[2,12]}(%r) : f32[2,12]
               %d = div(%t, %w) : f32[2,12]
               return %d
             }, grid=[2,1,1], loops=[3,2], imap=[0,-1,-1], fmap=[1,1], omap=[0,-1,-1]}(%x) : f32[4,12]
             return %k })",
        // Threads with loops of their own.
        eval_test::kThreadsOfABlock));

TEST(KernelLoops, BlocksRunInParallelAndSumWhereTheProductIsMade) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[4,64]
    %w = input{name="w"} : f32[64,32]
    %k = kernel{body={
      %a = input{name="a"} : f32[4,16]
      %b = input{name="b"} : f32[16,8]
      %m = matmul(%a, %b) : f32[4,8]
      %s = accum.add(%m) : f32[4,8]
      return %s
    }, grid=[4,1,1], loops=[4], imap=[-1,-1,-1,1,-1,-1], fmap=[1,0], omap=[1,-1,-1]}(%x, %w) : f32[4,32]
    return %k })");
  const LoopProgram program = generate(graph);
  ASSERT_EQ(program.body.size(), 1u);
  const auto& blocks = std::get<Loop>(program.body[0].node);
  EXPECT_EQ(blocks.kind, LoopKind::kParallel);
  for (const Buffer& b : program.buffers) EXPECT_NE(b.memory, Memory::kScratch) << b.name;
  int products_kept_apart = 0;
  for_each_store(program.body, [&](const Store& s) {
    products_kept_apart += program.buffers[static_cast<size_t>(s.target.buffer)].name.starts_with("each");
  });
  EXPECT_EQ(products_kept_apart, 0);
}

/// What four iterations add: a product of tiles.
std::string sum_of_products(int rows, int columns) {
  return fmt::format(R"(graph {{
    %x = input{{name="x"}} : f32[{0},64]
    %w = input{{name="w"}} : f32[64,{1}]
    %k = kernel{{body={{
      %a = input{{name="a"}} : f32[{0},16]
      %b = input{{name="b"}} : f32[16,{1}]
      %m = matmul(%a, %b) : f32[{0},{1}]
      %s = accum.add(%m) : f32[{0},{1}]
      return %s
    }}, grid=[1,1,1], loops=[4], imap=[-1,-1,-1,-1,-1,-1], fmap=[1,0], omap=[-1,-1,-1]}}(%x, %w) : f32[{0},{1}]
    return %k }})",
                     rows, columns);
}
/// And of two blocks: a tile of numbers one by one.
std::string sum_of_numbers(int rows, int columns) {
  return fmt::format(R"(graph {{
    %x = input{{name="x"}} : f32[{1},{2}]
    %k = kernel{{body={{
      %a = input{{name="a"}} : f32[{0},{2}]
      %r = mul(%a, %a) : f32[{0},{2}]
      %s = accum.add(%r) : f32[{0},{2}]
      return %s
    }}, grid=[2,1,1], loops=[4], imap=[0,-1,-1], fmap=[0], omap=[0,-1,-1]}}(%x) : f32[{3},{2}]
    return %k }})",
                     rows, 8 * rows, columns, 2 * rows);
}
// What is left over at an edge is computed with some of what was computed before: that is not added again.
TEST(KernelLoops, WhatIsComputedTwiceIsAddedOnce) {
  std::vector<std::string> texts;
  for (const auto& [rows, columns] :
       {std::pair(16, 18), {12, 6}, {12, 25}, {12, 40}, {12, 13}, {5, 13}, {1, 13}, {7, 7}})
    texts.push_back(sum_of_products(rows, columns));
  for (const auto& [rows, columns] : {std::pair(13, 15), {1, 22}, {3, 6}, {12, 25}, {5, 37}})
    texts.push_back(sum_of_numbers(rows, columns));
  for (const std::string& text : texts) {
    ir::Context ctx(ir::standard_ops());
    EXPECT_EQ(scheduled_otherwise(ir::parse_graph(ctx, text)), "") << text;
  }
}
// A tile that is added to has no copy beside it where loops store each element once.
TEST(KernelLoops, NumbersOneByOneAreAddedWhereTheyAreMade) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate(ir::parse_graph(ctx, sum_of_numbers(13, 15)), options_for({}));
  EXPECT_TRUE(std::ranges::none_of(program.buffers, [](const Buffer& b) {
    return b.name.starts_with("each");
  })) << print(program);
}
TEST(KernelLoops, SquaresThatOverlapStoreMoreThanOnce) {
  for (const int columns : {8, 10, 16}) {
    ir::Context ctx(ir::standard_ops());
    const LoopProgram turned = generate(
        ir::parse_graph(ctx, fmt::format("graph {{\n%x = input{{name=\"x\"}} : f32[{0},8]\n"
                                         "%y = transpose{{perm=[1,0]}}(%x) : f32[8,{0}]\nreturn %y }}",
                                         columns)),
        options_for({}));
    EXPECT_EQ(stores_once(turned, turned.outputs[0]), columns != 10) << print(turned);
  }
}

}  // namespace
}  // namespace isomer::codegen
