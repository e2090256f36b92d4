// What the estimate of kernels is to see: each roof where it is the one that binds, and the order of what is
// known to differ by much. Bounds are wide: the rates are fitted, and may be fitted again.
#include "codegen/gpu_estimate.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <numeric>

#include "codegen/generate.h"
#include "codegen/kernel_graphs.h"
#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::codegen {
namespace {

LoopProgram loops_of(const std::string& text, const std::string& gpu) {
  ir::Context ctx(ir::standard_ops());
  return generate_for_gpu(ir::parse_graph(ctx, text), gpu_options_for(gpu));
}
/// Seconds of all kernels, without the beginning of a run.
double kernels_of(const std::string& text, const std::string& gpu = "sm_90") {
  const auto each = gpu_seconds_each(loops_of(text, gpu), machine::gpu_named(gpu));
  return std::accumulate(each.begin(), each.end(), 0.0);
}

std::string function_of(const char* op, int rows) {
  return fmt::format(
      "graph {{\n%x = input{{name=\"x\"}} : f32[{0},4096]\n%y = {1}(%x) : f32[{0},4096]\nreturn %y }}", rows,
      op);
}
std::string product_of(const char* type, int size) {
  return fmt::format(
      "graph {{\n%a = input{{name=\"a\"}} : {0}[{1},{1}]\n%b = input{{name=\"b\"}} : {0}[{1},{1}]\n"
      "%y = matmul(%a, %b) : {0}[{1},{1}]\nreturn %y }}",
      type, size);
}

TEST(GpuEstimate, ARunIsItsKernelsAndItsBeginning) {
  const machine::Gpu gpu = machine::gpu_named("sm_90");
  const LoopProgram program = loops_of(kernel_graphs::two_kernels("f16", 16), "sm_90");
  const std::vector<double> each = gpu_seconds_each(program, gpu);
  EXPECT_GT(each.size(), 1U);
  for (const double seconds : each) EXPECT_GE(seconds, gpu.fitted.launch_seconds);
  EXPECT_DOUBLE_EQ(gpu_seconds(program, gpu),
                   std::accumulate(each.begin(), each.end(), gpu.fitted.run_seconds));
}

TEST(GpuEstimate, LittleWorkIsALaunch) {
  const double launch = machine::gpu_named("sm_90").fitted.launch_seconds,
               took = kernels_of(function_of("neg", 1));
  EXPECT_GE(took, launch);
  EXPECT_LT(took, 1.5 * launch);
}

TEST(GpuEstimate, WhatOnlyMovesIsBoundByMemory) {
  for (const char* gpu : {"sm_80", "sm_90"}) {
    const machine::FittedRates rates = machine::gpu_named(gpu).fitted;
    const double bytes = 2.0 * 8192 * 4096 * 4;
    EXPECT_NEAR(kernels_of(function_of("neg", 8192), gpu), rates.launch_seconds + bytes / rates.memory_bytes,
                0.02 * bytes / rates.memory_bytes)
        << gpu;
  }
}

TEST(GpuEstimate, ProductsAreFasterByTensorCoresAndFasterStillByGroups) {
  const double by_threads = kernels_of(product_of("f32", 2048)),
               by_warps = kernels_of(product_of("f16", 2048)),
               by_groups = kernels_of(product_of("f16", 2048), "sm_90a");
  EXPECT_GT(by_threads, 3 * by_warps);
  EXPECT_GT(by_warps, 1.2 * by_groups);
  const double flops = 2.0 * 2048 * 2048 * 2048;
  EXPECT_GE(by_groups, flops / machine::gpu_named("sm_90a").fitted.group_flops);
  EXPECT_GE(by_threads, flops / machine::gpu_named("sm_90").fitted.flops);
}

// Attention by one block each: a run is mostly steps that wait for what the one before made.
TEST(GpuEstimate, StepsThatWaitTakeTime) {
  machine::Gpu gpu = machine::gpu_named("sm_90");
  const LoopProgram program = loops_of(kernel_graphs::attention("f32", 2), "sm_90");
  const double before = gpu_seconds(program, gpu);
  gpu.fitted.step_seconds *= 10;
  EXPECT_GT(gpu_seconds(program, gpu), 2 * before - gpu.fitted.run_seconds);
}

TEST(GpuEstimate, AnEarlierProcessorIsSlower) {
  for (const std::string& text : {function_of("exp", 8192), product_of("f16", 2048), product_of("f32", 1024)})
    EXPECT_GT(kernels_of(text, "sm_80"), kernels_of(text, "sm_90"));
}

}  // namespace
}  // namespace isomer::codegen
