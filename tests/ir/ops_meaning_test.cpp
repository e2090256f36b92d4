// Meanings, structurally: every declaration has the meaning that its kind promises, composites have the type
// that their rule says, and some nests are the expected ones. Values are tested where the interpreter is.
#include <numeric>
#include <set>

#include "ir/further_composites.h"
#include "ir/op_case.h"
#include "ir/op_report.h"

namespace isomer::ir {
namespace {

class OpMeanings : public OpCase {};

int64_t evaluate(const IndexExpr& e, const std::vector<int64_t>& vars) {
  using Kind = IndexExpr::Kind;
  const auto floor_div = [](int64_t a, int64_t b) { return (a - ((a % b) + b) % b) / b; };
  switch (e.kind()) {
    case Kind::kConst: return e.value();
    case Kind::kVar: return vars.at(static_cast<size_t>(e.value()));
    case Kind::kAdd: return evaluate(e.lhs(), vars) + evaluate(e.rhs(), vars);
    case Kind::kMulConst: return evaluate(e.lhs(), vars) * e.value();
    case Kind::kFloorDiv: return floor_div(evaluate(e.lhs(), vars), e.value());
    case Kind::kMod:
      return evaluate(e.lhs(), vars) - floor_div(evaluate(e.lhs(), vars), e.value()) * e.value();
    case Kind::kMin: return std::min(evaluate(e.lhs(), vars), evaluate(e.rhs(), vars));
    case Kind::kMax: return std::max(evaluate(e.lhs(), vars), evaluate(e.rhs(), vars));
    case Kind::kLoad: break;
  }
  throw std::runtime_error("a load has no value here");
}

std::vector<int64_t> evaluate(const Read& read, const std::vector<int64_t>& vars) {
  std::vector<int64_t> out;
  for (const IndexExpr& e : read.index) out.push_back(evaluate(e, vars));
  return out;
}

TEST_F(OpMeanings, TheTableOfTheDocumentIsDeclared) {
  for (const char* name : {"neg",
                           "abs",
                           "sign",
                           "exp",
                           "log",
                           "sqrt",
                           "reciprocal",
                           "erf",
                           "tanh",
                           "sigmoid",
                           "relu",
                           "floor",
                           "ceil",
                           "round",
                           "sin",
                           "cos",
                           "tan",
                           "asin",
                           "acos",
                           "atan",
                           "sinh",
                           "cosh",
                           "asinh",
                           "acosh",
                           "atanh",
                           "softplus",
                           "softsign",
                           "not",
                           "bit_not",
                           "is_nan",
                           "is_inf",
                           "mish",
                           "hard_swish",
                           "silu",
                           "leaky_relu",
                           "elu",
                           "celu",
                           "selu",
                           "thresholded_relu",
                           "hard_sigmoid",
                           "gelu",
                           "clip",
                           "cast",
                           "add",
                           "sub",
                           "mul",
                           "div",
                           "pow",
                           "min",
                           "max",
                           "mod",
                           "and",
                           "or",
                           "xor",
                           "equal",
                           "less",
                           "less_equal",
                           "greater",
                           "greater_equal",
                           "bit_and",
                           "bit_or",
                           "bit_xor",
                           "bit_shift",
                           "prelu",
                           "where",
                           "matmul",
                           "gemm",
                           "conv",
                           "conv_transpose",
                           "reduce_sum",
                           "reduce_mean",
                           "reduce_max",
                           "reduce_min",
                           "reduce_prod",
                           "reduce_l1",
                           "reduce_l2",
                           "reduce_sum_square",
                           "reduce_log_sum",
                           "reduce_log_sum_exp",
                           "max_pool",
                           "avg_pool",
                           "global_avg_pool",
                           "global_max_pool",
                           "broadcast",
                           "reshape",
                           "squeeze",
                           "unsqueeze",
                           "transpose",
                           "concat",
                           "split",
                           "slice",
                           "pad",
                           "gather",
                           "tile",
                           "depth_to_space",
                           "space_to_depth",
                           "trilu",
                           "shape",
                           "softmax",
                           "log_softmax",
                           "layer_norm",
                           "rms_norm",
                           "batch_norm",
                           "instance_norm",
                           "lrn",
                           "taso.matmul",
                           "taso.conv2d",
                           "taso.poolmax",
                           "taso.poolavg",
                           "taso.concat",
                           "taso.split",
                           "taso.enlarge",
                           "taso.merge",
                           "taso.dropout"})
    EXPECT_TRUE(ctx.ops().find(name).valid()) << name;
}

TEST_F(OpMeanings, FallbacksAreOnnxDefaultsAsFloats) {
  const auto fallback = [&](const char* op, const char* attr) {
    const OpDef& def = ctx.ops().get(ctx.ops().at(op));
    return std::get<double>(def.attrs[static_cast<size_t>(def.attr_index(attr))].fallback.value());
  };
  EXPECT_EQ(fallback("leaky_relu", "alpha"), static_cast<double>(0.01f));
  EXPECT_EQ(fallback("batch_norm", "epsilon"), static_cast<double>(1e-5f));
  EXPECT_EQ(fallback("selu", "gamma"), static_cast<double>(1.05070102214813232421875f));
  EXPECT_EQ(fallback("lrn", "alpha"), static_cast<double>(0.0001f));
}

TEST_F(OpMeanings, GroupedConvolutionReadsItsGroup) {
  const auto nests = nests_of("conv", {"f32[1,6,5,5]", "f32[4,3,3,3]"},
                              {{"strides", Ints{2, 1}},
                               {"dilations", Ints{1, 2}},
                               {"pads", Ints{1, 0, 1, 0}},
                               {"group", int64_t{2}}});
  ASSERT_EQ(nests.size(), 1u);
  EXPECT_EQ(numbers(nests[0].space), (Ints{1, 4, 3, 1}));
  EXPECT_EQ(numbers(nests[0].reduce), (Ints{3, 3, 3}));
  EXPECT_TRUE(nests[0].reads[0].guarded);
  // output channel 3 is of group 1: input channels 3 to 5
  EXPECT_EQ(evaluate(nests[0].reads[0], {0, 3, 2, 0, 1, 0, 2}), (Ints{0, 4, 3, 4}));
  EXPECT_EQ(evaluate(nests[0].reads[1], {0, 3, 2, 0, 1, 0, 2}), (Ints{3, 1, 0, 2}));
}

TEST_F(OpMeanings, TransposedConvolutionHitsEachTapOnce) {
  // Every pair (input position, tap) must reach exactly the output position i * stride + k * dilation - pad.
  const int64_t in = 4, kernel = 3, stride = 3, dilation = 2, begin = 1, end = 2, extra = 1;
  const auto nests = nests_of("conv_transpose", {"f32[1,1,4]", "f32[1,1,3]"},
                              {{"strides", Ints{stride}},
                               {"dilations", Ints{dilation}},
                               {"pads", Ints{begin, end}},
                               {"output_padding", Ints{extra}}});
  const int64_t out = stride * (in - 1) + extra + dilation * (kernel - 1) + 1 - begin - end;
  ASSERT_EQ(numbers(nests[0].space), (Ints{1, 1, out}));
  std::set<std::pair<int64_t, std::pair<int64_t, int64_t>>> found, expected;
  for (int64_t p = 0; p < out; ++p)
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t i = evaluate(nests[0].reads[0], {0, 0, p, 0, k})[2];
      if (i >= 0 && i < in && evaluate(nests[0].reads[0].zero.at(0), {0, 0, p, 0, k}) == 0)
        found.insert({p, {i, k}});
    }
  for (int64_t i = 0; i < in; ++i)
    for (int64_t k = 0; k < kernel; ++k) {
      const int64_t p = i * stride + k * dilation - begin;
      if (p >= 0 && p < out) expected.insert({p, {i, k}});
    }
  EXPECT_EQ(found, expected);
}

TEST_F(OpMeanings, DepthAndSpaceAreInverse) {
  const auto there = nests_of("space_to_depth", {"f32[1,3,4,6]"}, {{"blocksize", int64_t{2}}})[0];
  const auto back = nests_of("depth_to_space", {"f32[1,12,2,3]"}, {{"blocksize", int64_t{2}}})[0];
  for (int64_t c = 0; c < 3; ++c)
    for (int64_t h = 0; h < 4; ++h)
      for (int64_t w = 0; w < 6; ++w)
        EXPECT_EQ(evaluate(there.reads[0], evaluate(back.reads[0], {0, c, h, w})), (Ints{0, c, h, w}));
}

TEST_F(OpMeanings, ReflectionAndSlicesPickTheRightPositions) {
  const auto reflected =
      nests_of("pad", {"f32[4]"}, {{"pads", Ints{3, 3}}, {"mode", std::string("reflect")}})[0];
  Ints picked;
  for (int64_t i = 0; i < 10; ++i) picked.push_back(evaluate(reflected.reads[0], {i})[0]);
  EXPECT_EQ(picked, (Ints{3, 2, 1, 0, 1, 2, 3, 2, 1, 0}));
  const auto sliced =
      nests_of("slice", {"f32[10]"},
               {{"axes", Ints{0}}, {"starts", Ints{-2}}, {"ends", Ints{-11}}, {"steps", Ints{-3}}})[0];
  ASSERT_EQ(numbers(sliced.space), (Ints{3}));
  EXPECT_EQ(evaluate(sliced.reads[0], {2})[0], 2);
}

TEST_F(OpMeanings, MergedWeightReadsItsOwnGroupOnly) {
  // 4 groups of 2 outputs and 3 inputs, merged by two: output 5 was of group 2, the first half of merged
  // group 1.
  const auto nest =
      nests_of("taso.merge", {"f32[8,3,1,1]"}, {{"count", int64_t{2}}, {"groups", int64_t{4}}})[0];
  EXPECT_EQ(numbers(nest.space), (Ints{8, 6, 1, 1}));
  EXPECT_EQ(evaluate(nest.reads[0], {5, 2, 0, 0}), (Ints{5, 2, 0, 0}));
  EXPECT_GE(evaluate(nest.reads[0], {5, 3, 0, 0})[1], 3);
  EXPECT_EQ(evaluate(nest.reads[0], {7, 3, 0, 0}), (Ints{7, 0, 0, 0}));
  EXPECT_LT(evaluate(nest.reads[0], {7, 2, 0, 0})[1], 0);
}

TEST_F(OpMeanings, CompositesHaveTheTypeOfTheirRule) {
  struct Case {
    const char* op;
    std::vector<std::string> operands;
    std::vector<NamedAttr> attrs;
  };
  const std::vector<NamedAttr> pool = {{"kernel_h", int64_t{3}}, {"kernel_w", int64_t{2}},
                                       {"stride_h", int64_t{2}}, {"stride_w", int64_t{1}},
                                       {"padding", int64_t{0}},  {"act", int64_t{1}}};
  const auto blocked = [](std::vector<NamedAttr> attrs, int64_t block) {
    attrs.emplace_back("block", block);
    return attrs;
  };
  const std::vector<NamedAttr> conv = {
      {"strides", Ints{1, 2}}, {"dilations", Ints{1, 1}}, {"pads", Ints{0, 1, 0, 1}}, {"group", int64_t{2}}};
  const std::vector<NamedAttr> window = {{"kernel", Ints{2, 3}},
                                         {"strides", Ints{1, 1}},
                                         {"dilations", Ints{1, 1}},
                                         {"pads", Ints{0, 0, 0, 0}},
                                         {"ceil_mode", int64_t{0}}};
  std::vector<NamedAttr> mean = window;
  mean.emplace_back("count_include_pad", int64_t{0});
  const std::vector<NamedAttr> taso_conv = {
      {"stride_h", int64_t{2}}, {"stride_w", int64_t{3}}, {"padding", int64_t{0}}, {"act", int64_t{2}}};
  const std::vector<Case> cases = {
      {"layout.to", {"f32[N,4,H,8]"}, blocked({}, 0)},
      {"layout.to", {"f32[N,4,7,8]"}, blocked({}, 2)},
      {"layout.from", {"f32[N,7,W,4]"}, blocked({}, 0)},
      {"layout.from", {"f32[N,2,7,8,2]"}, blocked({}, 2)},
      {"layout.conv", {"f32[1,7,8,4]", "f32[6,2,3,2]", "f32[6]"}, blocked(conv, 0)},
      {"layout.conv", {"f32[1,2,7,8,2]", "f32[6,2,3,2]"}, blocked(conv, 2)},
      {"layout.max_pool", {"f32[1,7,8,4]"}, blocked(window, 0)},
      {"layout.avg_pool", {"f32[1,1,7,8,4]"}, blocked(mean, 4)},
      {"layout.taso.conv2d", {"f32[1,7,8,4]", "f32[6,2,3,2]"}, blocked(taso_conv, 0)},
      {"layout.taso.poolmax", {"f32[1,2,7,8,2]"}, blocked(pool, 2)},
      {"layout.taso.poolavg", {"f32[1,7,8,4]"}, blocked(pool, 0)},
      {"silu", {"f16[2,N]"}, {}},
      {"gemm",
       {"f32[4,N]", "f32[4,5]", "f32[N,5]"},
       {{"trans_a", int64_t{1}}, {"alpha", 0.5}, {"beta", 2.0}}},
      {"reduce_log_sum_exp", {"f32[N,3,4]"}, {{"axes", Ints{0, 2}}, {"keepdims", int64_t{0}}}},
      {"global_avg_pool", {"f32[N,3,H,W]"}, {}},
      {"global_max_pool", {"f32[N,3,5]"}, {}},
      {"softmax", {"f32[B,N,3]"}, {{"axis", int64_t{1}}}},
      {"log_softmax", {"f32[B,N,3]"}, {{"axis", int64_t{2}}}},
      {"layer_norm", {"f16[B,4,3]", "f16[4,3]", "f16[4,3]"}, {{"axis", int64_t{1}}}},
      {"rms_norm", {"f32[B,S,3]", "f32[3]"}, {{"axis", int64_t{2}}}},
      {"batch_norm", {"f32[N,3,H,W]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, {}},
      {"batch_norm", {"f32[N,3]", "f32[3]", "f32[3]", "f32[3]", "f32[3]"}, {}},
      {"instance_norm", {"f32[N,3,H]", "f32[3]", "f32[3]"}, {}},
      {"taso.matmul", {"f32[2,3,4]", "f32[2,4,5]"}, {{"act", int64_t{3}}}},
      {"taso.conv2d",
       {"f32[1,4,7,8]", "f32[6,2,3,2]"},
       {{"stride_h", int64_t{2}}, {"stride_w", int64_t{3}}, {"padding", int64_t{0}}, {"act", int64_t{2}}}},
      {"taso.poolmax", {"f32[1,4,7,8]"}, pool},
      {"taso.poolavg", {"f32[1,4,7,8]"}, pool},
      {"taso.concat", {"f32[2,3]", "f32[2,4]", "f32[2,5]"}, {{"axis", int64_t{1}}, {"ndim", int64_t{2}}}},
      {"taso.split", {"f32[2,5]"}, {{"axis", int64_t{1}}, {"pos", int64_t{2}}}},
      {"taso.enlarge", {"f32[8,4,1,3]", "f32[2,2,3,3]"}, {}},
      {"taso.dropout", {"f32[2,5]"}, {}},
      {"sum", {"f32[N,3]", "f32[N,3]"}, {}},
      {"sum_layer_norm", {"f32[B,N,3]", "f32[B,N,3]", "f32[3]", "f32[3]"}, {{"axis", int64_t{2}}}},
      {"skip_layer_norm", {"f32[B,N,3]", "f32[B,N,3]", "f32[3]", "f32[3]"}, {}},
      {"skip_rms_norm", {"f32[B,N,3]", "f32[B,N,3]", "f32[3]"}, {}},
      {"fused_matmul", {"f32[2,4,3]", "f32[2,5,4]"}, {{"trans_a", int64_t{1}}, {"trans_b", int64_t{1}}}},
      {"fused_conv",
       {"f32[1,4,7,8]", "f32[6,2,3,3]", "f32[6]", "f32[1,6,5,6]"},
       {{"strides", Ints{1, 1}},
        {"dilations", Ints{1, 1}},
        {"pads", Ints{0, 0, 0, 0}},
        {"group", int64_t{2}},
        {"activation", "relu"}}},
      {"bias_gelu", {"f32[B,N,3]", "f32[3]"}, {}},
      {"quick_gelu", {"f16[2,N]"}, {}},
      {"attention", {"f32[B,2,S,3]", "f32[B,2,T,3]", "f32[B,2,T,5]", "f32[1,1,S,T]"}, {{"scale", 0.5}}},
      {"multi_head_attention",
       {"f32[B,4,6]", "f32[B,5,6]", "f32[B,5,10]", "f32[B,1,4,5]"},
       {{"heads", int64_t{2}}}},
      {"rotary_embedding", {"f32[B,2,S,6]", "f32[B,S,3]", "f32[B,S,3]"}, {}},
      {"rotary_embedding", {"f32[B,2,4,6]", "f32[B,4,3]", "f32[B,4,3]"}, {{"interleaved", int64_t{1}}}},
      {"mirage.square", {"f32[2,3]"}, {}},
      {"mirage.rms_norm", {"f16[2,3]"}, {}},
      {"mirage.reshape", {"f32[2,3,4]"}, {}},
      {"mirage.reshape", {"f32[2,1,4]"}, {}},
      {"mirage.transpose", {"f32[2,3,4]"}, {}},
      {"mirage.conv", {"f32[1,4,7,8]", "f32[6,4,3,2]"}, {}},
      {"mirage.depthwise_conv", {"f32[1,4,7]", "f32[4,1,3]"}, {}},
      {"mirage.concat_matmul", {"f32[2,3]", "f32[2,4]", "f32[3,5]", "f32[4,5]"}, {}},
      {"mirage.repeat", {"f32[2,1]", "f32[2,3]"}, {}},
      {"mirage.sum_to", {"f32[2,6]"}, {{"width", int64_t{3}}}},
      // Of one iteration.
      {"accum.add", {"f32[2,3]"}, {}},
      {"accum.max", {"f32[2,3]"}, {}},
      {"accum.concat", {"f32[2,3]"}, {{"axis", int64_t{1}}, {"iterations", int64_t{1}}}},
      {"accum.sum", {"f32[2,3]"}, {}},
      {"accum.mean", {"f32[2,3]"}, {{"iterations", int64_t{1}}}},
      {"accum.rms", {"f32[2,3]"}, {{"iterations", int64_t{1}}}},
      {"accum.running_max", {"f32[2,3]"}, {}},
      {"accum.rescale", {"f32[2,3]", "f32[2,1]"}, {}},
      {"accum.sum_rescale", {"f32[2,3]", "f32[2,1]"}, {}},
      {"accum.sum_to", {"f32[2,6]"}, {{"width", int64_t{2}}}},
  };
  std::set<std::string> covered = {"call", "defined", "kernel", "threads"};  // kept_test.cpp, kernel_test.cpp
  for (const Case& c : cases) {
    const Graph graph = expansion_of(c.op, c.operands, c.attrs);
    EXPECT_EQ(print(ctx, graph.type_id(graph.outputs()[0])), type_of(c.op, c.operands, c.attrs)) << c.op;
    covered.insert(c.op);
  }
  for (const FurtherComposite& c : further_composites()) {
    const Graph graph = expansion_of(c.op, c.operands, c.attrs);
    EXPECT_EQ(print(ctx, graph.type_id(graph.outputs()[0])), c.type) << c.op;
    EXPECT_EQ(type_of(c.op, c.operands, c.attrs), c.type) << c.op;
    covered.insert(c.op);
  }
  for (size_t i = 0; i < ctx.ops().size(); ++i) {
    const OpDef& def = ctx.ops().get(OpId(i));
    EXPECT_TRUE(def.kind != MeaningKind::kComposite || covered.contains(def.name))
        << def.name << " is not tested";
  }
}

// Their types come from their definitions: here are the shapes that their documentation promises.
TEST_F(OpMeanings, FusedOperatorsHaveTheDocumentedShapes) {
  EXPECT_EQ(type_of("attention", {"f32[B,2,S,3]", "f32[B,2,T,3]", "f32[B,2,T,5]"}, {}), "f32[B,2,S,5]");
  EXPECT_EQ(
      type_of("multi_head_attention", {"f32[B,4,6]", "f32[B,5,6]", "f32[B,5,10]"}, {{"heads", int64_t{2}}}),
      "f32[B,4,10]");
  EXPECT_EQ(type_of("rotary_embedding", {"f32[B,2,S,6]", "f32[B,S,3]", "f32[B,S,3]"}, {}), "f32[B,2,S,6]");
  EXPECT_EQ(type_of("fused_matmul", {"f32[2,4,3]", "f32[2,5,4]"},
                    {{"trans_a", int64_t{1}}, {"trans_b", int64_t{1}}}),
            "f32[2,3,5]");
  EXPECT_EQ(type_of("bias_gelu", {"f32[B,N,3]", "f32[3]"}, {}), "f32[B,N,3]");
  EXPECT_EQ(type_of("skip_layer_norm", {"f32[B,N,3]", "f32[B,N,3]", "f32[3]", "f32[3]"}, {}),
            "(f32[B,N,3], f32[B,N,3])");
}

TEST_F(OpMeanings, ReportCountsKindsAndNodes) {
  OpReport report(ctx.ops());
  EXPECT_GT(report.declared(MeaningKind::kPointwise), 50);
  EXPECT_EQ(report.declared(MeaningKind::kProcedural), 17);
  Builder b(ctx);
  const ValueId x = b.input("x", parse_type(ctx, "f32[2]"));
  const ValueId y = b.add("relu", {b.add("relu", {x})});
  const ValueId z = b.add("opaque", {y},
                          {{"format", std::string("onnx")},
                           {"op", std::string("Magic")},
                           {"body", std::string()},
                           {"type", static_cast<int64_t>(b.type_id(x).v)}});
  report.add(b.finish({z}));
  EXPECT_EQ(report.counted(MeaningKind::kPointwise), 2);
  EXPECT_EQ(report.counted(MeaningKind::kOpaque), 1);
  EXPECT_EQ(report.nodes(), 4);
  ASSERT_EQ(report.rows().size(), 3u);
  EXPECT_EQ(report.rows()[0].op, "relu");
  EXPECT_EQ(report.rows()[2].op, "opaque onnx:Magic");
  EXPECT_NE(report.json().find(R"({"op":"relu","kind":"pointwise","count":2})"), std::string::npos);
}

}  // namespace
}  // namespace isomer::ir
