#include "recipes/compile.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "native/compiler.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

class Compile : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = native::why_no_linker(); !why.empty()) GTEST_SKIP() << why;
    std::filesystem::create_directory(folder_);
    options_.input = folder_ + "/m.graph";
    options_.output = folder_ + "/m.so";
    write_file(options_.input, R"(graph {
      %x = input{name="x"} : f32[6,40]
      %i = input{name="i"} : i64[4]
      %y = softmax{axis=1}(%x) : f32[6,40]
      %z = gather{axis=0}(%y, %i) : f32[4,40]
      return %z })");
  }
  CompileResult compiled() const { return compile(options_, CompileStops{}, silent_progress()); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "isomer_compile_" + std::to_string(::getpid());
  CompileOptions options_;
};

TEST_F(Compile, HoldsTheModelToItsEvaluation) {
  options_.threads = 2;
  const CompileResult r = compiled();
  EXPECT_TRUE(r.checked);
  EXPECT_LT(r.difference, 1e-6);
  EXPECT_GT(r.run_seconds, 0);
  EXPECT_TRUE(std::filesystem::exists(options_.output));
}

TEST_F(Compile, IsTriedOnIndicesThatThereAre) {
  write_file(options_.input, R"(graph {
    %x = input{name="x"} : f32[1,40]
    %i = input{name="i"} : i64[4]
    %z = gather{axis=0}(%x, %i) : f32[4,40]
    return %z })");
  EXPECT_EQ(compiled().difference, 0);
}

TEST_F(Compile, WritesNothingThatDiffers) {
  options_.tolerance = 0;
  EXPECT_THROW(compiled(), VerificationError);
  EXPECT_FALSE(std::filesystem::exists(options_.output));
}

TEST_F(Compile, ForAnotherProcessor) {
  options_.cpu = "x86-64-v2";
  options_.check = false;
  const CompileResult r = compiled();
  EXPECT_FALSE(r.checked);
  EXPECT_TRUE(std::filesystem::exists(options_.output));
}

TEST_F(Compile, RefusesNumbersOfThreadsBeforeAnyWork) {
  options_.input = folder_ + "/missing.onnx";
  for (const int threads : {0, 1025}) {
    options_.threads = threads;
    EXPECT_THROW(compiled(), UsageError) << threads;
  }
}

}  // namespace
}  // namespace isomer::recipes
