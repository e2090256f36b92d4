// Panels of what lanes read, copied a few at a time (lane_panels.h): of all types, of machines with short
// vectors, where nothing could run in threads, and as much as a thread's stack has room for.
#include <gtest/gtest.h>

#include "codegen/loops_agree.h"
#include "codegen/on_stack.h"

namespace isomer::codegen {
namespace {

/// Of what is given on both sides.
std::string product(int64_t rows, int64_t inner, int64_t columns, const char* dtype = "f32") {
  return fmt::format(
      "graph {{\n %x = input{{name=\"x\"}} : {3}[{0},{1}]\n %w = input{{name=\"w\"}} : {3}[{1},{2}]\n"
      "%y = matmul(%x, %w) : {3}[{0},{2}]\nreturn %y }}",
      rows, inner, columns, dtype);
}
std::string integers(int64_t rows, int64_t inner, int64_t columns) {
  return fmt::format(
      "graph {{\n %x = input{{name=\"x\"}} : u8[{0},{1}]\n %w = input{{name=\"w\"}} : i8[{1},{2}]\n"
      "%y = matmul_integer{{given=[0,1]}}(%x, %w) : i32[{0},{2}]\nreturn %y }}",
      rows, inner, columns);
}

/// Bytes that an iteration has for itself.
int64_t private_bytes(const LoopProgram& program) {
  int64_t out = 0;
  for (const Buffer& b : program.buffers)
    if (b.memory == Memory::kPrivate) out += ir::byte_size(b.dtype, b.count());
  return out;
}
bool has_panels(const LoopProgram& program) {
  return print(program).find("private panels") != std::string::npos;
}

TEST(LanePanels, OfAllTypesComputeTheSame) {
  for (const std::string& text : {product(13, 3, 38), product(13, 3, 38, "f16"), integers(13, 3, 38)}) {
    ir::Context ctx(ir::standard_ops());
    const ir::Graph graph = ir::parse_graph(ctx, text);
    EXPECT_TRUE(has_panels(generate(graph, little()))) << text;
    EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5), "") << text;
  }
}

TEST(LanePanels, OfMachinesWithShortVectorsComputeTheSame) {
  for (const int64_t lanes : {1, 2, 4})
    for (const int64_t block : {1, 2, 4}) {
      if (block > lanes) continue;
      ir::Context ctx(ir::standard_ops());
      const ir::Graph graph = ir::parse_graph(ctx, product(40, 3, 38));
      ScheduleOptions options = little(block);
      options.lanes = lanes;
      EXPECT_EQ(scheduled_otherwise(graph, options), "") << lanes << " lanes, blocks of " << block;
    }
}

TEST(LanePanels, LeaveSomethingForThreads) {
  for (const int64_t columns : {16, 24, 32}) {
    ir::Context ctx(ir::standard_ops());
    LoopProgram program = generate(ir::parse_graph(ctx, product(96, 64, columns)), options_for({}));
    const Loop* work = find_loop(program.body, [&](const Loop& l) {
      return l.kind == LoopKind::kParallel && uses_of(l.body).contains(program.outputs[0]);
    });
    ASSERT_NE(work, nullptr) << print(program);
    EXPECT_GT(work->end.value(), 1) << print(program);
  }
}

// Three products in a block, each of them twice, since the first iteration is apart.
TEST(LanePanels, OfAKernelFitTheStackOfAThread) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[2,48,512]
    %u = input{name="u"} : f32[512,512]
    %v = input{name="v"} : f32[512,512]
    %w = input{name="w"} : f32[512,512]
    %k = kernel{body={
      %a = input{name="a"} : f32[1,24,512]
      %b = input{name="b"} : f32[512,512]
      %c = input{name="c"} : f32[512,512]
      %d = input{name="d"} : f32[512,512]
      %m = matmul(%a, %b) : f32[1,24,512]
      %n = matmul(%m, %c) : f32[1,24,512]
      %p = matmul(%n, %d) : f32[1,24,512]
      %s = accum.max(%p) : f32[1,24,512]
      return %s
    }, grid=[2,1,1], loops=[2], imap=[0,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1,-1], fmap=[1,-1,-1,-1], omap=[0,-1,-1]}(%x, %u, %v, %w)
      : f32[2,24,512]
    return %k })");
  const LoopProgram program = generate(graph, options_for({}));
  EXPECT_TRUE(has_panels(program));
  EXPECT_LE(private_bytes(program), kMostOnStack) << print(program);
  EXPECT_EQ(check(program), "");
}

}  // namespace
}  // namespace isomer::codegen
