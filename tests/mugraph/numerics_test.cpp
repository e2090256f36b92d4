// Errors in narrow formats, and double precision where one element takes millions of products.
#include "mugraph/numerics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "mugraph/interpret.h"
#include "mugraph/random_tensors.h"
#include "mugraph/sampled_run.h"
#include "mugraph/shrink.h"
#include "mugraph/verify_mugraph.h"
#include "published/mirage_figures.h"

namespace isomer::mugraph {
namespace {

// Every element, asked for in any order, is what running all blocks gives.
TEST(SampledRun, HasTheElementsOfTheWholeRun) {
  for (const published::mirage::Figure& p : published::mirage::figures()) {
    SCOPED_TRACE(p.name);
    const Program& source = program(p.program);
    auto small = shrink(p.graph, source, p.extents, {2, 3, {}});
    for (size_t d = 0; d < 6 && !small; ++d)
      small = shrink(p.graph, source, p.extents, {2, 2, std::pair(d / 3, d % 3)});
    ASSERT_TRUE(small);
    Rng rng(8);
    const auto in = random_tensors(source.input_sizes(small->extents), rng);
    eval::Float64 domain;
    const auto whole = interpret(domain, small->graph, std::span<const FloatTensor>(in));
    SampledRun<eval::Float64> run(
        domain, small->graph, [&](size_t i, int64_t at) { return in[i].numbers[static_cast<size_t>(at)]; },
        1e9);
    for (size_t o = 0; o < whole.size(); ++o)
      for (size_t i = 0; i < whole[o].numbers.size(); ++i) {
        const size_t at = (i * 7 + 3) % whole[o].numbers.size();
        EXPECT_DOUBLE_EQ(run.element(small->graph.outputs[o], static_cast<int64_t>(at)),
                         whole[o].numbers[at]);
      }
  }
}

TEST(SampledRun, EndsAtItsBudget) {
  const published::mirage::Figure& p = published::mirage::figure("figure 8b");
  eval::Float64 domain;
  SampledRun<eval::Float64> run(domain, p.graph, [](size_t, int64_t) { return 1.0; }, 1000);
  EXPECT_THROW(run.element(p.graph.outputs[0], 0), eval::SampleBudgetSpent);
}

const FormatError& in(const std::vector<FormatError>& errors, ir::DType format) {
  return *std::ranges::find(errors, format, &FormatError::format);
}

// Logits have a deviation of 10: their exponentials overflow in float16 unless the largest is subtracted.
TEST(Numerics, ExponentialsWithoutTheirMaximumOverflow) {
  NumericsOptions options;
  options.scale = 2;
  const auto plain = format_errors(published::mirage::figure("FlashAttention").graph, options);
  const auto online = format_errors(published::mirage::figure("online softmax").graph, options);
  ASSERT_EQ(plain.size(), 3U);
  ASSERT_EQ(online.size(), 3U);
  EXPECT_TRUE(in(plain, ir::DType::kF16).overflows) << print(plain);
  EXPECT_TRUE(in(plain, ir::DType::kF16).poor());
  EXPECT_NE(print(plain).find("f16 overflows"), std::string::npos);
  EXPECT_FALSE(in(plain, ir::DType::kBF16).overflows) << print(plain);
  EXPECT_FALSE(in(plain, ir::DType::kF32).poor()) << print(plain);
  for (const FormatError& e : online) EXPECT_FALSE(e.overflows) << print(online);
}

TEST(Numerics, AreLeftWhereTimeIsUpOrSomebodyStops) {
  NumericsOptions options;
  options.limits.seconds = 0;
  EXPECT_TRUE(format_errors(published::mirage::figure("figure 8b").graph, options).empty());
  NumericsOptions stopped;
  stopped.limits.stop.request();
  EXPECT_TRUE(format_errors(published::mirage::figure("figure 8b").graph, stopped).empty());
  EXPECT_EQ(print(std::vector<FormatError>{}), "not measured: too much work or no time left");
}

TEST(Verify, SaysNothingOnceItIsStopped) {
  StopToken stop;
  stop.request();
  const published::mirage::Figure& p = published::mirage::figure("figure 8b");
  for (Fields fields : {Fields::kSafe, Fields::kMirageCode}) {
    MuVerifyOptions options;
    options.fields = fields;
    const MuVerdict v = verify_mugraph(p.graph, program(p.program), options, stop);
    EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kUnknown);
    EXPECT_EQ(v.verdict.note, "stopped");
  }
}

TEST(Numerics, ErrorsFollowThePrecision) {
  for (const char* name : {"RMSNorm", "figure 9b", "RMSNorm by threads"}) {
    const auto errors = format_errors(published::mirage::figure(name).graph);
    ASSERT_EQ(errors.size(), 3U);
    for (const FormatError& e : errors) EXPECT_FALSE(e.poor()) << name << ": " << print(errors);
    EXPECT_GT(in(errors, ir::DType::kF16).error, 1e-5) << name;
    EXPECT_GT(in(errors, ir::DType::kBF16).error, in(errors, ir::DType::kF16).error) << name;
    EXPECT_LT(in(errors, ir::DType::kF32).error, 1e-5) << name;
  }
}

/// exp(X A) B in one kernel: each block has some columns of B and makes all of exp(X A) of one expert.
MuGraph experts(const Extents& extents, int64_t blocks, int64_t range) {
  MuGraph g;
  g.values = program("moe").input_sizes(extents);
  g.inputs = 3;
  BlockGraph b;
  b.grid = {extents.at("e"), blocks, 1};
  b.loops = {range};
  b.inputs = {{{0, -1, -1}, {-1}, {}}, {{0, -1, -1}, {2}, {}}, {{0, 2, -1}, {1}, {}}};
  const auto op = [&](const char* name, std::vector<uint32_t> operands) {
    BlockNode n;
    n.op = g.ops->at(name);
    n.operands = std::move(operands);
    b.nodes.push_back(n);
    return static_cast<uint32_t>(b.values() - 1);
  };
  b.outputs = {{op("accumulate", {op("matmul", {op("exp", {op("matmul", {0, 1})}), 2})}), {0, 2, -1}}};
  g.values.emplace_back();
  g.nodes = {{0, -1, std::make_shared<BlockGraph>(b), {0, 1, 2}, {3}}};
  g.outputs = {3};
  EXPECT_EQ(infer_sizes(g), "");
  return g;
}

void expect_judged(const MuGraph& g) {
  MuVerifyOptions options;
  options.full_float_work = 0;  // sampled
  options.log2_error = -1;
  const MuVerdict v = verify_mugraph(g, program("moe"), options);
  EXPECT_EQ(v.verdict.method, "field, floats") << verify::summary(v.verdict);
  EXPECT_GT(v.verdict.max_relative_error, 0);
  EXPECT_LT(v.verdict.max_relative_error, 1e-9);
}

TEST(Verify, RunsTheBlocksThatSampledElementsNeed) {
  expect_judged(experts({{"e", 2}, {"m", 2}, {"k", 512}, {"f", 512}, {"n", 512}}, 8, 8));
}

// An output element of the mixture of experts is made of 16 million products.
TEST(Verify, DISABLED_LongJudgesProductChainsInDoublePrecisionAtFullShape) {
  expect_judged(experts(program("moe").extents, 64, 64));
}

// What is wrong in large only.
TEST(Verify, RefutesAtFullShapeWhatTheFieldCannotSee) {
  const Program& p = program("moe");
  const Extents extents = {{"e", 1}, {"m", 1}, {"k", 512}, {"f", 512}, {"n", 512}};
  Program other = p;
  other.body = [&p](ir::Builder& b, std::span<const ir::ValueId> in) {
    const ir::ValueId out = p.body(b, in);
    const Sizes sizes = sizes_of(b, out);
    if (sizes[2] < 500) return out;
    std::vector<double> factors(static_cast<size_t>(sizes[2]), 1);
    factors.back() = 1.5;
    const ir::ValueId by = b.constant(ir::DType::kF32, {1, 1, sizes[2]}, factors);
    return b.add("mul", {out, broadcast(b, by, sizes)});
  };
  MuVerifyOptions options;
  options.log2_error = -1;
  options.full_float_work = 0;
  const MuVerdict v = verify_mugraph(experts(extents, 8, 8), other, options);
  EXPECT_EQ(v.verdict.kind, verify::VerdictKind::kRefuted) << verify::summary(v.verdict);
  EXPECT_NE(v.verdict.counterexample.find("full shape: output 0 at [0,0,511]"), std::string::npos)
      << v.verdict.counterexample;
}

}  // namespace
}  // namespace isomer::mugraph
