#include "eval/fold.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "eval/fold_check.h"
#include "eval/run_text.h"
#include "ir/constant_data.h"

namespace isomer::eval_test {
namespace {

std::string folded(const std::string& text, const eval::FoldOptions& options = {}) {
  ir::Context ctx(ir::standard_ops());
  return ir::print(eval::fold(ir::parse_graph(ctx, text), options).graph);
}

TEST(Fold, TheLargestConstantExpression) {
  EXPECT_EQ(folded(R"(graph {
    %x = input{name="x"} : f32[2]
    %a = constant : f32[2] {1, 2}
    %b = constant : f32[2] {10, 20}
    %c = add(%a, %b) : f32[2]
    %d = mul(%c, %b) : f32[2] "scale"
    %e = mul(%x, %d) : f32[2]
    return %e })"),
            R"(graph {
  %0 = input{name="x"} : f32[2]
  %1 = constant : f32[2] {110, 440} "scale"
  %2 = mul(%0, %1) : f32[2]
  return %2
}
)");
}

TEST(Fold, LeavesWhatIsStoredAsIntegersAsItIsStored) {
  const std::string text = folded(R"(graph {
    %q = constant : i8[2,2] {1, 2, 3, 4}
    %s = constant : f32[] {0.5}
    %w = dequantize_linear(%q, %s) : f32[2,2]
    %t = transpose{perm=[1,0]}(%w) : f32[2,2]
    %x = input{name="x"} : f32[2,2]
    %y = matmul(%x, %t) : f32[2,2]
    return %y })");
  EXPECT_NE(text.find("dequantize_linear"), std::string::npos) << text;
  EXPECT_NE(text.find("i8[2,2]"), std::string::npos) << text;
}

TEST(Fold, RemembersWhatOtherGraphsNeeded) {
  ir::Context ctx(ir::standard_ops());
  const auto graph = [&](const std::string& more) {
    return ir::parse_graph(ctx, R"(graph {
      %x = input{name="x"} : f32[2]
      %a = constant : f32[2] {1, 2}
      %b = constant : f32[2] {10, 20}
      %c = mul(%a, %b) : f32[2]
      %d = add(%x, %c) : f32[2])" + more);
  };
  std::unordered_map<uint64_t, ir::ConstantId> memo;
  eval::FoldOptions options;
  options.memo = &memo;
  const eval::Folded first = eval::fold(graph("\n return %d }"), options);
  EXPECT_EQ(first.statistics.nodes_folded, 1u);
  EXPECT_EQ(memo.size(), 1u);
  const eval::Folded again = eval::fold(graph("\n %e = mul(%d, %d) : f32[2]\n return %e }"), options);
  EXPECT_EQ(again.statistics.nodes_folded, 0u);
  EXPECT_NE(ir::print(again.graph).find("constant : f32[2] {10, 40}"), std::string::npos)
      << ir::print(again.graph);
  // Another expression, although it reads the same constants.
  const eval::Folded other =
      eval::fold(graph("\n %f = sub(%a, %b) : f32[2]\n %e = mul(%d, %f) : f32[2]\n return %e }"), options);
  EXPECT_EQ(other.statistics.nodes_folded, 1u);
  EXPECT_NE(ir::print(other.graph).find("{-9, -18}"), std::string::npos) << ir::print(other.graph);
}

TEST(Fold, RoundsOnceToTheElementType) {
  // In float32, (2^24 + 1) is 2^24: rounding in between would give 0.
  const std::string text = R"(graph {
    %a = constant : f32[] {16777216}
    %b = constant : f32[] {1}
    %c = add(%a, %b) : f32[]
    %d = sub(%c, %a) : f32[]
    return %d })";
  EXPECT_NE(folded(text).find("constant : f32[] {1}"), std::string::npos) << folded(text);
}

TEST(Fold, MovementCopiesBits) {
  ir::Context ctx(ir::standard_ops());
  // A signalling NaN, negative zero, a subnormal, a number: as they are in memory.
  const uint32_t bits[4] = {0x7F800001u, 0x80000000u, 0x00000001u, 0x3F800000u};
  std::vector<std::byte> bytes(sizeof bits);
  std::memcpy(bytes.data(), bits, sizeof bits);
  ir::Builder b(ctx);
  const ir::TypeId type = ctx.tensor_type(ir::DType::kF32, ir::static_shape({2, 2}));
  const ir::ValueId c = b.constant(ctx.add(ir::Constant{type, ir::make_buffer(bytes), 0, bytes.size()}));
  const ir::ValueId t = b.add("transpose", {c}, {{"perm", std::vector<int64_t>{1, 0}}});
  const ir::ValueId r = b.add("reshape", {t}, {{"shape", ir::static_shape({4})}});
  const eval::Folded out = eval::fold(b.finish({r}));
  ASSERT_EQ(out.graph.size(), 1u);
  const auto id = std::get<int64_t>(ctx.get(out.graph.attrs(ir::ValueId(0))[0]));
  uint32_t moved[4];
  std::memcpy(moved, ctx.get(ir::ConstantId(static_cast<uint32_t>(id))).bytes().data(), sizeof moved);
  const uint32_t expected[4] = {bits[0], bits[2], bits[1], bits[3]};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(moved[i], expected[i]);
}

// Rows are copied in pieces; the interpreter goes element by element.
TEST(Fold, MovedRowsAreWhatTheInterpreterReads) {
  using Ints = std::vector<int64_t>;
  ir::Context ctx(ir::standard_ops());
  Rng rng(7);
  const ir::DType dtypes[] = {ir::DType::kF64, ir::DType::kF32, ir::DType::kF16};
  for (int round = 0; round < 60; ++round) {
    const ir::DType dtype = dtypes[rng.below(3)];
    ir::Builder b(ctx);
    const auto constant = [&](const Ints& shape) {
      std::vector<double> values(static_cast<size_t>(shape[0] * shape[1] * shape[2]));
      for (double& v : values) v = static_cast<double>(rng.below(64)) / 4 - 8;
      return b.constant(dtype, shape, values);
    };
    const auto size = [&] { return rng.between(1, 6); };
    const int64_t axis = static_cast<int64_t>(rng.below(3));
    Ints shape = {size(), size(), size()};
    std::vector<ir::ValueId> parts;
    for (uint64_t n = 1 + rng.below(4); parts.size() < n;) {
      parts.push_back(constant(shape));
      shape[static_cast<size_t>(axis)] = size();
    }
    ir::ValueId v = b.add("concat", parts, {{"axis", axis}});
    const Ints perms[] = {{0, 1, 2}, {0, 2, 1}, {2, 1, 0}, {1, 2, 0}};
    v = b.add("transpose", {v}, {{"perm", perms[rng.below(4)]}});
    Ints pads;
    for (int i = 0; i < 6; ++i) pads.push_back(rng.between(0, 3));
    v = b.add("pad", {v}, {{"pads", pads}});
    const int64_t step = rng.chance(0.5) ? -rng.between(1, 3) : rng.between(1, 3);
    const int64_t width = ir::sizes(b.type(v).shape)[2];
    v = b.add("slice", {v},
              {{"axes", Ints{2}},
               {"starts", Ints{step > 0 ? 0 : width - 1}},
               {"ends", Ints{step > 0 ? width : -width - 1}},
               {"steps", Ints{step}}});
    const ir::Graph graph = b.finish({v});
    const ir::Graph folded = eval::fold(graph).graph;
    ASSERT_EQ(folded.size(), 1u) << ir::print(folded);
    eval::Float64 domain;
    const auto numbers = [&](const ir::Graph& g) {
      return eval::evaluate(domain, g, std::span<const Value<double>>()).at(0).tensor->numbers;
    };
    EXPECT_EQ(numbers(folded), numbers(graph)) << ir::print(graph);
  }
}

TEST(Fold, ReshapeSharesBytes) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %c = constant : f32[64,64] <#1>
    %r = reshape{shape=[4096]}(%c) : f32[4096]
    return %r })");
  const auto constant = [&](const ir::Graph& g, ir::ValueId v) {
    return ctx.get(ir::ConstantId(static_cast<uint32_t>(std::get<int64_t>(ctx.get(g.attrs(v)[0])))))
        .bytes()
        .data();
  };
  const eval::Folded out = eval::fold(graph);
  EXPECT_EQ(constant(out.graph, ir::ValueId(0)), constant(graph, ir::ValueId(0)));
}

TEST(Fold, PiecesOfATuple) {
  EXPECT_EQ(folded(R"(graph {
    %c = constant : i64[3] {1, 2, 3}
    %s = split{axis=0, sizes=[1,2]}(%c) : (i64[1], i64[2])
    %g = get{index=1}(%s) : i64[2]
    return %g })"),
            "graph {\n  %0 = constant : i64[2] {2, 3}\n  return %0\n}\n");
}

TEST(Fold, BroadcastsStayForTheWriterToAbsorb) {
  const std::string text = R"(graph {
  %0 = input{name="x"} : f32[2,2]
  %1 = constant : f32[2] {1, 2}
  %2 = broadcast{shape=[2,2]}(%1) : f32[2,2]
  %3 = add(%0, %2) : f32[2,2]
  return %3
}
)";
  EXPECT_EQ(folded(text), text);
}

TEST(Fold, NothingOfWeightsInputsAndOpaqueOperators) {
  const std::string text = R"(graph {
  %0 = input{name="x"} : f32[1]
  %1 = weight{name="w"} : f32[1]
  %2 = constant : f32[1] {1}
  %3 = opaque{format="onnx", op="Mystery", body=""}(%2) : f32[1]
  %4 = add(%1, %3) : f32[1]
  %5 = add(%0, %4) : f32[1]
  return %5
}
)";
  EXPECT_EQ(folded(text), text);
}

TEST(Fold, ShapesOfKnownSize) {
  EXPECT_EQ(
      folded(R"(graph {
    %x = input{name="x"} : f32[5,7]
    %s = shape{start=0, end=2}(%x) : i64[2]
    return %s })"),
      "graph {\n  %0 = input{name=\"x\"} : f32[5,7]\n  %1 = constant : i64[2] {5, 7}\n  return %1\n}\n");
}

TEST(Fold, GrowthIsBoundedAndWhatLiesBelowIsFolded) {
  const std::string text = R"(graph {
    %a = constant : f32[64,1] <#1>
    %n = neg(%a) : f32[64,1]
    %b = constant : f32[1,64] <#2>
    %c = matmul(%n, %b) : f32[64,64]
    return %c })";
  EXPECT_EQ(folded(text).find("matmul"), std::string::npos);
  const std::string bounded = folded(text, {.max_growth_bytes = 1000});
  EXPECT_NE(bounded.find("matmul"), std::string::npos);
  EXPECT_EQ(bounded.find("neg"), std::string::npos);
}

TEST(Fold, SharedWeightsCountOnce) {
  // Five products of one matrix: each is no larger than its operands, all together are.
  std::string text = R"(graph {
    %x = input{name="x"} : f32[1,64]
    %a = constant : f32[64,64] <#1>
    %y0 = matmul(%x, %a) : f32[1,64]
)";
  for (int i = 1; i <= 5; ++i)
    text += fmt::format(
        "%b{0} = constant : f32[64,64] <#{1}> %m{0} = matmul(%a, %b{0}) : f32[64,64] "
        "%p{0} = matmul(%x, %m{0}) : f32[1,64] %y{0} = add(%y{2}, %p{0}) : f32[1,64]\n",
        i, i + 1, i - 1);
  text += "return %y5 }";
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, text);
  const eval::FoldStatistics free = eval::fold(graph).statistics;
  EXPECT_EQ(free.bytes_after, free.bytes_before);  // six matrices either way: nothing grows
  // With the factors used elsewhere too, each fold is one more matrix.
  std::string both = text;
  for (int i = 1; i <= 5; ++i)
    both.replace(
        both.find("return"), 6,
        fmt::format("%q{0} = matmul(%x, %b{0}) : f32[1,64] %z{0} = add(%{1}, %q{0}) : f32[1,64] return", i,
                    i == 1 ? "y5" : fmt::format("z{}", i - 1)));
  both.replace(both.rfind("%y5"), 3, "%z5");
  const ir::Graph grown = ir::parse_graph(ctx, both);
  const eval::FoldStatistics all = eval::fold(grown).statistics;
  EXPECT_EQ(all.bytes_after, all.bytes_before + 5 * 64 * 64 * 4);
  const eval::Folded some = eval::fold(grown, {.max_growth_bytes = 2 * 64 * 64 * 4});
  EXPECT_EQ(some.statistics.bytes_after, all.bytes_before + 2 * 64 * 64 * 4);
  EXPECT_EQ(eval::fold(grown, {.max_growth_bytes = 0}).statistics.constants_added, 0u);
}

TEST(Fold, APlanIsWhatFoldingLeaves) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[1,96]
    %a = constant : f32[96,96] <#1>
    %b = constant : f32[96,96] <#2>
    %c = matmul(%a, %b) : f32[96,96]
    %y = matmul(%x, %c) : f32[1,96]
    return %y })");
  const eval::FoldPlan plan = eval::plan_fold(graph);
  EXPECT_EQ(plan.stays, (std::vector<bool>{true, false, false, false, true}));
  EXPECT_EQ(plan.bytes, eval::fold(graph).statistics.bytes_after);
}

TEST(FoldCheck, FoldedConstantsAreComputedAgain) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = ir::parse_graph(ctx, R"(graph {
    %x = input{name="x"} : f32[1,96]
    %a = constant : f32[96,96] <#1>
    %b = constant : f32[96,96] <#2>
    %c = matmul(%a, %b) : f32[96,96] "product"
    %s = softmax{axis=1}(%c) : f32[96,96]
    %y = matmul(%x, %s) : f32[1,96]
    return %y })");
  eval::Folded good = eval::fold(graph);
  ASSERT_EQ(good.constants.size(), 1u);
  const eval::FoldCheck right = eval::check_fold(graph, good);
  EXPECT_EQ(right.wrong, "");
  EXPECT_EQ(right.checked, 1u);
  EXPECT_EQ(right.unchecked, 0u);
  // A wrong fold: rows and columns of the product exchanged.
  const ir::Graph other = ir::parse_graph(ctx, R"(graph {
    %a = constant : f32[96,96] <#1>
    %b = constant : f32[96,96] <#2>
    %c = matmul(%b, %a) : f32[96,96]
    %s = softmax{axis=1}(%c) : f32[96,96]
    return %s })");
  good.constants[0].second = eval::fold(other).constants.at(0).second;
  EXPECT_NE(eval::check_fold(graph, good).wrong.find("softmax"), std::string::npos)
      << eval::check_fold(graph, good).wrong;
  // Too much to compute again is said, not passed over.
  EXPECT_EQ(eval::check_fold(graph, good, {.seed = 1, .samples = 4, .budget = 100}).unchecked, 1u);
}

TEST(Fold, AnIndexOutOfBoundsIsLeftToTheRuntime) {
  const std::string text = R"(graph {
  %0 = constant : f32[2] {1, 2}
  %1 = constant : i64[1] {5}
  %2 = gather(%0, %1) : f32[1]
  %3 = neg(%2) : f32[1]
  return %3
}
)";
  EXPECT_EQ(folded(text), text);
}

TEST(Fold, Statistics) {
  ir::Context ctx(ir::standard_ops());
  const auto s = eval::fold(ir::parse_graph(ctx, R"(graph {
    %a = constant : f32[2] {1, 2}
    %b = constant : f32[2] {3, 4}
    %c = add(%a, %b) : f32[2]
    %d = neg(%c) : f32[2]
    return %d })"))
                     .statistics;
  EXPECT_EQ(s.nodes_folded, 2u);
  EXPECT_EQ(s.constants_added, 1u);
  EXPECT_EQ(s.bytes_before, 16);
  EXPECT_EQ(s.bytes_after, 8);
}

}  // namespace
}  // namespace isomer::eval_test
