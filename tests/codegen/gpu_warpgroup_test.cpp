// Products by groups of warps: that they compute what they mean, that what would overwrite operands of a
// product that still runs is seen, and what the kernels say.
#include "codegen/gpu_warpgroup.h"

#include <gtest/gtest.h>

#include "codegen/gpu_text.h"
#include "codegen/loops_agree.h"
#include "codegen/parts.h"

namespace isomer::codegen {
namespace {

constexpr const char* kProduct = R"(graph {
    %a = input{name="a"} : f16[50,136]
    %b = input{name="b"} : f16[136,40]
    %m = matmul(%a, %b) : f16[50,40]
    %y = relu(%m) : f16[50,40]
    return %y })";

GpuOptions small_options() {
  GpuOptions out;
  out.warpgroups = true;
  out.tile = 32;
  out.depth = 8;
  out.blocks = 1;
  return out;
}

Loop* group_of(LoopProgram& program) {
  return find_loop(program.body, [](const Loop& l) { return l.kind == LoopKind::kWarpgroup; });
}

class Groups : public testing::TestWithParam<const char*> {};

TEST_P(Groups, ComputeWhatTheProductIs) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, GetParam());
  LoopProgram program = generate_for_gpu(graph, small_options());
  ASSERT_NE(group_of(program), nullptr) << print(program);
  EXPECT_EQ(check(program), "");
  EXPECT_EQ(runs_as(graph, program), "") << print(program);
  bool said = false;
  for (const Part& part : in_parts(program).parts)
    said |= gpu_kernel(part.program).text.find("wgmma.mma_async") != std::string::npos;
  EXPECT_TRUE(said);
}

INSTANTIATE_TEST_SUITE_P(
    Of, Groups,
    testing::Values(kProduct,
                    // Neighbours along the sum on both sides, several at once; bias and residual.
                    R"(graph {
             %a = input{name="a"} : bf16[2,40,72]
             %b = input{name="b"} : bf16[2,48,72]
             %c = input{name="c"} : bf16[2,40,48]
             %t = transpose{perm=[0,2,1]}(%b) : bf16[2,72,48]
             %m = matmul(%a, %t) : bf16[2,40,48]
             %y = add(%m, %c) : bf16[2,40,48]
             return %y })",
                    // Neighbours along the rows.
                    R"(graph {
             %a = input{name="a"} : f16[40,72]
             %b = input{name="b"} : f16[40,48]
             %t = transpose{perm=[1,0]}(%a) : f16[72,40]
             %y = matmul(%t, %b) : f16[72,48]
             return %y })",
                    // Rows and columns of two axes each, as of heads of an attention.
                    R"(graph {
             %x = input{name="x"} : f16[64,24]
             %w = input{name="w"} : f16[24,48]
             %m = matmul(%x, %w) : f16[64,48]
             %r = reshape{shape=[2,32,3,16]}(%m) : f16[2,32,3,16]
             %y = transpose{perm=[0,2,1,3]}(%r) : f16[2,3,32,16]
             return %y })"));

TEST(Groups, MayNotOverwriteWhatIsStillMultiplied) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kProduct);
  LoopProgram program = generate_for_gpu(graph, small_options());
  Loop* group = group_of(program);
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->running, 1);
  group->running = 2;
  EXPECT_NE(runs_as(graph, program), "");
}

TEST(Groups, MayNotMultiplyWhatIsOnItsWay) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kProduct);
  for (const bool dropped : {false, true}) {
    LoopProgram program = generate_for_gpu(graph, small_options());
    Loop* loop = find_loop(program.body, waits);
    ASSERT_NE(loop, nullptr);
    loop->stages = dropped ? 0 : loop->stages + 1;
    EXPECT_NE(runs_as(graph, program).find("waited for"), std::string::npos);
  }
}

TEST(Groups, AreOfSizesThatInstructionsHave) {
  ir::Context ctx(ir::standard_ops());
  LoopProgram program = generate_for_gpu(ir::parse_graph(ctx, kProduct), small_options());
  Loop* group = group_of(program);
  ASSERT_NE(group, nullptr);
  group->end = 48;
  EXPECT_NE(check(program).find("sizes"), std::string::npos);
}

TEST(Groups, AreLeftWhereBytesDoNotLieTogether) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
             %a = input{name="a"} : f16[50,81]
             %b = input{name="b"} : f16[81,40]
             %y = matmul(%a, %b) : f16[50,40]
             return %y })");
  LoopProgram program = generate_for_gpu(graph, small_options());
  EXPECT_EQ(group_of(program), nullptr);
  EXPECT_EQ(check(program), "");
}

}  // namespace
}  // namespace isomer::codegen
