// The public project's saved muGraphs: which of them are right was found once in plain double precision at
// full shape, outside of this project's code.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "mugraph/mirage_json.h"
#include "mugraph/spec.h"
#include "mugraph/verify_mugraph.h"

namespace isomer::mugraph {
namespace {

std::vector<MuGraph> saved(const std::string& name) {
  return read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/" + name + ".json");
}

/// A saved file and what its muGraphs compute.
struct Saved {
  const char* file;
  const char* program;
  double log2_error = -100;  // attention: a few tests are enough here, the command makes all of them
  bool floats = true;        // of the first of them; of all in mugraph.long
};

constexpr Saved kRight[] = {{"rmsnorm_bs1", "rmsnorm"},
                            {"hopper_rmsnorm_bs1", "rmsnorm"},
                            {"hopper_rmsnorm_bs16", "rmsnorm"},
                            {"gqa_bs1", "gqa", -10, false},
                            {"eval_gqa_bs16", "gqa", -10, false},
                            {"mha_bs1", "mha", -10, false},
                            {"mqa_bs1", "mqa", -10, false},
                            {"single_mqa_bs1", "mqa", -10, false},
                            {"lora", "lora"},
                            {"hopper_lora_bs16", "lora"},
                            {"demo_checkpoint_lora", "lora", -100, false},
                            {"gated_mlp", "gated_mlp"},
                            {"single_gated_mlp", "gated_mlp"},
                            {"eval_gated_mlp_bs16", "gated_mlp"},
                            {"ntrans_bs1", "ntrans"},
                            {"eval_norm_transformer_bs1", "ntrans"},
                            {"eval_norm_transformer_bs8", "ntrans"},
                            {"eval_norm_transformer_bs16", "ntrans"},
                            {"qwen25_659774eb06d5ca86", "rmsnorm_weight", -100, false},
                            {"qwen25_659704256b064506", "rmsnorm_weight", -100, false},
                            {"qwen25_659774a49fe1cbf2", "rmsnorm_weight", -100, false},
                            {"qwen25_64644b2e7bbffb94", "silu_mul_matmul", -100, false},
                            {"qwen25_6508b4ab6af4f866", "silu_mul_matmul", -100, false}};
constexpr Saved kWrong[] = {{"qknorm_gqa_bs1", "qknorm_gqa"}};

void expect_proved(const Saved& p, bool all_floats) {
  const auto graphs = saved(p.file);
  ASSERT_FALSE(graphs.empty());
  MuVerifyOptions options;
  options.log2_error = p.log2_error;
  options.floats = p.floats;
  for (const MuGraph& g : graphs) {
    const MuVerdict v = verify_mugraph(g, program(p.program), options);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kProved) << verify::summary(v.verdict) << "\n" << print(g);
    EXPECT_LE(v.verdict.log2_error, p.log2_error);
    EXPECT_LT(v.verdict.max_relative_error, 1e-9);
    options.floats = all_floats;
  }
}

class RightMuGraphs : public testing::TestWithParam<Saved> {};
TEST_P(RightMuGraphs, AreProved) { expect_proved(GetParam(), false); }
INSTANTIATE_TEST_SUITE_P(Files, RightMuGraphs, testing::ValuesIn(kRight),
                         [](const auto& test) { return std::string(test.param.file); });

TEST(SavedMuGraphs, DISABLED_LongAreProvedAndAgreeInDoublePrecision) {
  for (const Saved& p : kRight) expect_proved(p, true);
}

TEST(SavedMuGraphs, AreTestsAllOfThem) {
  std::set<std::string> named;
  for (const Saved& p : kRight) named.insert(p.file);
  for (const Saved& p : kWrong) named.insert(p.file);
  size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(ISOMER_SOURCE_DIR "/tests/data/mugraphs")) {
    if (entry.path().extension() != ".json") continue;
    EXPECT_TRUE(named.contains(entry.path().stem().string())) << entry.path();
    ++files;
  }
  EXPECT_EQ(files, named.size());
}

// The corpus of the fuzz target, where a file holds what it is called.
TEST(SavedMuGraphs, OfTheFuzzCorpusAreProved) {
  for (const auto& [file, name] : {std::pair{"rmsnorm", "rmsnorm"}, {"gqa", "gqa"}, {"lora_old", "lora"}}) {
    MuVerifyOptions options;
    options.log2_error = -10;
    options.floats = false;
    const auto graphs =
        read_mirage_json(fmt::format("{}/fuzz/corpus/mugraph_json/{}.json", ISOMER_SOURCE_DIR, file));
    EXPECT_FALSE(graphs.empty());
    for (const MuGraph& g : graphs) {
      const MuVerdict v = verify_mugraph(g, program(name), options);
      EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kProved) << file << ": " << verify::summary(v.verdict);
    }
  }
}

// Programs of the same inputs and outputs: what computes one of them does not compute the other.
TEST(WrongMuGraphs, OfOtherProgramsWithTheSameInputsAreRefuted) {
  const std::pair<const char*, const char*> pairs[] = {{"qwen25_659774eb06d5ca86", "silu_mul_matmul"},
                                                       {"qwen25_659704256b064506", "silu_mul_matmul"},
                                                       {"qwen25_64644b2e7bbffb94", "rmsnorm_weight"},
                                                       {"qwen25_6508b4ab6af4f866", "rmsnorm_weight"},
                                                       {"mha_bs1", "qknorm_gqa"},
                                                       {"mqa_bs1", "qknorm_gqa"},
                                                       {"qknorm_gqa_bs1", "gqa"}};
  for (const auto& [file, name] : pairs) {
    const MuGraph g = saved(file).front();
    const MuVerdict v = verify_mugraph(g, program(name));
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kRefuted) << file << ": " << verify::summary(v.verdict);
    EXPECT_NE(v.verdict.counterexample.find("full shape"), std::string::npos) << v.verdict.counterexample;
  }
}

TEST(WrongMuGraphs, OfQkNormAreRefutedByTheFieldAndAtTheFullSizes) {
  const auto graphs = saved("qknorm_gqa_bs1");
  ASSERT_EQ(graphs.size(), 10);
  MuVerifyOptions options;
  options.floats = false;
  for (const MuGraph& g : graphs) {
    const MuVerdict v = verify_mugraph(g, program("qknorm_gqa"), options);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kRefuted) << verify::summary(v.verdict);
    EXPECT_EQ(v.verdict.method, "field, floats");
  }
}

TEST(WrongMuGraphs, OfAnotherProgramAreRefuted) {
  for (const MuGraph& g : saved("gqa_bs1"))
    EXPECT_EQ(verify_mugraph(g, program("qknorm_gqa")).verdict.kind, verify::VerdictKind::kRefuted);
  for (const MuGraph& g : saved("rmsnorm_bs1"))  // two inputs instead of three
    EXPECT_EQ(verify_mugraph(g, program("gated_mlp")).verdict.kind, verify::VerdictKind::kRefuted);
}

TEST(SavedMuGraphs, FitTheMemoryOfTheirSearch) {
  for (const char* file : {"rmsnorm_bs1", "gqa_bs1", "lora", "gated_mlp", "mha_bs1", "mqa_bs1", "ntrans_bs1"})
    for (const MuGraph& g : saved(file)) EXPECT_EQ(check_memory(g, {}), "") << file << "\n" << print(g);
}

TEST(SavedMuGraphs, SurviveWritingAndReading) {
  for (const char* file : {"rmsnorm_bs1", "gqa_bs1", "mha_bs1", "demo_checkpoint_lora", "ntrans_bs1"}) {
    const auto graphs = saved(file);
    const auto again = parse_mirage_json(write_mirage_json(graphs), "written");
    ASSERT_EQ(again.size(), graphs.size());
    for (size_t i = 0; i < graphs.size(); ++i) EXPECT_EQ(print(again[i]), print(graphs[i]));
    // Tiles have places, which reading has checked.
    EXPECT_EQ(write_mirage_json(graphs).find("\"smem_offset\":0,\"operators\""), std::string::npos) << file;
  }
}

}  // namespace
}  // namespace isomer::mugraph
