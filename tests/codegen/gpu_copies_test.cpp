// What is copied ahead: pieces that are whole or not there at all, two stages at least, and sums in parts
// whose terms are no whole pieces. Into what tiles and parts products are cut, and how many slices they copy
// ahead.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <string>
#include <utility>

#include "codegen/gpu_text.h"
#include "codegen/kernel_graphs.h"
#include "codegen/loops_agree.h"
#include "codegen/parts.h"
#include "machine/gpu.h"

namespace isomer::codegen {
namespace {

constexpr const char* kForty = R"(graph {
    %a = input{name="a"} : f16[40,48]
    %b = input{name="b"} : f16[48,24]
    %y = matmul(%a, %b) : f16[40,24]
    return %y })";

Loop* piece_of(LoopProgram& program) {
  return find_loop(program.body, [](const Loop& l) { return l.kind == LoopKind::kCopied; });
}
LoopProgram product_of_tiles(ir::Context& ctx) {
  GpuOptions options;
  options.tile = 64;
  return generate_for_gpu(ir::parse_graph(ctx, kForty), options);
}
Store& store_of(Loop& piece) { return std::get<Store>(piece.body[0].node); }

TEST(GpuCopies, AreWithinBoundsAsAWhole) {
  ir::Context ctx(ir::standard_ops());
  LoopProgram program = product_of_tiles(ctx);
  Loop* piece = piece_of(program);
  ASSERT_NE(piece, nullptr) << print(program);
  EXPECT_EQ(check(program), "");
  Access& from = store_of(*piece).reads[0];
  const std::vector<Bound> bounds = from.bounds;
  const ir::IndexExpr element = ir::IndexExpr::var(piece->variable);
  from.bounds.push_back({element, 5});  // five elements of eight
  EXPECT_NE(check(program).find("within bounds"), std::string::npos);
  from.bounds.back() = {element + 8, 24};  // all of them
  EXPECT_EQ(check(program), "");
  from.bounds.back() = {element + 4, 24};  // the same, by a number that begins within a piece
  EXPECT_NE(check(program).find("within bounds"), std::string::npos);
  from.bounds = bounds;
  store_of(*piece).target.bounds.push_back({element, 8});
  EXPECT_NE(check(program).find("within bounds"), std::string::npos);
}

TEST(GpuCopies, FillWithZerosAndBeginAtZero) {
  ir::Context ctx(ir::standard_ops());
  LoopProgram program = product_of_tiles(ctx);
  Loop* piece = piece_of(program);
  ASSERT_NE(piece, nullptr);
  store_of(*piece).reads[0].bounds.push_back({0, 1});
  EXPECT_EQ(check(program), "");
  store_of(*piece).reads[0].fill = 1;
  EXPECT_NE(check(program).find("than zeros"), std::string::npos);
  store_of(*piece).reads[0].fill = 0;
  piece->begin = 4;
  EXPECT_NE(check(program), "");
}

TEST(GpuCopies, OfOneStageAreNone) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, kForty);
  GpuOptions options;
  options.tile = 64;
  options.stages = 1;
  LoopProgram program = generate_for_gpu(graph, options);
  EXPECT_EQ(piece_of(program), nullptr);
  EXPECT_EQ(runs_as(graph, program), "");
  program = product_of_tiles(ctx);
  for (const int64_t stages : {-1, 1}) {
    Loop* loop = find_loop(program.body, waits);
    ASSERT_NE(loop, nullptr);
    loop->stages = stages;
    EXPECT_NE(check(program).find("stages"), std::string::npos) << stages;
  }
}

/// Lines of 128 bytes in another order of chunks each: what warps load from there is what was copied.
TEST(GpuCopies, LieInWholeLinesWhereTheyFillThem) {
  ir::Context ctx(ir::standard_ops());
  for (const auto& [left, right] : {std::pair("72,136", "136,72"), std::pair("136,72", "72,136")}) {
    const bool turned = std::string(left) != "72,136";
    const std::string text = fmt::format(
        "graph {{\n%a = input{{name=\"a\"}} : f16[{}]\n%b = input{{name=\"b\"}} : f16[{}]\n{}"
        "%y = matmul(%{}, %{}) : f16[72,72]\nreturn %y }}",
        left, right,
        turned
            ? "%t = transpose{perm=[1,0]}(%a) : f16[72,136]\n%u = transpose{perm=[1,0]}(%b) : f16[136,72]\n"
            : "",
        turned ? "t" : "a", turned ? "u" : "b");
    const ir::Graph graph = ir::parse_graph(ctx, text);
    GpuOptions options;
    options.tile = 32;
    options.blocks = 1;
    LoopProgram program = generate_for_gpu(graph, options);
    EXPECT_NE(piece_of(program), nullptr) << print(program);
    EXPECT_NE(print(program).find(", 64, 8, 8]"), std::string::npos) << print(program);
    EXPECT_EQ(check(program), "") << print(program);
    EXPECT_EQ(runs_as(graph, program), "") << print(program);
    const std::string kernel = gpu_kernel(in_parts(program).parts[0].program).text;
    EXPECT_NE(kernel.find("ldmatrix.sync.aligned.m8n8.x4.b16"), std::string::npos);
    EXPECT_NE(kernel.find("ldmatrix.sync.aligned.m8n8.x4.trans"), std::string::npos);
  }
}

/// One iteration: its copies are waited for, and nothing is copied after them.
TEST(GpuCopies, OfALoopOfOneIteration) {
  ir::Context ctx(ir::standard_ops());
  for (const char* dtype : {"f32", "f16"}) {
    std::string text = kernel_graphs::product(dtype, 16, false);
    for (const auto& [what, by] :
         {std::pair("loops=[4]", "loops=[1]"), std::pair("[16,32]\n      %b", "[16,128]\n      %b"),
          std::pair("[32,32]\n      %m", "[128,32]\n      %m")}) {
      const size_t at = text.find(what);
      ASSERT_NE(at, std::string::npos) << what;
      text.replace(at, std::string(what).size(), by);
    }
    const ir::Graph graph = ir::parse_graph(ctx, text);
    LoopProgram program = generate_for_gpu(graph);
    EXPECT_NE(piece_of(program), nullptr) << print(program);
    EXPECT_EQ(check(program), "") << print(program);
    EXPECT_EQ(runs_as(graph, program), "") << print(program);
  }
}

/// Parts of 12 terms, of rows that lie together along the sum on both sides.
TEST(GpuCopies, OfPartsThatAreNoWholePieces) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = input{name="a"} : f16[40,36]
    %b = input{name="b"} : f16[40,36]
    %t = transpose{perm=[1,0]}(%b) : f16[36,40]
    %y = matmul(%a, %t) : f16[40,40]
    return %y })");
  for (const bool groups : {false, true}) {
    GpuOptions options;
    options.tile = 64;
    options.warpgroups = groups;
    options.parts = 3;
    options.part_terms = 8;
    options.kernel_units = 0;
    LoopProgram program = generate_for_gpu(graph, options);
    EXPECT_EQ(check(program), "");
    EXPECT_NE(print(program).find("parts"), std::string::npos) << print(program);
    EXPECT_EQ(piece_of(program), nullptr) << print(program);
    EXPECT_EQ(runs_as(graph, program), "") << print(program);
  }
}

std::string loops_of(const char* type, int64_t rows, int64_t sum, int64_t columns, const char* gpu) {
  ir::Context ctx(ir::standard_ops());
  const std::string text = fmt::format(
      "graph {{\n%a = input{{name=\"a\"}} : {0}[{1},{2}]\n%b = input{{name=\"b\"}} : {0}[{2},{3}]\n"
      "%y = matmul(%a, %b) : {0}[{1},{3}]\nreturn %y }}",
      type, rows, sum, columns);
  return print(generate_for_gpu(ir::parse_graph(ctx, text), gpu_options_for(gpu)));
}
testing::AssertionResult says(const std::string& loops, const std::string& what) {
  return loops.find(what) != std::string::npos ? testing::AssertionSuccess()
                                               : testing::AssertionFailure() << what << " not in\n"
                                                                             << loops;
}

/// How products of sizes that were timed (docs/gpu.md) are cut.
TEST(GpuProducts, FillTheProcessorThatIsNamed) {
  EXPECT_EQ(gpu_options_for("sm_80").blocks, machine::kA100Gpu.limits.multiprocessors);
  EXPECT_EQ(gpu_options_for("sm_90a").blocks, machine::kH100Gpu.limits.multiprocessors);
}

TEST(GpuProducts, ByThreadsHaveAsManyPartsAsTheyAreFastestIn) {
  const std::string bert = loops_of("f32", 512, 768, 3072, "sm_90");
  EXPECT_TRUE(says(bert, "f32[2, 512, 3072]"));  // 384 blocks of 64 by 128
  EXPECT_TRUE(says(bert, "for r0 in 0..8 parallel"));
  EXPECT_TRUE(says(bert, "for c0 in 0..24 parallel"));
  EXPECT_EQ(loops_of("f32", 2048, 2048, 2048, "sm_90").find("scratch"), std::string::npos);
}

TEST(GpuProducts, OfFewRowsCopyFurtherAhead) {
  EXPECT_TRUE(says(loops_of("f16", 16, 4096, 4096, "sm_90"), "f16[4, 2, 64, 8, 8]"));    // one slice more
  EXPECT_TRUE(says(loops_of("f16", 2048, 2048, 2048, "sm_90"), "f16[3, 2, 64, 8, 8]"));  // of long slices
}

TEST(GpuProducts, ByGroupsHaveABlockAMultiprocessor) {
  const std::string loops = loops_of("f16", 64, 4096, 4096, "sm_90a");
  EXPECT_TRUE(says(loops, "f32[2, 64, 4096]"));  // 128 blocks of 64 by 64
  EXPECT_TRUE(says(loops, "f16[6, 1, 64, 8, 8]"));
}

}  // namespace
}  // namespace isomer::codegen
