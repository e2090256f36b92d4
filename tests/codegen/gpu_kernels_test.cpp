// Kernels as graphics processors run them: over a prime field they compute what they are defined as, at the
// processor's own numbers of threads, and what is said of them is so: copies ahead, tensor cores, sums that
// stay in registers, and a fallback that gives its reason.
#include <gtest/gtest.h>

#include <utility>

#include "codegen/gpu_places.h"
#include "codegen/gpu_text.h"
#include "codegen/kernel_graphs.h"
#include "codegen/loops_agree.h"
#include "codegen/make_loops.h"
#include "codegen/parts.h"

namespace isomer::codegen {
namespace {

using kernel_graphs::attention;
using kernel_graphs::product;

struct Made {
  std::string text;
  std::vector<std::string> written_out;
};

/// The loops, which are held to evaluation.
Made made(const std::string& text, const GpuOptions& options = {}) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text);
  Made out;
  const LoopProgram program = generate_for_gpu(graph, options, &out.written_out);
  out.text = print(program);
  EXPECT_EQ(check(program), "") << out.text;
  Rng rng(3);
  eval::PrimeField field(rng.next());
  EXPECT_EQ(runs_differently_or_fails(field, graph, program, drawn_in_field(graph, rng)), "") << out.text;
  for (const Part& part : in_parts(program).parts) EXPECT_NO_THROW(gpu_kernel(part.program)) << out.text;
  return out;
}

TEST(GpuKernels, ProductsOfSinglePrecisionAreThreads) {
  for (const int rows : {1, 2, 3, 16}) {
    const Made m = made(product("f32", rows, true));
    EXPECT_TRUE(m.written_out.empty());
    EXPECT_NE(m.text.find("copied"), std::string::npos) << m.text;
    EXPECT_EQ(m.text.find("together"), std::string::npos) << m.text;
  }
}

TEST(GpuKernels, ProductsOfHalvesAreTensorCores) {
  for (const int rows : {2, 3, 8, 16, 24}) {
    const Made m = made(product("f16", rows, true));
    EXPECT_TRUE(m.written_out.empty());
    EXPECT_NE(m.text.find("together"), std::string::npos) << m.text;
  }
}

TEST(GpuKernels, EightColumnsAreTensorCores) {
  const Made m = made(product("f16", 8, true, 8));
  EXPECT_NE(m.text.find("together"), std::string::npos) << m.text;
}

TEST(GpuKernels, AttentionIsOneKernel) {
  for (const char* dtype : {"f32", "f16", "bf16"})
    for (const int queries : {2, 16}) {
      const Made m = made(attention(dtype, queries));
      EXPECT_TRUE(m.written_out.empty());
    }
}

TEST(GpuKernels, OnlineSoftmaxSeveralLoopsSeveralKernels) {
  for (const char* dtype : {"f32", "f16", "bf16"}) {
    for (const int queries : {3, 16}) {
      EXPECT_TRUE(made(kernel_graphs::online_attention(dtype, queries)).written_out.empty());
      EXPECT_TRUE(made(kernel_graphs::two_kernels(dtype, queries)).written_out.empty());
    }
    EXPECT_TRUE(made(kernel_graphs::two_loops(dtype)).written_out.empty());
  }
}

TEST(GpuKernels, OnlineSoftmaxCopiesAhead) {
  ir::Context ctx(ir::standard_ops());
  LoopProgram program = generate_for_gpu(ir::parse_graph(ctx, kernel_graphs::online_attention("f16", 16)),
                                         gpu_options_for("sm_90"));
  EXPECT_NE(find_loop(program.body, [](const Loop& l) { return l.kind == LoopKind::kCopied; }), nullptr)
      << print(program);
}

TEST(GpuKernels, StandBesideProductsOfGroups) {
  const Made m = made(kernel_graphs::among_operators("f16", 64), gpu_options_for("sm_90a"));
  EXPECT_TRUE(m.written_out.empty());
  EXPECT_NE(m.text.find("together in groups"), std::string::npos) << m.text;
}

TEST(GpuKernels, WhatOneThreadStoresAllOthersWaitFor) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate_for_gpu(ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[4,1]
    %k = kernel{body={
      %a = input{name="a"} : f32[1,1]
      %b = broadcast{shape=[1,16]}(%a) : f32[1,16]
      %r = accum.sum(%b) : f32[1,1]
      %q = broadcast{shape=[1,64]}(%r) : f32[1,64]
      return %q
    }, grid=[2,1,1], loops=[2], imap=[0,-1,-1], fmap=[0], omap=[0,-1,-1]}(%x) : f32[2,64]
    return %k })"));
  const LoopProgram kernel = in_parts(program).parts.at(0).program;
  const Places places = places_of(kernel);
  for (size_t b = 0; b < kernel.buffers.size(); ++b) {
    if (!kernel.buffers[b].name.starts_with("each")) continue;
    EXPECT_NE(places.of[b], Place::kUniform) << kernel.buffers[b].name << "\n" << gpu_kernel(kernel).text;
  }
}

TEST(GpuKernels, FewThreads) {
  GpuOptions few;
  few.threads = 32;
  few.unrolled = 4;
  for (const char* dtype : {"f32", "f16"}) {
    made(product(dtype, 16, true), few);
    made(attention(dtype, 16), few);
  }
}

TEST(GpuKernels, SumsStayInRegisters) {
  ir::Context ctx(ir::standard_ops());
  const LoopProgram program = generate_for_gpu(ir::parse_graph(ctx, product("f16", 16, false)));
  const GpuKernel kernel = gpu_kernel(in_parts(program).parts.at(0).program);
  const auto count = [&](const std::string& what) {
    size_t out = 0;
    for (size_t at = 0; (at = kernel.text.find(what, at)) != std::string::npos; ++at) ++out;
    return out;
  };
  // Threads wait when the next tiles are there, and once for sums that meet.
  EXPECT_EQ(count("call void @llvm.nvvm.barrier0"), 2u) << kernel.text;
}

TEST(GpuKernels, LotsAreOfAllThreads) {
  ir::Context ctx(ir::standard_ops());
  // Fewer pieces than threads: some copy, and all say that it is one lot.
  const LoopProgram program = generate_for_gpu(ir::parse_graph(ctx, product("f32", 2, true)));
  const std::string text = gpu_kernel(in_parts(program).parts.at(0).program).text;
  size_t lots = 0;
  for (size_t at = 0; (at = text.find("call void @llvm.nvvm.cp.async.commit", at)) != std::string::npos;
       ++at) {
    const size_t end = text.rfind(":\n", at), begin = text.rfind('\n', end) + 1;
    EXPECT_FALSE(text.substr(begin, 2) == "in") << text.substr(begin, at - begin);
    ++lots;
  }
  EXPECT_GT(lots, 1u) << text;
}

TEST(GpuKernels, ReadNothingThatIsOnItsWay) {
  ir::Context ctx(ir::standard_ops());
  for (const char* dtype : {"f32", "f16"}) {
    const ir::Graph graph = ir::parse_graph(ctx, product(dtype, 16, true));
    for (const bool dropped : {false, true}) {
      LoopProgram program = generate_for_gpu(graph);
      Loop* loop = find_loop(program.body, waits);
      ASSERT_NE(loop, nullptr) << print(program);
      loop->stages = dropped ? 0 : loop->stages + 1;
      EXPECT_NE(runs_as(graph, program).find("waited for"), std::string::npos);
    }
  }
}

TEST(GpuKernels, AWaitThatComesLaterIsTooLate) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, product("f16", 16, true));
  LoopProgram program = generate_for_gpu(graph);
  Loop* loop = find_loop(program.body, waits);
  ASSERT_NE(loop, nullptr);
  // The same, but what waits stands behind what an iteration reads.
  const int64_t stages = std::exchange(loop->stages, 0);
  const int again = add_variable(program, "w");
  Loop late = make_loop(again, 0, 1, LoopKind::kSerial, {});
  late.stages = stages;
  loop->body.push_back({std::move(late)});
  EXPECT_EQ(check(program), "");
  EXPECT_NE(runs_as(graph, program).find("waited for"), std::string::npos);
}

TEST(GpuKernels, CopyWhatLiesTogether) {
  ir::Context ctx(ir::standard_ops());
  LoopProgram program = generate_for_gpu(ir::parse_graph(ctx, product("f16", 16, true)));
  Loop* piece = find_loop(program.body, [](const Loop& l) { return l.kind == LoopKind::kCopied; });
  ASSERT_NE(piece, nullptr);
  Access& read = std::get<Store>(piece->body[0].node).reads[0];
  read.index.back() = read.index.back() + ir::IndexExpr::var(piece->variable);
  EXPECT_NE(check(program).find("do not lie together"), std::string::npos);
}

TEST(GpuKernels, WhatTheIterationReadsAgainIsNoSumYet) {
  // The exponentials are summed, element by element, and multiplied in each iteration.
  std::string text = attention("f32", 16);
  for (const auto& [what, by] : {std::pair("%n = accum.sum(%e) : f32[1,16,1]",
                                           "%f = accum.add(%e) : f32[1,16,16]\n"
                                           "%n = reduce_sum{axes=[2], keepdims=1}(%f) : f32[1,16,1]")})
    text.replace(text.find(what), std::string(what).size(), by);
  EXPECT_TRUE(made(text).written_out.empty());
}

TEST(GpuKernels, WhatNeedsMoreMemoryThanThereIsIsWrittenOut) {
  GpuOptions little;
  little.shared_bytes = 1024;
  const Made m = made(product("f32", 16, false), little);
  ASSERT_EQ(m.written_out.size(), 1u);
  EXPECT_NE(m.written_out[0].find("of shared memory, of 1024 that there are"), std::string::npos)
      << m.written_out[0];
}

}  // namespace
}  // namespace isomer::codegen
