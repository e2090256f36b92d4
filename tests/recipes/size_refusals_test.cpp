// What the runtime says of sizes that do not meet, and what is tried then.
#include "recipes/size_refusals.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace isomer::recipes {
namespace {

using Numbers = std::vector<int64_t>;

/// One dimension of each of these roles and sizes, by number.
SizePlan plan_of(const Numbers& sizes) {
  SizePlan plan;
  for (const int64_t size : sizes) plan.rules.push_back({size, {}, false});
  return plan;
}

/// Which place among the plans after the message these sizes have; -1: none.
int64_t place(const std::vector<DimRole>& roles, const Numbers& tried, const std::string& message,
              const Numbers& wanted, const Numbers& factors = {}) {
  DynamicDims dims;
  for (size_t i = 0; i < roles.size(); ++i) dims.dims.push_back({"d" + std::to_string(i), roles[i], true});
  dims.factors = factors;
  const std::vector<SizePlan> plans = plans_after(dims, plan_of(tried), message);
  const auto at = std::ranges::find(plans, plan_of(wanted).rules, &SizePlan::rules);
  return at == plans.end() ? -1 : at - plans.begin();
}

constexpr DimRole kBatch = DimRole::kBatch, kSequence = DimRole::kSequence, kSide = DimRole::kSide;

TEST(SizeRefusals, NumbersOfShapesAndNotOfNames) {
  EXPECT_EQ(
      numbers_said("[ONNXRuntimeError] : 1 : FAIL : running Add node. Name:'/h.3/Add_7' Status Message: "
                   "/src/element_wise_ops.h:583 void f(ptrdiff_t) axis == 1 || axis == largest was false. "
                   "Attempting to broadcast an axis by a dimension other than 1. 66 by 198"),
      (Numbers{66, 198}));
  EXPECT_EQ(numbers_said("GEMM: Dimension mismatch, W: {392,10} K: 25088 N:10"),
            (Numbers{10, 3920, 392, 25088}));
  EXPECT_EQ(numbers_said("Input shape:{2,64,32}, requested shape:{0,10,48}"),
            (Numbers{2048, 4096, 2, 64, 32, 480, 10, 48}));
  EXPECT_TRUE(numbers_said("MatMul dimension mismatch").empty());
  EXPECT_TRUE(numbers_said("{{{,99999999999999999999}").empty());
}

TEST(SizeRefusals, WhatIsLongerByItsTokens) {
  EXPECT_EQ(place({kBatch, kSequence}, {2, 64}, "66 by 198", {2, 196}), 0);
  EXPECT_LE(place({kSequence, kSequence}, {77, 64}, "64 by 50", {77, 50}), 2);
}

TEST(SizeRefusals, WhatIsLongerByAFactor) {
  EXPECT_LE(place({kBatch, kSide, kSide}, {2, 224, 224}, "W: {392,10} K: 25088 N:10", {2, 28, 28}), 3);
  EXPECT_GE(place({kBatch, kSide, kSide}, {2, 224, 224}, "197 by 50", {2, 112, 112}), 0);
  EXPECT_GE(place({kSequence}, {64}, "Input shape:{2,64,32}, requested shape:{0,10,48}", {15}), 0);
  EXPECT_GE(place({kSequence}, {64}, "requested shape:{0,0,12,-1}", {96}, {8}), 0);
}

TEST(SizeRefusals, ChannelsOfGroups) {
  EXPECT_GE(
      place({kBatch, DimRole::kChannels, kSide}, {2, 3, 224},
            "Input channels C is not equal to kernel channels * group. C: 3 kernel channels: 5 group: 4",
            {2, 20, 224}),
      0);
}

TEST(SizeRefusals, WhatIsGivenOrFollowsStays) {
  DynamicDims dims;
  dims.dims = {{"a", kSequence, true}, {"b", kSequence, true}, {"c", kBatch, true}};
  SizePlan plan = plan_of({64, 0, 2});
  plan.rules[0].given = true;
  plan.rules[1].sum_of = {0};
  for (const SizePlan& p : plans_after(dims, plan, "66 by 198")) {
    EXPECT_EQ(p.rules[0], plan.rules[0]);
    EXPECT_EQ(p.rules[1], plan.rules[1]);
    EXPECT_GT(p.rules[2].size, 1);
  }
  EXPECT_TRUE(plans_after(dims, plan, "").empty());
}

}  // namespace
}  // namespace isomer::recipes
