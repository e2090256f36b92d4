#include "recipes/mirage_compile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "mugraph/two_layers.h"
#include "native/compiler.h"
#include "recipes/kernel_trials.h"
#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

class MirageCompile : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = native::why_no_linker(); !why.empty()) GTEST_SKIP() << why;
    std::filesystem::create_directory(folder_);
    options_.compile.input = folder_ + "/m.graph";
    options_.compile.output = folder_ + "/m.so";
    options_.compile.time_limit = 20;
    options_.most = 3;
    options_.rounds = 3;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "isomer_mirage_compile_" + std::to_string(::getpid());
  MirageCompileOptions options_;
};

const std::string kGated = R"(graph {
    %x = input{name="x"} : f32[4,64]
    %w = input{name="w"} : f32[64,96]
    %v = input{name="v"} : f32[64,96]
    %a = matmul(%x, %w) : f32[4,96]
    %b = matmul(%x, %v) : f32[4,96]
    %s = silu(%a) : f32[4,96]
    %m = mul(%s, %b) : f32[4,96]
    %e = erf(%m) : f32[4,96]
    %f = mul(%e, %e) : f32[4,96]
    %y = add(%f, %m) : f32[4,96]
    return %y })";

std::string of_type(std::string text, const std::string& dtype) {
  for (size_t at = 0; (at = text.find("f32", at)) != std::string::npos; at += dtype.size())
    text.replace(at, 3, dtype);
  return text;
}

// Which program is faster depends on the machine; that it is the model's, and that every piece has its
// answer, not.
TEST_F(MirageCompile, WritesTheModelAndSaysOfEachPieceWhatBecameOfIt) {
  write_file(options_.compile.input, kGated);
  Store store = Store::of_user();
  const CompileResult m = compile_with_mugraphs(options_, store, silent_progress());
  EXPECT_TRUE(m.checked);
  EXPECT_LT(m.difference, 1e-5);
  EXPECT_TRUE(std::filesystem::exists(options_.compile.output));
  ASSERT_FALSE(m.pieces.empty());
  bool searched = false;
  for (const CompiledPiece& p : m.pieces) {
    EXPECT_EQ(p.taken, p.reason.empty()) << p.what;
    searched = searched || p.schedules > 0;
    EXPECT_TRUE(!p.taken || p.gain.median >= 1.03) << p.what;
  }
  EXPECT_TRUE(searched);
  EXPECT_EQ(m.mugraphs > 0, m.gain.median > 1);
}

TEST_F(MirageCompile, IsOfSixteenBitsAsWell) {
  for (const char* dtype : {"f16", "bf16"}) {
    write_file(options_.compile.input, of_type(kGated, dtype));
    Store store = Store::of_user();
    const CompileResult m = compile_with_mugraphs(options_, store, silent_progress());
    EXPECT_TRUE(m.checked);
    ASSERT_FALSE(m.pieces.empty());
    EXPECT_GT(m.pieces[0].schedules, 0u) << m.pieces[0].reason;
    EXPECT_GT(m.pieces[0].kernel_seconds, 0) << m.pieces[0].reason;
  }
}

// Attention with scale and mask is one piece, and searched. The mask's first sixteen keys are out of every
// row.
TEST_F(MirageCompile, TakesMasksOfInfinities) {
  std::string row;
  for (int i = 0; i < 64; ++i) row += i < 16 ? "-inf, " : i < 63 ? "0, " : "0";
  write_file(options_.compile.input, R"(graph {
    %q = input{name="q"} : f32[2,32,16]
    %k = input{name="k"} : f32[2,16,64]
    %v = input{name="v"} : f32[2,64,16]
    %m = constant : f32[64] {)" + row + R"(}
    %s = matmul(%q, %k) : f32[2,32,64]
    %w = broadcast{shape=[2,32,64]}(%m) : f32[2,32,64]
    %a = add(%s, %w) : f32[2,32,64]
    %p = softmax{axis=2}(%a) : f32[2,32,64]
    %y = matmul(%p, %v) : f32[2,32,16]
    return %y })");
  Store store = Store::of_user();
  const CompileResult m = compile_with_mugraphs(options_, store, silent_progress());
  EXPECT_TRUE(m.checked);
  EXPECT_LT(m.difference, 1e-5);
  ASSERT_EQ(m.pieces.size(), 1u);
  EXPECT_EQ(m.pieces[0].what, "add, matmul x2, softmax");
  EXPECT_GT(m.pieces[0].kernel_seconds, 0) << m.pieces[0].reason;
}

// What of a decoder's layer once was no piece: each is searched, and a muGraph of it compiled, held to the
// piece and timed.
TEST_F(MirageCompile, SearchesNormsReluAndGroupedHeads) {
  const std::string norm = R"(graph {
    %x = input{name="x"} : f32[16,64]
    %g = input{name="g"} : f32[64]
    %b = input{name="b"} : f32[64]
    %n = layer_norm{axis=1, epsilon=0.001}(%x, %g, %b) : f32[16,64]
    return %n })";
  const std::string root = R"(graph {
    %x = input{name="x"} : f32[16,64]
    %g = input{name="g"} : f32[64]
    %w = input{name="w"} : f32[64,32]
    %n = rms_norm{axis=1, epsilon=0.001}(%x, %g) : f32[16,64]
    %y = matmul(%n, %w) : f32[16,32]
    return %y })";
  const std::string heads = R"(graph {
    %q = input{name="q"} : f32[1,8,4,16]
    %k = input{name="k"} : f32[1,2,64,16]
    %v = input{name="v"} : f32[1,2,64,16]
    %k1 = reshape{shape=[1,2,1,64,16]}(%k) : f32[1,2,1,64,16]
    %k2 = broadcast{shape=[1,2,4,64,16]}(%k1) : f32[1,2,4,64,16]
    %k3 = reshape{shape=[1,8,64,16]}(%k2) : f32[1,8,64,16]
    %k4 = transpose{perm=[0,1,3,2]}(%k3) : f32[1,8,16,64]
    %s = matmul(%q, %k4) : f32[1,8,4,64]
    %p = softmax{axis=3}(%s) : f32[1,8,4,64]
    %v1 = reshape{shape=[1,2,1,64,16]}(%v) : f32[1,2,1,64,16]
    %v2 = broadcast{shape=[1,2,4,64,16]}(%v1) : f32[1,2,4,64,16]
    %v3 = reshape{shape=[1,8,64,16]}(%v2) : f32[1,8,64,16]
    %y = matmul(%p, %v3) : f32[1,8,4,16]
    return %y })";
  options_.compile.rewrite = false;
  for (const std::string& model : {norm, root, std::string(mugraph::kTwoLayers), heads}) {
    write_file(options_.compile.input, model);
    Store store = Store::of_user();
    const CompileResult m = compile_with_mugraphs(options_, store, silent_progress());
    EXPECT_TRUE(m.checked);
    EXPECT_LT(m.difference, 1e-5);
    ASSERT_EQ(m.pieces.size(), 1u);
    EXPECT_GT(m.pieces[0].schedules, 0u) << m.pieces[0].what << ": " << m.pieces[0].reason;
    EXPECT_GT(m.pieces[0].kernel_seconds, 0) << m.pieces[0].what << ": " << m.pieces[0].reason;
  }
}

// Which one that is depends on the machine; the summary says it.
TEST_F(MirageCompile, BeginsAtTheProgramThatSaturationFinds) {
  write_file(options_.compile.input, kGated);
  Store store = Store::of_user();
  const CompileResult m = compile_with_mugraphs(options_, store, silent_progress());
  EXPECT_FALSE(m.decision.empty());
  EXPECT_GT(m.rewrite_seconds, 0);
  EXPECT_EQ(m.rewritten, m.rewrite_gain > 0);
}

// Where there is no processor to try it on, an estimate chooses: what is written has what was taken.
TEST_F(MirageCompile, ChoosesForAGraphicsProcessorByAnEstimate) {
  options_.compile.gpu = "sm_90";
  options_.compile.check = false;
  for (const char* dtype : {"f32", "f16"}) {
    const std::string text = R"(graph {
      %x = input{name="x"} : f32[8,4096]
      %w = input{name="w"} : f32[4096,16]
      %v = input{name="v"} : f32[16,4096]
      %a = matmul(%x, %w) : f32[8,16]
      %b = matmul(%a, %v) : f32[8,4096]
      %y = tanh(%b) : f32[8,4096]
      return %y })";
    write_file(options_.compile.input, of_type(text, dtype));
    Store store = Store::of_user();
    const CompileResult m = compile_with_mugraphs(options_, store, silent_progress());
    EXPECT_TRUE(m.estimated);
    EXPECT_FALSE(m.checked);
    EXPECT_TRUE(std::filesystem::exists(options_.compile.output));
    ASSERT_FALSE(m.pieces.empty());
    for (const CompiledPiece& p : m.pieces) {
      EXPECT_EQ(p.taken, p.reason.empty()) << p.what;
      EXPECT_GT(p.schedules, 0u) << p.reason;
      EXPECT_GT(p.plain_seconds, 0);
      EXPECT_TRUE(!p.taken || p.gain.median >= 1.5) << p.what;
    }
    EXPECT_EQ(m.mugraphs > 0, m.gain.median > 1);
  }
}

TEST_F(MirageCompile, IsForNoOtherMachinesProcessor) {
  write_file(options_.compile.input,
             "graph {\n%x = input{name=\"x\"} : f32[4]\n%y = exp(%x) : f32[4]\nreturn %y }");
  options_.compile.cpu = "x86-64-v3";
  Store store = Store::of_user();
  EXPECT_THROW(compile_with_mugraphs(options_, store, silent_progress()), UsageError);
}

TEST(KernelTrials, RankCorrelation) {
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {10, 20, 30, 70}), 1);
  EXPECT_DOUBLE_EQ(rank_correlation({1, 2, 3, 4}, {9, 7, 5, 1}), -1);
  EXPECT_NEAR(rank_correlation({1, 2, 3, 4, 5}, {2, 1, 4, 3, 5}), 0.8, 1e-12);
  EXPECT_TRUE(std::isnan(rank_correlation({1, 2}, {1, 2})));
}

TEST(KernelTrials, RatiosAreOfOneRound) {
  const Ratio r = ratio_of({{2, 1}, {9, 3}, {4, 4}, {5, 0}}, 0, 1);
  EXPECT_DOUBLE_EQ(r.least, 1);
  EXPECT_DOUBLE_EQ(r.median, 2);
  EXPECT_DOUBLE_EQ(r.most, 3);
}

}  // namespace
}  // namespace isomer::recipes
