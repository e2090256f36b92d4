// Programs of this process: several threads compute what one does, equal parts are compiled once, and what is
// prepared from constants is there in every run.
#include "native/program.h"

#include <gtest/gtest.h>

#include "codegen/generate.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "support/errors.h"
#include "support/rng.h"

namespace isomer::native {
namespace {

// Two layers of one form.
const char* const kLayers = R"(graph {
  %x = input{name="x"} : f32[36,32]
  %w = constant : f32[32,32] {fill}
  %a = matmul(%x, %w) : f32[36,32]
  %b = softmax{axis=1}(%a) : f32[36,32]
  %c = matmul(%b, %w) : f32[36,32]
  %d = softmax{axis=1}(%c) : f32[36,32]
  return %d })";

std::vector<float> numbers(size_t count, uint64_t seed) {
  Rng rng(seed);
  std::vector<float> out(count);
  for (float& x : out) x = static_cast<float>(rng.uniform() - 0.5);
  return out;
}

class Layers {
 public:
  Layers() : ctx_(ir::standard_ops()), program_(codegen::generate(ir::parse_graph(ctx_, text()))) {}

  std::vector<float> run(int threads, int times) {
    ProgramOptions options;
    options.threads = threads;
    Program compiled(program_, ctx_, options);
    kernels = compiled.kernel_count();
    std::vector<float> x = numbers(36 * 32, 5), y(36 * 32);
    const void* in[] = {x.data()};
    void* out[] = {y.data()};
    for (int i = 0; i < times; ++i) compiled.run(in, out);
    return y;
  }
  size_t kernels = 0;

 private:
  static std::string text() {
    std::string out = kLayers, values;
    for (int n = 0; n < 32 * 32; ++n) values += (n == 0 ? "" : ", ") + std::to_string((n * 7) % 11 - 5);
    return out.replace(out.find("fill"), 4, values);
  }
  ir::Context ctx_;
  codegen::LoopProgram program_;
};

TEST(Program, ThreadsComputeWhatOneDoes) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  Layers layers;
  const std::vector<float> one = layers.run(1, 1);
  for (const int threads : {2, 3, 7}) EXPECT_EQ(layers.run(threads, 50), one) << threads;
}

TEST(Program, EqualPartsAreCompiledOnce) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  Layers layers;
  layers.run(1, 2);
  EXPECT_EQ(layers.kernels, 3U);  // product, norm, and panels of the weights at load
}

// Panels that each thread makes for itself (codegen/lane_panels.h).
TEST(Program, ThreadsMakePanelsOfTheirOwn) {
  if (const std::string why = why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  constexpr size_t kRows = 25, kInner = 70, kColumns = 213;
  ir::Context ctx(ir::standard_ops());
  const codegen::LoopProgram loops = codegen::generate(ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[25,70]
    %w = input{name="w"} : f32[70,213]
    %y = matmul(%x, %w) : f32[25,213]
    return %y })"));
  ASSERT_NE(codegen::print(loops).find("private panels"), std::string::npos);
  const std::vector<float> x = numbers(kRows * kInner, 5), w = numbers(kInner * kColumns, 6);
  for (const int threads : {1, 2}) {
    ProgramOptions options;
    options.threads = threads;
    Program compiled(loops, ctx, options);
    std::vector<float> y(kRows * kColumns);
    const void* in[] = {x.data(), w.data()};
    void* out[] = {y.data()};
    compiled.run(in, out);
    for (size_t i = 0; i < y.size(); ++i) {
      double sum = 0;
      for (size_t k = 0; k < kInner; ++k)
        sum += static_cast<double>(x[i / kColumns * kInner + k]) *
               static_cast<double>(w[k * kColumns + i % kColumns]);
      ASSERT_NEAR(y[i], sum, 1e-4) << i << ", " << threads << " threads";
    }
  }
}

}  // namespace
}  // namespace isomer::native
