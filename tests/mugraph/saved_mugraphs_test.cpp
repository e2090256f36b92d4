// The public project's saved muGraphs: which of them are right was found once in plain double precision at
// full shape, outside of this project's code.
#include <gtest/gtest.h>

#include "mugraph/mirage_json.h"
#include "mugraph/spec.h"
#include "mugraph/verify_mugraph.h"

namespace isomer::mugraph {
namespace {

std::vector<MuGraph> saved(const std::string& name) {
  return read_mirage_json(ISOMER_SOURCE_DIR "/tests/data/mugraphs/" + name + ".json");
}

struct Saved {
  const char* file;
  const char* program;
  double log2_error = -100;  // attention: a few tests are enough here, the command makes all of them
  bool floats = true;
};

class RightMuGraphs : public testing::TestWithParam<Saved> {};

TEST_P(RightMuGraphs, AreProved) {
  const Saved& p = GetParam();
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
  }
}

INSTANTIATE_TEST_SUITE_P(Files, RightMuGraphs,
                         testing::Values(Saved{"rmsnorm_bs1", "rmsnorm"}, Saved{"gqa_bs1", "gqa", -10, false},
                                         Saved{"mha_bs1", "mha", -10, false},
                                         Saved{"mqa_bs1", "mqa", -10, false}, Saved{"lora", "lora"},
                                         Saved{"demo_checkpoint_lora", "lora", -100, false},
                                         Saved{"gated_mlp", "gated_mlp"}, Saved{"ntrans_bs1", "ntrans"},
                                         Saved{"qwen25_659774eb06d5ca86", "rmsnorm_weight", -100, false},
                                         Saved{"qwen25_64644b2e7bbffb94", "silu_mul_matmul", -100, false}),
                         [](const auto& test) { return std::string(test.param.file); });

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
  }
}

}  // namespace
}  // namespace isomer::mugraph
