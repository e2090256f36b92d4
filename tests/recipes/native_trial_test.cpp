#include "recipes/native_trial.h"

#include <gtest/gtest.h>

#include "ir/op_table.h"
#include "ir/print.h"
#include "native/compiler.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

const char* const kNorm = R"(graph {
  %x = input{name="x"} : f32[33,70]
  %w = input{name="w"} : f32[70,50]
  %i = input{name="i"} : i64[4]
  %m = matmul(%x, %w) : f32[33,50]
  %p = softmax{axis=1}(%m) : f32[33,50]
  %g = gather{axis=0}(%p, %i) : f32[4,50]
  return %p, %g })";

TEST(NativeTrial, MachineCodeAgreesWithEvaluation) {
  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  ir::Context ctx(ir::standard_ops());
  const NativeTrial t = try_native(ir::parse_graph(ctx, kNorm), {}, 3);
  EXPECT_LT(t.difference, 1e-5);
  EXPECT_GT(t.runs, 2);
}

TEST(NativeTrial, DrawsWhatTheTypesHold) {
  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  for (const char* type : {"bool", "i8", "u8"}) {  // an index into a longer table
    ir::Context ctx(ir::standard_ops());
    const std::string text = std::string(R"(graph {
      %i = input{name="i"} : )") +
                             type + R"([16]
      %t = input{name="t"} : f32[1000,3]
      %w = cast{to=i64}(%i) : i64[16]
      %g = gather{axis=0}(%t, %w) : f32[16,3]
      return %g })";
    for (uint64_t seed = 1; seed < 4; ++seed)
      EXPECT_LT(try_native(ir::parse_graph(ctx, text), {}, seed).difference, 1e-5) << type << " " << seed;
  }
}

TEST(NativeTrial, SaysWhatNoCodeIsGeneratedFor) {
  if (const std::string why = native::why_no_compiler(); !why.empty()) GTEST_SKIP() << why;
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : i64[4]
    %y = pow(%x, %x) : i64[4]
    return %y })");
  EXPECT_THROW(try_native(graph, {}, 3), InputError);
}

}  // namespace
}  // namespace isomer::recipes
