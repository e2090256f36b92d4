// What is copied ahead: pieces that are whole or not there at all, two stages at least, and sums in parts
// whose terms are no whole pieces.
#include <gtest/gtest.h>

#include <utility>

#include "codegen/kernel_graphs.h"
#include "codegen/loops_agree.h"

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

}  // namespace
}  // namespace isomer::codegen
