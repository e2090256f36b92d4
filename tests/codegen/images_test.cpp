// Networks of images with weights: blocks of channels, borders, concatenations in place, bands, parts of
// reductions, turned images; after each step the same is computed, and what should be gone is gone.
#include <gtest/gtest.h>

#include <algorithm>

#include "codegen/generate.h"
#include "codegen/loops_agree.h"
#include "codegen/parts.h"

namespace isomer::codegen {
namespace {

std::string weights(const char* name, const std::vector<int64_t>& sizes, uint64_t seed) {
  Rng rng(seed);
  int64_t count = 1;
  for (const int64_t s : sizes) count *= s;
  std::vector<std::string> values;
  for (int64_t i = 0; i < count; ++i) values.push_back(fmt::format("{:.3f}", rng.uniform() - 0.5));
  return fmt::format("%{} = constant : f32[{}] {{{}}}\n", name, fmt::join(sizes, ","),
                     fmt::join(values, ","));
}
constexpr const char* kPlain = "strides=[1,1], pads=[0,0,0,0], dilations=[1,1]";
constexpr const char* kSame = "strides=[1,1], pads=[1,1,1,1], dilations=[1,1]";

/// Two branches that are concatenated, pooled, and go on.
std::string branches() {
  return "graph {\n %x = input{name=\"x\"} : f32[1,3,9,10]\n" + weights("w0", {8, 3, 3, 3}, 1) +
         weights("w1", {4, 8, 1, 1}, 2) + weights("w2", {8, 8, 3, 3}, 3) + weights("w3", {6, 12, 3, 3}, 4) +
         weights("b", {12}, 5) +
         fmt::format(
             "%c0 = conv{{{0}, group=1}}(%x, %w0) : f32[1,8,9,10]\n"
             "%r0 = relu(%c0) : f32[1,8,9,10]\n"
             "%c1 = conv{{{1}, group=1}}(%r0, %w1) : f32[1,4,9,10]\n"
             "%c2 = conv{{{0}, group=1}}(%r0, %w2) : f32[1,8,9,10]\n"
             "%r2 = relu(%c2) : f32[1,8,9,10]\n"
             "%k = concat{{axis=1}}(%c1, %r2) : f32[1,12,9,10]\n"
             "%p = max_pool{{kernel=[3,3], strides=[2,2], pads=[1,1,1,1], dilations=[1,1], "
             "ceil_mode=0}}(%k) : f32[1,12,5,5]\n"
             "%c3 = conv{{{0}, group=1}}(%p, %w3) : f32[1,6,5,5]\n"
             "return %c3, %k }}",
             kSame, kPlain);
}
/// Depthwise, averages over windows that stick out, a summand.
std::string depthwise() {
  return "graph {\n %x = input{name=\"x\"} : f32[2,8,6,7]\n" + weights("w0", {8, 1, 3, 3}, 1) +
         weights("w1", {8, 8, 1, 1}, 2) +
         fmt::format(
             "%c0 = conv{{{0}, group=8}}(%x, %w0) : f32[2,8,6,7]\n"
             "%c1 = conv{{{1}, group=1}}(%c0, %w1) : f32[2,8,6,7]\n"
             "%a = avg_pool{{kernel=[3,3], strides=[1,1], pads=[1,1,1,1], dilations=[1,1], ceil_mode=0, "
             "count_include_pad=0}}(%c1) : f32[2,8,6,7]\n"
             "%y = add(%a, %c0) : f32[2,8,6,7]\n"
             "return %y }}",
             kSame, kPlain);
}
/// Enough channels for parts of the reduction, enough rows for bands.
std::string large() {
  return "graph {\n %x = input{name=\"x\"} : f32[1,16,11,9]\n" + weights("w0", {12, 16, 3, 3}, 1) +
         weights("w1", {10, 12, 1, 1}, 2) +
         fmt::format(
             "%c0 = conv{{{0}, group=1}}(%x, %w0) : f32[1,12,11,9]\n"
             "%r0 = relu(%c0) : f32[1,12,11,9]\n"
             "%y = conv{{{1}, group=1}}(%r0, %w1) : f32[1,10,11,9]\n"
             "return %y }}",
             kSame, kPlain);
}

/// Groups of several channels.
std::string grouped() {
  return "graph {\n %x = input{name=\"x\"} : f32[1,8,7,6]\n" + weights("w0", {16, 4, 3, 3}, 1) +
         weights("w1", {8, 16, 1, 1}, 2) +
         fmt::format(
             "%c0 = conv{{{0}, group=2}}(%x, %w0) : f32[1,16,7,6]\n"
             "%r0 = relu(%c0) : f32[1,16,7,6]\n"
             "%y = conv{{{1}, group=1}}(%r0, %w1) : f32[1,8,7,6]\n"
             "return %y }}",
             kSame, kPlain);
}

/// Heads whose results meet weights: dimension 1, but no channels of an image.
std::string attention() {
  return "graph {\n %q = input{name=\"q\"} : f32[1,4,5,8]\n %k = input{name=\"k\"} : f32[1,4,8,9]\n"
         " %v = input{name=\"v\"} : f32[1,4,9,8]\n" +
         weights("w", {32, 6}, 1) +
         "%s = matmul(%q, %k) : f32[1,4,5,9]\n"
         "%p = softmax{axis=3}(%s) : f32[1,4,5,9]\n"
         "%o = matmul(%p, %v) : f32[1,4,5,8]\n"
         "%t = transpose{perm=[0,2,1,3]}(%o) : f32[1,5,4,8]\n"
         "%m = reshape{shape=[5,32]}(%t) : f32[5,32]\n"
         "%y = matmul(%m, %w) : f32[5,6]\n"
         "return %y }";
}

/// Convolutions of one point alone, of images that fill no number of vectors.
std::string of_one_point() {
  return "graph {\n %x = input{name=\"x\"} : f32[2,8,7,9]\n" + weights("w0", {12, 8, 1, 1}, 1) +
         weights("b0", {12}, 2) + weights("w1", {6, 12, 1, 1}, 3) +
         fmt::format(
             "%c0 = conv{{{0}, group=1}}(%x, %w0, %b0) : f32[2,12,7,9]\n"
             "%r0 = relu(%c0) : f32[2,12,7,9]\n"
             "%y = conv{{{0}, group=1}}(%r0, %w1) : f32[2,6,7,9]\n"
             "return %y }}",
             kPlain);
}
/// A convolution of one point whose image is pooled with a border.
std::string pooled(int64_t size = 9) {
  return fmt::format(
      "graph {{\n %x = input{{name=\"x\"}} : f32[1,8,{0},{0}]\n{1}"
      "%c = conv{{{2}, group=1}}(%x, %w) : f32[1,8,{0},{0}]\n"
      "%r = relu(%c) : f32[1,8,{0},{0}]\n"
      "%p = max_pool{{kernel=[3,3], strides=[1,1], pads=[1,1,1,1], dilations=[1,1], "
      "ceil_mode=0}}(%r) : f32[1,8,{0},{0}]\n"
      "return %p }}",
      size, weights("w", {8, 8, 1, 1}, 1), kPlain);
}
/// Within channels alone, with a bias: rows of the result are rows of vectors.
std::string within_channels(int64_t rows, int64_t columns, int64_t kernel) {
  const int64_t pad = kernel / 2;
  return fmt::format(
      "graph {{\n %x = input{{name=\"x\"}} : f32[2,8,{0},{1}]\n{2}{3}"
      "%c = conv{{strides=[1,1], pads=[{4},{4},{4},{4}], dilations=[1,1], group=8}}(%x, %w, %b) : "
      "f32[2,8,{0},{1}]\n"
      "%y = relu(%c) : f32[2,8,{0},{1}]\nreturn %y }}",
      rows, columns, weights("w", {8, 1, kernel, kernel}, 1), weights("b", {8}, 2), pad);
}
/// Products of what is given on both sides, with lanes left over.
std::string heads() {
  return "graph {\n %q = input{name=\"q\"} : f32[1,3,19,3]\n %k = input{name=\"k\"} : f32[1,3,3,38]\n"
         "%y = matmul(%q, %k) : f32[1,3,19,38]\n"
         "return %y }";
}

class Images : public testing::TestWithParam<int> {};

TEST_P(Images, ComputeTheSameAfterEachStep) {
  const std::string text =
      std::vector<std::string>{branches(),
                               depthwise(),
                               large(),
                               grouped(),
                               attention(),
                               of_one_point(),
                               pooled(),
                               heads(),
                               within_channels(6, 7, 3),
                               within_channels(13, 21, 3),
                               within_channels(9, 10, 5)}[static_cast<size_t>(GetParam())];
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text);
  for (const int64_t block : {2, 4})
    EXPECT_EQ(disagreement(graph, drawn(graph, 3), 5, little(block)), "") << block;
}
INSTANTIATE_TEST_SUITE_P(Of, Images, testing::Range(0, 11));

LoopProgram generated(const std::string& text) {
  ir::Context ctx(ir::standard_ops());
  ScheduleOptions options;
  options.lanes = 8;
  options.block = 4;
  options.near_bytes = 2048;
  options.far_bytes = 8192;
  return generate(ir::parse_graph(ctx, text), options);
}

TEST(Image, IsReadWithoutAskingAndNotCopiedToBeConcatenated) {
  const std::string loops = print(generated(branches()));
  EXPECT_EQ(loops.find(" ? t"), std::string::npos) << loops;
  EXPECT_NE(loops.find("scratch y1b: f32[1, 3, 9, 10, 4]"), std::string::npos)
      << loops;  // both branches write it
}

TEST(Image, IsNotWhatHeadsOfAttentionAre) {
  const LoopProgram program = generated(attention());
  for (const Buffer& b : program.buffers)
    EXPECT_NE(b.name.back(), 'b') << print(program);  // moved into blocks
  EXPECT_EQ(print(program).find("jc"), std::string::npos) << print(program);
}

TEST(Image, IsNotWhatAProductTakesRowByRow) {
  const LoopProgram program =
      generated("graph {\n %x = input{name=\"x\"} : f32[1,8,4,6]\n" + weights("w", {6, 8}, 1) +
                "%y = matmul(%x, %w) : f32[1,8,4,8]\nreturn %y }");
  for (const Buffer& b : program.buffers)
    EXPECT_FALSE(b.memory == Memory::kScratch && b.count() == 8 * 4 * 6) << print(program);  // a copy of x
}

TEST(Image, StaysAsItIsWhereAllConvolutionsAreOfOnePoint) {
  const LoopProgram program = generated(of_one_point());
  const std::string loops = print(program);
  for (const Buffer& b : program.buffers)
    EXPECT_FALSE(b.memory != Memory::kPrivate && b.sizes.size() == 5) << loops;  // in blocks
  EXPECT_EQ(loops.find("x0c"), std::string::npos) << loops;                      // a copy of x
}

TEST(Image, StaysAsItIsWithABorderToo) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate(ir::parse_graph(ctx, pooled(56)), options_for({}));
  for (const Buffer& b : program.buffers)
    EXPECT_NE(b.sizes.size(), 5U) << b.name << print(program);  // in blocks
}

// 49 points are three vectors of 16 and one that is left over: both products lose more by that than it costs
// to turn what both read, once, and what each makes.
TEST(Image, ThatIsReadTwiceIsTurnedOnce) {
  ir::Context ctx(ir::standard_ops());
  const std::string conv = fmt::format("conv{{{}, group=1}}(%x, ", kPlain);
  const LoopProgram program =
      generate(ir::parse_graph(ctx, "graph {\n %x = input{name=\"x\"} : f32[1,12,7,7]\n" +
                                        weights("v", {8, 12, 1, 1}, 1) + weights("w", {8, 12, 1, 1}, 2) +
                                        "%y = " + conv + "%v) : f32[1,8,7,7]\n%z = " + conv +
                                        "%w) : f32[1,8,7,7]\nreturn %y, %z }"),
               options_for({}));
  EXPECT_TRUE(std::ranges::any_of(program.buffers, [](const Buffer& b) { return b.sizes.size() == 5; }))
      << print(program);  // in blocks
}

TEST(Image, OfAConvolutionWithinChannelsStaysAsItIs) {
  ir::Context ctx(ir::standard_ops());
  for (const int64_t columns : {13, 28})
    for (const int64_t kernel : {3, 5}) {
      const ir::Graph graph = ir::parse_graph(ctx, within_channels(12, columns, kernel));
      const LoopProgram program = generate(graph, options_for({}));
      const std::string loops = print(program);
      for (const Buffer& b : program.buffers) EXPECT_NE(b.sizes.size(), 5U) << b.name << loops;  // in blocks
      // Two rows of sums, one after the other, take what was read once.
      EXPECT_NE(loops.find("[1, v] += padded"), std::string::npos) << loops;
      EXPECT_EQ(scheduled_otherwise(graph, options_for({})), "") << columns << " columns, " << kernel;
    }
}

// With its border an image of 5 by 5 is five times as large, but each of its elements is taken 49 times.
TEST(Image, OfLargeWindowsHasABorderHoweverSmallItIs) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(
      ctx, "graph {\n %x = input{name=\"x\"} : f32[1,64,5,5]\n" + weights("w", {64, 1, 7, 7}, 1) +
               "%r = relu(%x) : f32[1,64,5,5]\n"
               "%y = conv{strides=[1,1], pads=[3,3,3,3], dilations=[1,1], group=64}(%r, %w) : f32[1,64,5,5]\n"
               "return %y }");
  EXPECT_EQ(scheduled_otherwise(graph, options_for({})), "");
  const std::string loops = print(generate(graph, options_for({})));
  EXPECT_EQ(loops.find(" ? "), std::string::npos) << loops;
}

TEST(Image, IsCopiedAFewPanelsAtATimeAndReadInPlaceAtItsEnd) {
  const std::string loops = print(generated(heads()));
  EXPECT_NE(loops.find("private panels"), std::string::npos) << loops;
  EXPECT_NE(loops.find("* x1[0, j, k, 30 + v]"), std::string::npos) << loops;
}

TEST(Image, IsPooledWithCountsThatAreWorkedOutAtLoad) {
  const LoopProgram program = generated(depthwise());
  int at_load = 0;
  for (const Part& part : in_parts(program).parts)
    at_load += static_cast<int>(part.at_load && print(part.program).find("counts") != std::string::npos);
  EXPECT_EQ(at_load, 1) << print(program);
}

TEST(Image, IsTurnedInOneLoopWhereRowsHaveWholeSquaresAndARest) {
  const std::string loops = print(generated(large()));
  const std::string whole = "s * 4 + v", rest = "5 + v";  // of nine columns
  const size_t first = loops.find(whole), second = loops.find(rest, first);
  ASSERT_NE(second, std::string::npos) << loops;
  EXPECT_EQ(loops.substr(first, second - first).find("parallel"), std::string::npos) << loops;
}

/// Of 20 channels there are no blocks of a register: each element would be stored by itself.
TEST(Image, StaysAsItIsWhereItsBlocksWouldFillNoRegister) {
  const auto loops_of = [](int64_t channels) {
    ir::Context ctx(ir::standard_ops());
    const std::string text =
        "graph {\n %x = input{name=\"x\"} : f32[1,32,3,3]\n" + weights("w", {channels, 32, 1, 1}, 1) +
        fmt::format("%y = conv{{{}, group=1}}(%x, %w) : f32[1,{},3,3]\nreturn %y }}", kPlain, channels);
    return print(generate(ir::parse_graph(ctx, text), options_for({})));
  };
  EXPECT_EQ(loops_of(20).find("x0c"), std::string::npos) << loops_of(20);
  EXPECT_NE(loops_of(24).find("x0c"), std::string::npos) << loops_of(24);
}

TEST(Image, IsWorkedOnInBandsAndItsReductionInParts) {
  const std::string loops = print(generated(large()));
  EXPECT_NE(loops.find("for kb0 in"), std::string::npos) << loops;
  EXPECT_NE(loops.find("for lb in"), std::string::npos) << loops;
}

}  // namespace
}  // namespace isomer::codegen
