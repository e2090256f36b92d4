#include "recipes/size_proposals.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>
#include <utility>

#include "ir/op_table.h"
#include "ir/print.h"

namespace isomer::recipes {
namespace {

/// The dynamic dimensions of a program with these inputs: {{"x", "f32[batch,3]"}}.
DynamicDims dims_of(const std::vector<std::pair<std::string, std::string>>& inputs) {
  ir::Context ctx(ir::standard_ops());
  std::string text = "graph { ";
  for (const auto& [name, type] : inputs)
    text += "%" + name + " = input{name=\"" + name + "\"} : " + type + " ";
  return dynamic_dims(ir::parse_graph(ctx, text + "return %" + inputs[0].first + " }"));
}

std::vector<Sizes> proposed(const DynamicDims& dims, const Sizes& given = {}) {
  std::vector<Sizes> out;
  for (const SizePlan& plan : propose_sizes(dims, given)) out.push_back(plan.sizes(dims).value());
  return out;
}

bool is_proposed(const DynamicDims& dims, const std::function<bool(const Sizes&)>& wanted) {
  return std::ranges::any_of(proposed(dims), wanted);
}

TEST(SizeProposals, FirstAreAboveOneAndSayWhatTheNamesSay) {
  const DynamicDims tokens = dims_of({{"ids", "i64[batch,seq]"}, {"mask", "i64[batch,seq]"}});
  EXPECT_EQ(proposed(tokens)[0], (Sizes{{"batch", 2}, {"seq", 64}}));
  const DynamicDims image = dims_of({{"x", "f32[N,3,height,width]"}});
  EXPECT_EQ(proposed(image)[0], (Sizes{{"N", 2}, {"height", 224}, {"width", 224}}));
  const DynamicDims lengths =
      dims_of({{"a", "f32[batch_size,encoder_length,8]"}, {"b", "f32[batch_size,decoder_length,8]"}});
  const Sizes first = proposed(lengths)[0];
  EXPECT_NE(first.at("encoder_length"), first.at("decoder_length"));
}

TEST(SizeProposals, WithoutNamesThePlaceTells) {
  const DynamicDims dims = dims_of({{"x", "f32[d0,3,d1,d2]"}});
  ASSERT_EQ(dims.dims.size(), 3u);
  EXPECT_EQ(dims.dims[0].role, DimRole::kBatch);
  EXPECT_EQ(dims.dims[1].role, DimRole::kSide);
  EXPECT_EQ(proposed(dims)[0], (Sizes{{"d0", 2}, {"d1", 224}, {"d2", 224}}));
  // Two inputs of unnamed lengths are taken for equally long ones.
  const DynamicDims ids = dims_of({{"ids", "i64[s0,s1]"}, {"mask", "i64[s2,s3]"}});
  EXPECT_EQ(proposed(ids)[0], (Sizes{{"s0", 2}, {"s1", 64}, {"s2", 2}, {"s3", 64}}));
}

TEST(SizeProposals, ADimensionMayBeAsLongAsATable) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx);
  const ir::Dim tokens = ir::Dim::symbol(ctx.symbol("tokens"));
  const ir::ValueId x = b.input("x", ctx.tensor_type(ir::DType::kF32, {ir::Dim(1), tokens, ir::Dim(2)}));
  const ir::ValueId table = b.constant(ir::DType::kF32, {1, 53, 2}, std::vector<double>(106, 0.5));
  const DynamicDims dims = dynamic_dims(b.finish({x, table}));
  EXPECT_EQ(dims.tables, (std::vector<int64_t>{53, 52}));
  EXPECT_TRUE(is_proposed(dims, [](const Sizes& s) { return s.at("tokens") == 53; }));
  EXPECT_TRUE(is_proposed(dims, [](const Sizes& s) { return s.at("tokens") == 52; }))
      << "and a token of its own";
}

// One sequence under three names (ids, their types, their positions) of which few fit the model.
TEST(SizeProposals, ShortSequencesAreEquallyLongBeforeTheyAreOne) {
  const DynamicDims dims = dims_of({{"a", "i64[batch,seq]"}, {"b", "i64[batch,seq2]"}, {"c", "i64[1,seq3]"}});
  const std::vector<SizePlan> plans = propose_sizes(dims, {});
  const auto sizes_are = [&](auto wanted) {
    return std::ranges::find_if(plans, [&](const SizePlan& plan) {
      const Sizes s = plan.sizes(dims).value();
      return wanted(s.at("seq"), s.at("seq2"), s.at("seq3"));
    });
  };
  const auto equal = sizes_are([](int64_t a, int64_t b, int64_t c) { return a == b && b == c && a > 1; });
  const auto ones = sizes_are([](int64_t a, int64_t b, int64_t c) { return std::min({a, b, c}) == 1; });
  EXPECT_LT(equal, ones);
}

TEST(SizeProposals, SumsFollowFromFixedSizesToo) {
  const Sizes fixed = {{"past", 128}, {"seq", 1}};
  const DynamicDims dims = with_fixed(dims_of({{"mask", "i64[batch,past+seq]"}}), fixed);
  EXPECT_EQ(proposed(dims, fixed)[0].at("past+seq"), 129);
}

TEST(SizeProposals, ADecodersMaskCoversCacheAndTokens) {
  const DynamicDims some = dims_of(
      {{"ids", "i64[batch,seq]"}, {"mask", "i64[batch,total_len]"}, {"past", "f32[batch,4,past_len,8]"}});
  EXPECT_EQ(proposed(some)[0], (Sizes{{"batch", 2}, {"seq", 16}, {"past_len", 48}, {"total_len", 64}}));
  const DynamicDims one =
      dims_of({{"ids", "i64[batch,1]"}, {"mask", "i64[batch,total]"}, {"past", "f32[batch,4,past_len,8]"}});
  EXPECT_EQ(proposed(one)[0], (Sizes{{"batch", 2}, {"past_len", 48}, {"total", 49}}));
}

TEST(SizeProposals, ASumThatANameSpellsIsThatSum) {
  ir::Context ctx(ir::standard_ops());
  ir::Builder b(ctx, "g");
  const auto shape = [&](std::initializer_list<const char*> names) {
    ir::Shape out;
    for (const char* name : names) out.push_back(ir::Dim::symbol(ctx.symbol(name)));
    return ctx.tensor_type(ir::DType::kF32, out);
  };
  const ir::ValueId x = b.input("x", shape({"batch", "past + 2*seq+ 1"}));
  b.input("y", shape({"past", "seq"}));
  const DynamicDims dims = dynamic_dims(b.finish({x}));
  for (const Sizes& sizes : proposed(dims))
    EXPECT_EQ(sizes.at("past + 2*seq+ 1"), sizes.at("past") + 2 * sizes.at("seq") + 1);
}

TEST(SizeProposals, WhereNamesSayNothingSumsAreTried) {
  const DynamicDims dims = dims_of({{"x", "f32[p]"}, {"y", "f32[q]"}, {"z", "f32[r]"}});
  EXPECT_TRUE(
      is_proposed(dims, [](const Sizes& s) { return s.at("r") == s.at("q") + 1 && s.at("p") != s.at("q"); }));
  EXPECT_TRUE(is_proposed(dims, [](const Sizes& s) { return s.at("r") == s.at("p") + s.at("q"); }));
  EXPECT_TRUE(
      is_proposed(dims, [](const Sizes& s) { return s.at("p") == s.at("q") && s.at("q") == s.at("r"); }));
}

TEST(SizeProposals, TheSameForABatchOfOneWhereABatchIsFree) {
  const DynamicDims dims = dims_of({{"x", "f32[batch,seq,8]"}});
  const auto single = with_batch_of_one(dims, propose_sizes(dims, {})[0]);
  ASSERT_TRUE(single);
  EXPECT_EQ(single->sizes(dims), (Sizes{{"batch", 1}, {"seq", 64}}));
  EXPECT_FALSE(with_batch_of_one(dims, *single));
  EXPECT_FALSE(with_batch_of_one(dims, propose_sizes(dims, {{"batch", 7}})[0])) << "it is given";
}

TEST(SizeProposals, MultiplesOfWindowsAndABatchOfOneComeToo) {
  const DynamicDims dims = dims_of({{"x", "f32[batch,seq,8]"}});
  for (const int64_t window : {7, 8, 16, 56})
    EXPECT_TRUE(is_proposed(dims, [&](const Sizes& s) {
      return s.at("seq") % window == 0 && s.at("batch") > 1;
    })) << window;
  const std::vector<Sizes> all = proposed(dims);
  const auto one = std::ranges::find(all, Sizes{{"batch", 1}, {"seq", 64}});
  ASSERT_NE(one, all.end());
  EXPECT_GT(one - all.begin(), 3) << "it is no better than another length";
  EXPECT_EQ(std::set<Sizes>(all.begin(), all.end()).size(), all.size()) << "each once";
}

TEST(SizeProposals, GivenSizesStay) {
  const DynamicDims dims =
      dims_of({{"ids", "i64[batch,seq]"}, {"mask", "i64[batch,total]"}, {"past", "f32[batch,4,past,8]"}});
  for (const Sizes& sizes : proposed(dims, {{"batch", 7}, {"total", 33}})) {
    EXPECT_EQ(sizes.at("batch"), 7);
    EXPECT_EQ(sizes.at("total"), 33);
  }
  const Sizes all = {{"batch", 1}, {"seq", 2}, {"past", 3}, {"total", 5}};
  EXPECT_EQ(proposed(dims, all), std::vector<Sizes>{all});
}

TEST(SizeProposals, OtherSizesKeepSumsAndOnes) {
  const DynamicDims dims =
      dims_of({{"ids", "i64[batch,seq]"}, {"mask", "i64[batch,total]"}, {"past", "f32[batch,4,past,8]"}});
  const SizePlan plan = propose_sizes(dims, {}).front();
  const std::vector<SizePlan> others = propose_other_sizes(dims, plan);
  ASSERT_FALSE(others.empty());
  for (const SizePlan& other : others) {
    const Sizes sizes = other.sizes(dims).value();
    EXPECT_NE(sizes, plan.sizes(dims).value());
    EXPECT_EQ(sizes.at("total"), sizes.at("past") + sizes.at("seq"));
  }
  const Sizes first = others.front().sizes(dims).value(), usual = plan.sizes(dims).value();
  for (const auto& [name, size] : usual) EXPECT_NE(first.at(name), size) << name;
  const Sizes all = {{"batch", 1}, {"seq", 2}, {"past", 3}, {"total", 5}};
  EXPECT_TRUE(propose_other_sizes(dims, propose_sizes(dims, all).front()).empty());
}

TEST(SizeProposals, SumsThatLeadBackToThemselvesAreNone) {
  const DynamicDims dims{{{"a", DimRole::kOther, false}, {"b", DimRole::kOther, false}}, 1};
  EXPECT_FALSE((SizePlan{{{1, {1}, false}, {1, {0}, false}}}.sizes(dims)));
  EXPECT_FALSE((SizePlan{{{0, {}, false}, {1, {}, false}}}.sizes(dims)));
  EXPECT_EQ((SizePlan{{{1, {1}, false}, {4, {}, false}}}.sizes(dims)), (Sizes{{"a", 5}, {"b", 4}}));
}

}  // namespace
}  // namespace isomer::recipes
