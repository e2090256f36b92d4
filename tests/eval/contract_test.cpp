// The fast path against the slow reference, on the same nests.
#include "eval/contract.h"

#include <gtest/gtest.h>

#include <utility>

#include "eval/nest_run.h"
#include "eval/run_text.h"
#include "meaning/flatten.h"

namespace isomer::eval_test {
namespace {

/// Evaluates the one operator of `text` both ways.
void compare(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text);
  Rng rng(5);
  Operands source = operands_of(graph, rng);
  const auto nests = nests_of(graph);
  ASSERT_EQ(nests.size(), 1u);
  std::vector<std::span<const double>> data;
  for (const auto& t : source.tensors) data.emplace_back(t.numbers);
  std::vector<double> fast(static_cast<size_t>(nests[0].outputs));
  ASSERT_TRUE(eval::contract(nests[0], data, fast)) << "the fast path did not take " << text;
  eval::Float64 domain;
  eval::NestRunner<eval::Float64, Operands> slow(domain, nests[0], "test", source);
  for (size_t i = 0; i < fast.size(); ++i)
    ASSERT_NEAR(slow.number(static_cast<int64_t>(i)), fast[i], 1e-11) << "element " << i;

  EXPECT_EQ(eval::check_contraction(nests[0], data, fast, 20, 3), "");
  for (double& x : fast) x += 1e-7;  // far below what float32 keeps
  EXPECT_NE(eval::check_contraction(nests[0], data, fast, 20, 3), "");
}

TEST(Contract, Matmul) {
  compare(R"(graph {
    %a = input{name="a"} : f32[37,61]
    %b = input{name="b"} : f32[61,29]
    %c = matmul(%a, %b) : f32[37,29]
    return %c })");
}

TEST(Contract, MatmulWithALongInnerDimension) {
  compare(R"(graph {
    %a = input{name="a"} : f32[5,1100]
    %b = input{name="b"} : f32[1100,18]
    %c = matmul(%a, %b) : f32[5,18]
    return %c })");
}

TEST(Contract, BatchedMatmulWithASharedOperand) {
  compare(R"(graph {
    %a = input{name="a"} : f32[3,17,20]
    %b = input{name="b"} : f32[20,33]
    %c = matmul(%a, %b) : f32[3,17,33]
    return %c })");
  compare(R"(graph {
    %a = input{name="a"} : f32[3,17,20]
    %b = input{name="b"} : f32[3,20,33]
    %c = matmul(%a, %b) : f32[3,17,33]
    return %c })");
}

TEST(Contract, ConvolutionWithBiasPaddingStrideDilation) {
  compare(R"(graph {
    %x = input{name="x"} : f32[2,6,9,11]
    %w = input{name="w"} : f32[10,6,3,3]
    %b = input{name="b"} : f32[10]
    %y = conv{strides=[2,1], dilations=[1,2], pads=[1,2,1,2], group=1}(%x, %w, %b) : f32[2,10,5,11]
    return %y })");
}

// More rows, and more of the inner dimension, than a block holds.
TEST(Contract, SeveralBlocks) {
  compare(R"(graph {
    %a = input{name="a"} : f32[700,3]
    %b = input{name="b"} : f32[3,40]
    %c = matmul(%a, %b) : f32[700,40]
    return %c })");
  compare(R"(graph {
    %a = input{name="a"} : f32[2,520,4100]
    %b = input{name="b"} : f32[4100,3]
    %c = matmul(%a, %b) : f32[2,520,3]
    return %c })");
}

// Terms that cancel: other orders of summing leave other rests, none of which is wrong.
TEST(Contract, CheckAllowsOtherOrdersOfSummingOnly) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %a = input{name="a"} : f32[2,64]
    %b = input{name="b"} : f32[64,2]
    %c = matmul(%a, %b) : f32[2,2]
    return %c })");
  const auto nest = nests_of(graph)[0];
  std::vector<double> a(128), b(128, 1);
  for (size_t i = 0; i < a.size(); ++i) a[i] = i % 2 == 0 ? 0.1 : -0.1;
  const std::vector<std::span<const double>> operands{a, b};
  EXPECT_EQ(eval::check_contraction(nest, operands, std::vector<double>{1e-16, 0, -2e-16, 0}, 8, 1), "");
  EXPECT_NE(eval::check_contraction(nest, operands, std::vector<double>{1e-12, 0, 0, 0}, 8, 1), "");
}

// Sizes that no block size divides.
TEST(Contract, LargeProductsAreRight) {
  ir::Context ctx(ir::standard_ops());
  const Ran r = run_text(ctx, R"(graph {
    %a = input{name="a"} : f32[261,259]
    %b = input{name="b"} : f32[259,263]
    %c = matmul(%a, %b) : f32[261,263]
    return %c })");
  for (const auto& [row, column] : {std::pair{0, 0}, {7, 201}, {260, 262}, {128, 131}}) {
    double expected = 0;
    for (size_t k = 0; k < 259; ++k)
      expected += r.inputs[0].numbers[static_cast<size_t>(row) * 259 + k] *
                  r.inputs[1].numbers[k * 263 + static_cast<size_t>(column)];
    EXPECT_NEAR(r.outputs[0].numbers[static_cast<size_t>(row * 263 + column)], expected, 1e-10);
  }
}

}  // namespace
}  // namespace isomer::eval_test
