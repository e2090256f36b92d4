// The public project's saved muGraphs as loops: what blocks and iterations do computes what the muGraph is
// defined as, over a prime field, at reduced sizes.
#include <gtest/gtest.h>

#include <filesystem>

#include "codegen/loops_agree.h"
#include "ir/op_table.h"
#include "mugraph/ir_graph.h"
#include "mugraph/mirage_json.h"
#include "mugraph/programs.h"
#include "mugraph/shrink.h"

namespace isomer::recipes {
namespace {

void expect_same(const mugraph::MuGraph& kernels, Rng& rng, const std::string& what) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = mugraph::to_graph(ctx, kernels);
  codegen::ScheduleOptions options;
  options.lanes = 4;
  options.rows = 2;
  const codegen::LoopProgram program = codegen::generate(graph, options);
  ASSERT_EQ(codegen::check(program), "") << what;
  eval::PrimeField field(rng.next());
  const auto inputs = codegen::drawn_in_field(graph, rng);
  EXPECT_EQ(codegen::runs_differently(field, graph, program, inputs), "") << what;
  for (const ir::DType dtype : {ir::DType::kF32, ir::DType::kF16}) {
    const ir::Graph same = mugraph::to_graph(ctx, kernels, dtype);
    std::vector<std::string> written_out;
    const codegen::LoopProgram on_gpu = codegen::generate_for_gpu(same, {}, &written_out);
    EXPECT_TRUE(written_out.empty()) << what;
    Rng again(rng.next());
    EXPECT_EQ(codegen::runs_differently(field, same, on_gpu, codegen::drawn_in_field(same, again)), "")
        << what << ", on a graphics processor, " << ir::name(dtype);
  }
}

struct Saved {
  const char *file, *program;
};

class SavedKernels : public testing::TestWithParam<Saved> {};

TEST_P(SavedKernels, RunAsTheyAreDefined) {
  const auto graphs = mugraph::read_mirage_json(std::string(ISOMER_SOURCE_DIR "/tests/data/mugraphs/") +
                                                GetParam().file + ".json");
  const mugraph::Program& program = mugraph::program(GetParam().program);
  Rng rng(7);
  size_t tried = 0;
  for (size_t i = 0; i < graphs.size(); ++i) {
    std::vector<mugraph::Sizes> sizes(
        graphs[i].values.begin(), graphs[i].values.begin() + static_cast<std::ptrdiff_t>(graphs[i].inputs));
    const auto extents = program.match(sizes);
    if (!extents) continue;
    const auto small = mugraph::shrink(graphs[i], program, *extents);
    if (!small) continue;
    ++tried;
    expect_same(small->graph, rng, std::string(GetParam().file) + " " + std::to_string(i));
  }
  EXPECT_GT(tried, 0u);
}

INSTANTIATE_TEST_SUITE_P(Of, SavedKernels,
                         testing::Values(Saved{"rmsnorm_bs1", "rmsnorm"},
                                         Saved{"hopper_rmsnorm_bs16", "rmsnorm"}, Saved{"gqa_bs1", "gqa"},
                                         Saved{"mha_bs1", "mha"}, Saved{"mqa_bs1", "mqa"},
                                         Saved{"lora", "lora"}, Saved{"gated_mlp", "gated_mlp"},
                                         Saved{"ntrans_bs1", "ntrans"},
                                         Saved{"eval_norm_transformer_bs8", "ntrans"},
                                         Saved{"qwen25_659774eb06d5ca86", "rmsnorm_weight"},
                                         Saved{"qwen25_64644b2e7bbffb94", "silu_mul_matmul"}),
                         [](const auto& saved) { return std::string(saved.param.file); });

}  // namespace
}  // namespace isomer::recipes
