// What the shipped rule sets are for: each small program must end with the operators named, and compute the
// same.
#include <gtest/gtest.h>

#include <map>

#include "cost/flops.h"
#include "cost/roofline.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "rewrite/rule_parser.h"
#include "rewrite/tensor_extract.h"
#include "verify/equivalence.h"

namespace isomer::rewrite {
namespace {

RuleSet shipped(const ir::OpTable& ops) {
  RuleSet rules;
  for (const char* file : {"algebra", "selection", "less_work", "spelling", "attention"})
    rules.append(load_rules(ops, std::string(ISOMER_SOURCE_DIR) + "/rules/" + file + ".rules"));
  return rules;
}

/// Operators on other than weights, by name; views and tuples aside.
std::map<std::string, int> operators(const ir::Graph& graph) {
  const std::vector<bool> known = cost::known_at_compile_time(graph);
  std::map<std::string, int> out;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::OpDef& def = graph.def(ir::ValueId(i));
    if (!known[i] && def.kind != ir::MeaningKind::kLeaf && def.kind != ir::MeaningKind::kTuple &&
        !cost::is_view(def))
      ++out[def.name];
  }
  return out;
}

struct Case {
  const char* what;
  const char* lines;
  std::map<std::string, int> expected;
};

class RuleSets : public testing::TestWithParam<Case> {};

TEST_P(RuleSets, LeadThere) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, std::string("graph g {\n") + GetParam().lines + "\n}");
  const RuleSet rules = shipped(ctx.ops());
  TensorEGraph program(graph);
  Saturation saturation(program, rules);
  SaturateOptions options;
  options.limits.iterations = 15;
  options.grouping = true;
  const SaturateReport report = saturation.run(options);
  EXPECT_EQ(report.contradictions, 0u);
  EXPECT_LT(report.e_nodes, 1000u);
  cost::RooflineCost model({"even", 1e9, 1e9, 1e-3, "made up"});
  const TensorExtraction result = extract(program, saturation.alternatives(), model, {});
  ASSERT_TRUE(result.found);
  EXPECT_EQ(operators(result.graph), GetParam().expected) << ir::print(result.graph);
  const verify::Verdict verdict = verify::check_equivalent(graph, result.graph);
  EXPECT_TRUE(verdict.equivalent()) << verify::summary(verdict);
}

const Case kCases[] = {
    {"RepVgg",
     R"(
      %0 = input{name="x"} : f32[1,4,8,8]
      %1 = weight{name="a"} : f32[4,4,3,3]
      %2 = weight{name="b"} : f32[4,4,1,1]
      %3 = weight{name="c"} : f32[4]
      %4 = conv{strides=[1,1], dilations=[1,1], pads=[1,1,1,1], group=1}(%0, %1, %3) : f32[1,4,8,8]
      %5 = conv{strides=[1,1], dilations=[1,1], pads=[0,0,0,0], group=1}(%0, %2, %3) : f32[1,4,8,8]
      %6 = add(%5, %4) : f32[1,4,8,8]
      return %6)",
     {{"winograd_conv", 1}}},  // one of 3 by 3, and the cost counts no memory
    {"OneWeightForASum",
     R"(
      %0 = input{name="x"} : f32[8,16]
      %1 = input{name="y"} : f32[8,16]
      %2 = weight{name="w"} : f32[16,16]
      %3 = matmul(%0, %2) : f32[8,16]
      %4 = matmul(%1, %2) : f32[8,16]
      %5 = add(%3, %4) : f32[8,16]
      return %5)",
     {{"add", 1}, {"matmul", 1}}},
    {"MeanOfAProjection",
     R"(
      %0 = input{name="x"} : f32[2,16,8]
      %1 = weight{name="w"} : f32[8,32]
      %2 = weight{name="b"} : f32[32]
      %3 = matmul(%0, %1) : f32[2,16,32]
      %4 = broadcast{shape=[2,16,32]}(%2) : f32[2,16,32]
      %5 = add(%3, %4) : f32[2,16,32]
      %6 = reduce_mean{axes=[1], keepdims=1}(%5) : f32[2,1,32]
      return %6)",
     {{"reduce_mean", 1}, {"matmul", 1}, {"add", 1}}},
    {"EnlargedAfterTheConvolution",
     R"(
      %0 = input{name="x"} : f32[1,16,4,4]
      %1 = input{name="y"} : f32[1,8,8,8]
      %2 = weight{name="w"} : f32[16,24,1,1]
      %3 = weight{name="b"} : f32[16]
      %4 = upsample{factors=[1,1,2,2]}(%0) : f32[1,16,8,8]
      %5 = concat{axis=1}(%4, %1) : f32[1,24,8,8]
      %6 = conv{strides=[1,1], dilations=[1,1], pads=[0,0,0,0], group=1}(%5, %2, %3) : f32[1,16,8,8]
      return %6)",
     {{"conv", 2}, {"upsample", 1}, {"add", 1}}},
    {"EnlargedAfterNormalisationAndActivation",
     R"(
      %0 = input{name="x"} : f32[1,4,4,4]
      %1 = weight{name="g"} : f32[4]
      %2 = upsample{factors=[1,1,2,2]}(%0) : f32[1,4,8,8]
      %3 = relu(%2) : f32[1,4,8,8]
      %4 = global_avg_pool(%3) : f32[1,4,1,1]
      return %4)",
     {{"relu", 1}, {"global_avg_pool", 1}}},
    {"SliceOfManyParts",
     R"(
      %0 = input{name="a"} : f32[2,4]
      %1 = input{name="b"} : f32[2,4]
      %2 = input{name="c"} : f32[2,4]
      %3 = input{name="d"} : f32[2,4]
      %4 = exp(%2) : f32[2,4]
      %5 = concat{axis=1}(%0, %1, %4, %3) : f32[2,16]
      %6 = slice{axes=[1], starts=[9], ends=[11], steps=[1]}(%5) : f32[2,2]
      return %6)",
     {{"exp", 1}, {"slice", 1}}},
    {"AttentionOfHeads",
     R"(
      %0 = input{name="q"} : f32[1,4,16]
      %1 = input{name="k"} : f32[1,6,16]
      %2 = input{name="v"} : f32[1,6,16]
      %3 = input{name="mask"} : f32[1,1,1,6]
      %4 = reshape{shape=[1,4,2,8]}(%0) : f32[1,4,2,8]
      %5 = reshape{shape=[1,6,2,8]}(%1) : f32[1,6,2,8]
      %6 = reshape{shape=[1,6,2,8]}(%2) : f32[1,6,2,8]
      %7 = transpose{perm=[0,2,1,3]}(%4) : f32[1,2,4,8]
      %8 = transpose{perm=[0,2,3,1]}(%5) : f32[1,2,8,6]
      %9 = transpose{perm=[0,2,1,3]}(%6) : f32[1,2,6,8]
      %10 = matmul(%7, %8) : f32[1,2,4,6]
      %11 = broadcast{shape=[1,2,4,6]}(%3) : f32[1,2,4,6]
      %12 = add(%10, %11) : f32[1,2,4,6]
      %13 = softmax{axis=3}(%12) : f32[1,2,4,6]
      %14 = matmul(%13, %9) : f32[1,2,4,8]
      %15 = transpose{perm=[0,2,1,3]}(%14) : f32[1,4,2,8]
      %16 = reshape{shape=[1,4,16]}(%15) : f32[1,4,16]
      return %16)",
     {{"multi_head_attention", 1}}},
    {"RotaryEmbedding",
     R"(
      %0 = input{name="x"} : f32[1,2,4,8]
      %1 = input{name="angle"} : f32[1,4,4]
      %2 = concat{axis=2}(%1, %1) : f32[1,4,8]
      %3 = cos(%2) : f32[1,4,8]
      %4 = sin(%2) : f32[1,4,8]
      %5 = unsqueeze{axes=[1]}(%3) : f32[1,1,4,8]
      %6 = unsqueeze{axes=[1]}(%4) : f32[1,1,4,8]
      %7 = broadcast{shape=[1,2,4,8]}(%5) : f32[1,2,4,8]
      %8 = broadcast{shape=[1,2,4,8]}(%6) : f32[1,2,4,8]
      %9 = mul(%0, %7) : f32[1,2,4,8]
      %10 = slice{axes=[3], starts=[4], ends=[8], steps=[1]}(%0) : f32[1,2,4,4]
      %11 = slice{axes=[3], starts=[0], ends=[4], steps=[1]}(%0) : f32[1,2,4,4]
      %12 = neg(%10) : f32[1,2,4,4]
      %13 = concat{axis=3}(%12, %11) : f32[1,2,4,8]
      %14 = mul(%13, %8) : f32[1,2,4,8]
      %15 = add(%9, %14) : f32[1,2,4,8]
      return %15)",
     {{"cos", 1}, {"sin", 1}, {"rotary_embedding", 1}}},
    {"TransposesMeet",
     R"(
      %0 = input{name="x"} : f32[1,8,8,4]
      %1 = weight{name="b"} : f32[4,1,1]
      %2 = transpose{perm=[0,3,1,2]}(%0) : f32[1,4,8,8]
      %3 = broadcast{shape=[1,4,8,8]}(%1) : f32[1,4,8,8]
      %4 = add(%2, %3) : f32[1,4,8,8]
      %5 = clip{min=0.0, max=6.0}(%4) : f32[1,4,8,8]
      %6 = transpose{perm=[0,2,3,1]}(%5) : f32[1,8,8,4]
      return %6)",
     {{"add", 1}, {"clip", 1}}},
    {"ShuffleIntoWeights",
     R"(
      %0 = input{name="x"} : f32[1,4,5,5]
      %1 = weight{name="w"} : f32[6,4,1,1]
      %2 = reshape{shape=[1,2,2,5,5]}(%0) : f32[1,2,2,5,5]
      %3 = transpose{perm=[0,2,1,3,4]}(%2) : f32[1,2,2,5,5]
      %4 = reshape{shape=[1,4,5,5]}(%3) : f32[1,4,5,5]
      %5 = conv{strides=[1,1], dilations=[1,1], pads=[0,0,0,0], group=1}(%4, %1) : f32[1,6,5,5]
      return %5)",
     {{"conv", 1}}},
    {"LastTokenOnly",
     R"(
      %0 = input{name="x"} : f32[1,16,8]
      %1 = weight{name="g"} : f32[8]
      %2 = weight{name="w"} : f32[8,64]
      %3 = layer_norm{axis=2, epsilon=0.5}(%0, %1, %1) : f32[1,16,8]
      %4 = matmul(%3, %2) : f32[1,16,64]
      %5 = tanh(%4) : f32[1,16,64]
      %6 = constant : i64[] {-1}
      %7 = gather{axis=1}(%5, %6) : f32[1,64]
      return %7)",
     {{"slice", 1}, {"layer_norm", 1}, {"matmul", 1}, {"tanh", 1}}},
    {"LayerNormInWords",
     R"(
      %0 = input{name="x"} : f32[4,64]
      %1 = constant : f32[] {2}
      %2 = constant : f32[] {0.001}
      %3 = weight{name="g"} : f32[64]
      %4 = weight{name="b"} : f32[64]
      %5 = reduce_mean{axes=[1], keepdims=1}(%0) : f32[4,1]
      %6 = broadcast{shape=[4,64]}(%5) : f32[4,64]
      %7 = sub(%0, %6) : f32[4,64]
      %8 = broadcast{shape=[4,64]}(%1) : f32[4,64]
      %9 = pow(%7, %8) : f32[4,64]
      %10 = reduce_mean{axes=[1], keepdims=1}(%9) : f32[4,1]
      %11 = broadcast{shape=[4,1]}(%2) : f32[4,1]
      %12 = add(%11, %10) : f32[4,1]
      %13 = sqrt(%12) : f32[4,1]
      %14 = broadcast{shape=[4,64]}(%13) : f32[4,64]
      %15 = div(%7, %14) : f32[4,64]
      %16 = broadcast{shape=[4,64]}(%3) : f32[4,64]
      %17 = mul(%16, %15) : f32[4,64]
      %18 = broadcast{shape=[4,64]}(%4) : f32[4,64]
      %19 = add(%17, %18) : f32[4,64]
      return %19)",
     {{"layer_norm", 1}}},
    {"GeluHalfFirst",
     R"(
      %0 = input{name="x"} : f32[4,64]
      %1 = constant : f32[] {1.4142135}
      %2 = constant : f32[] {1}
      %3 = constant : f32[] {0.5}
      %4 = broadcast{shape=[4,64]}(%1) : f32[4,64]
      %5 = div(%0, %4) : f32[4,64]
      %6 = erf(%5) : f32[4,64]
      %7 = broadcast{shape=[4,64]}(%2) : f32[4,64]
      %8 = add(%7, %6) : f32[4,64]
      %9 = broadcast{shape=[4,64]}(%3) : f32[4,64]
      %10 = mul(%9, %0) : f32[4,64]
      %11 = mul(%10, %8) : f32[4,64]
      return %11)",
     {{"gelu", 1}}},
    {"SoftmaxInWords",
     R"(
      %0 = input{name="x"} : f32[4,64]
      %1 = reduce_max{axes=[1], keepdims=1}(%0) : f32[4,1]
      %2 = broadcast{shape=[4,64]}(%1) : f32[4,64]
      %3 = sub(%0, %2) : f32[4,64]
      %4 = exp(%3) : f32[4,64]
      %5 = reduce_sum{axes=[1], keepdims=0}(%4) : f32[4]
      %6 = unsqueeze{axes=[1]}(%5) : f32[4,1]
      %7 = broadcast{shape=[4,64]}(%6) : f32[4,64]
      %8 = div(%4, %7) : f32[4,64]
      return %8)",
     {{"softmax", 1}}},
    {"HardSwishAsClipThenSixth",
     R"(
      %0 = input{name="x"} : f32[4,64]
      %1 = constant : f32[] {3}
      %2 = constant : f32[] {6}
      %3 = broadcast{shape=[4,64]}(%1) : f32[4,64]
      %4 = add(%0, %3) : f32[4,64]
      %5 = clip{min=0.0, max=6.0}(%4) : f32[4,64]
      %6 = mul(%0, %5) : f32[4,64]
      %7 = broadcast{shape=[4,64]}(%2) : f32[4,64]
      %8 = div(%6, %7) : f32[4,64]
      return %8)",
     {{"hard_swish", 1}}},
    {"RmsNormByReciprocal",
     R"(
      %0 = input{name="x"} : f32[4,64]
      %1 = weight{name="g"} : f32[64]
      %2 = constant : f32[] {0.001}
      %3 = mul(%0, %0) : f32[4,64]
      %4 = reduce_mean{axes=[1], keepdims=1}(%3) : f32[4,1]
      %5 = broadcast{shape=[4,1]}(%2) : f32[4,1]
      %6 = add(%4, %5) : f32[4,1]
      %7 = sqrt(%6) : f32[4,1]
      %8 = reciprocal(%7) : f32[4,1]
      %9 = broadcast{shape=[4,64]}(%8) : f32[4,64]
      %10 = mul(%0, %9) : f32[4,64]
      %11 = broadcast{shape=[4,64]}(%1) : f32[4,64]
      %12 = mul(%10, %11) : f32[4,64]
      return %12)",
     {{"rms_norm", 1}}},
};

INSTANTIATE_TEST_SUITE_P(All, RuleSets, testing::ValuesIn(kCases),
                         [](const auto& instance) { return instance.param.what; });

}  // namespace
}  // namespace isomer::rewrite
