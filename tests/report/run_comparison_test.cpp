// Two records beside each other.
#include "report/run_comparison.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "support/errors.h"

namespace isomer::report {
namespace {

Json record_of(const OptimizeResult& result) {
  return {{"result", json_of(result)}, {"phases", Json::array()}, {"chain", Json::array()}};
}

TEST(TwoRuns, WhatIsComparedIsThereInResults) {
  const Json result = json_of(OptimizeResult());
  for (const std::string& key : compared_keys()) EXPECT_TRUE(result.contains(key)) << key;
}

TEST(TwoRuns, ARowSaysWhetherItDiffers) {
  OptimizeResult a, b;
  a.cost_before = 1;
  b.cost_before = 1 + 1e-9;
  a.speedup = b.speedup = 2;
  const Json comparison = compared({"a", record_of(a)}, {"b", record_of(b)});
  std::map<std::string, bool> differs;
  for (const Json& row : comparison["figures"]) differs[row["what"]] = row["differs"];
  EXPECT_TRUE(differs.at("cost before"));
  EXPECT_FALSE(differs.at("speed-up"));
}

TEST(TwoRuns, PlacesAreNames) {
  Json record = record_of(OptimizeResult());
  const auto with_places = [&](const Json& places) {
    record["chain"] = Json::array({{{"rule", "r"}, {"places", places}}});
    return checked_record("a.json", record.dump());
  };
  EXPECT_EQ(with_places({"m", "n"})["chain"].size(), 1u);
  EXPECT_EQ(with_places(nullptr)["chain"].size(), 1u);
  EXPECT_THROW(with_places("m"), InputError);
  EXPECT_THROW(with_places(Json::array({1})), InputError);
}

}  // namespace
}  // namespace isomer::report
