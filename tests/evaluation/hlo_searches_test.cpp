// Table 2 of HloEnv: rows are what the runs say, a record is gone on with, and stopped it tells what it has.
#include "evaluation/hlo_searches.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "evaluation/hlo_exemplars.h"
#include "hlo/parse.h"
#include "support/files.h"

namespace isomer::evaluation {
namespace {

/// Twice negated, less itself: with something to decide.
std::string chain(int size) {
  const std::string type = "f32[" + std::to_string(size) + "]{0} ";
  return "HloModule c\n\nENTRY e {\n  x = " + type + "parameter(0)\n  k = " + type +
         "exponential(x)\n  n = " + type + "negate(k)\n  m = " + type + "negate(n)\n  s = " + type +
         "subtract(m, x)\n  ROOT r = " + type + "tanh(s)\n}\n";
}
constexpr const char* kNothingToDecide = "HloModule p\n\nENTRY e {\n  ROOT x = f32[4]{0} parameter(0)\n}\n";

class HloSearchesTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "isomer_hlo_searches";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "set");
    put("set/a.hlo", chain(4));
    put("set/b.hlo", chain(5));
    put("set/plain.hlo", kNothingToDecide);
    put("set/same.txt", chain(4));
    options_.paths = {(folder_ / "set").string()};
    options_.seeds = 2;
  }
  void put(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  HloSearchesOptions options_;
};

TEST_F(HloSearchesTest, EachSearchRunsOnWhatThePassProposesOn) {
  HloSearchesRecord record;
  const HloSearches found = run_hlo_searches(options_, record);
  EXPECT_EQ(found.stop_reason, StopReason::kSaturated);
  ASSERT_EQ(found.ended.size(), 4U);  // two modules, one of them there twice, by two passes
  for (const HloSearchesModule& m : found.ended) {
    EXPECT_EQ(m.error, "");
    EXPECT_EQ(m.runs.size(), 2U + 1 + 1 + 2);
    for (const HloSearchRun& run : m.runs) {
      EXPECT_LE(run.found.seconds, m.pick_first.seconds);
      EXPECT_EQ(run.improvements.back().cost, run.found.seconds);
      EXPECT_TRUE(run.held == "same" || run.held == "floats") << run.held;
      EXPECT_EQ(run.cheapest_again, std::nullopt);  // nothing is timed
      EXPECT_EQ(run.found_again, std::nullopt);
      EXPECT_EQ(run.cheapest, run.found.hash);
    }
    if (m.pass == "algsimp") {
      EXPECT_EQ(m.reference.hash, m.pick_first.hash);
    }
  }
  const auto row = hlo_searches_row(found, "algsimp", "below 10", "exhaustive");
  ASSERT_TRUE(row);
  EXPECT_EQ(row->ended, 2U);
  EXPECT_EQ(row->to_pick_first.modules, 2U);
  EXPECT_FALSE(hlo_searches_row(found, "algsimp", "10-20", "exhaustive"));
}

TEST_F(HloSearchesTest, OfTwoSizesSoManyAreTaken) {
  options_.passes = {"algsimp"};
  options_.count = 1;
  HloSearchesRecord record;
  EXPECT_EQ(run_hlo_searches(options_, record).ended.size(), 1U);
}

TEST_F(HloSearchesTest, ARecordIsGoneOnWith) {
  const std::string file = path("record.jsonl");
  options_.passes = {"algsimp"};
  {
    HloSearchesRecord record;
    record.open(file);
    run_hlo_searches(options_, record);
  }
  std::string text = read_file(file);
  ASSERT_EQ(std::ranges::count(text, '\n'), 2);
  // A killed run: the second line is cut short; the first one says what no run has said.
  const size_t at = text.find("\"evaluated\":") + 12;
  text.replace(at, text.find(',', at) - at, "77");
  put("record.jsonl", text.substr(0, text.find('\n') + 20));
  HloSearchesOptions stopped = options_;
  stopped.stop = StopToken();
  stopped.stop.request();
  {
    HloSearchesRecord record;
    record.open(file);
    const HloSearches found = run_hlo_searches(stopped, record);
    EXPECT_EQ(found.stop_reason, StopReason::kInterrupted);
    ASSERT_EQ(found.ended.size(), 1U);
    EXPECT_EQ(found.ended[0].runs[0].evaluated, 77U);
  }
  {
    HloSearchesRecord record;
    record.open(file);
    EXPECT_EQ(run_hlo_searches(options_, record).ended.size(), 2U);
    EXPECT_EQ(std::ranges::count(read_file(file), '\n'), 2);
  }
  HloSearchesRecord record;
  record.open(file);
  HloSearchesOptions in_no_time = options_;
  in_no_time.time_limit = 0;
  const HloSearches complete = run_hlo_searches(in_no_time, record);
  EXPECT_EQ(complete.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(complete.ended.size(), 2U);
  options_.seeds = 1;  // another question
  run_hlo_searches(options_, record);
  EXPECT_EQ(std::ranges::count(read_file(file), '\n'), 4);
}

TEST_F(HloSearchesTest, AStopEndsASearchThatIsUnderWay) {
  std::string text = "HloModule c\n\nENTRY e {\n  x0 = f32[4]{0} parameter(0)\n";
  constexpr int kNegations = 10000;  // of which 2,000 steps of walks would take minutes
  for (int i = 1; i <= kNegations; ++i)
    text += "  " + std::string(i == kNegations ? "ROOT " : "") + "x" + std::to_string(i) +
            " = f32[4]{0} negate(x" + std::to_string(i - 1) + ")\n";
  put("set/long.hlo", text + "}\n");
  options_.paths = {path("set/long.hlo")};
  options_.passes = {"algsimp"};
  options_.searches = {"random"};
  options_.seconds = 600;
  HloSearchesRecord record;
  std::thread stopping([stop = options_.stop]() mutable {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    stop.request();
  });
  const double begin = wall_seconds();
  const HloSearches found = run_hlo_searches(options_, record);
  stopping.join();
  EXPECT_EQ(found.stop_reason, StopReason::kInterrupted);
  EXPECT_TRUE(found.ended.empty());
  constexpr double kSoon = 60;  // on a busy machine
  EXPECT_LT(wall_seconds() - begin, kSoon);
}

TEST(HloSizes, HaveTheirEnds) {
  EXPECT_EQ(hlo_size_of(9), "below 10");
  EXPECT_EQ(hlo_size_of(10), "10-20");
  EXPECT_EQ(hlo_size_of(20), "10-20");
  EXPECT_EQ(hlo_size_of(21), "20-40");
  EXPECT_EQ(hlo_size_of(40), "20-40");
  EXPECT_EQ(hlo_size_of(41), "above 40");
}

/// A module on which walks come to 8, 6 and then 5 of pick-first's 10, and a search to 6 at once.
HloSearches by_hand() {
  HloSearchesModule m;
  m.pass = "algsimp";
  m.instructions = 20;
  m.pick_first = {1, 10};
  m.reference = {2, 8};
  m.runs.push_back(
      {"random", 0, {3, 5}, 9, false, "same", {{1, 12}, {2, 10}, {3, 8}, {5, 6}, {9, 5}}, 0.8, 0.9, 3});
  m.runs.push_back({"random", 1, {1, 10}, 9, false, "same", {{1, 12}, {2, 10}}, 1.0, 1.0, 1});
  // The cheapest is what XLA's pass makes, and pick-first's module is what was found: it was not confirmed.
  m.runs.push_back({"beam", 0, {1, 10}, 4, true, "same", {{1, 12}, {2, 10}, {4, 6}}, 1.1, 0.76, 2});
  HloSearches out;
  out.ended.push_back(m);
  return out;
}

TEST(HloSearchesRow, IsWhatTheRunsSay) {
  const HloSearches all = by_hand();
  const auto beam = hlo_searches_row(all, "algsimp", "10-20", "beam");
  ASSERT_TRUE(beam);
  EXPECT_DOUBLE_EQ(beam->to_reference.mean, 6.0 / 8);
  EXPECT_DOUBLE_EQ(beam->to_pick_first.mean, 0.6);
  EXPECT_DOUBLE_EQ(beam->to_random->mean, 6 / ((8.0 + 10) / 2)) << "walks after four evaluations";
  EXPECT_DOUBLE_EQ(beam->cheapest_again->mean, 1.1);
  EXPECT_DOUBLE_EQ(beam->found_again->mean, 0.76);
  EXPECT_DOUBLE_EQ(beam->found_to_random->mean, 0.76 / 0.95);
  EXPECT_DOUBLE_EQ(beam->evaluated, 4);
  EXPECT_EQ(beam->faster, 1);
  EXPECT_EQ(beam->same, 1);
  EXPECT_EQ(beam->below, 1U);
  const auto early = hlo_searches_row(all, "algsimp", "10-20", "beam", 3);
  EXPECT_DOUBLE_EQ(early->to_pick_first.mean, 1);
  EXPECT_EQ(early->below, 0U);
  EXPECT_FALSE(early->cheapest_again || early->found_again || early->found_to_random) << "of its end alone";
  const auto walks = hlo_searches_row(all, "algsimp", "10-20", "random", 5);
  EXPECT_DOUBLE_EQ(walks->to_pick_first.mean, (0.6 + 1) / 2);
  EXPECT_DOUBLE_EQ(walks->to_pick_first.least, 0.6);
  const auto first = hlo_searches_row(all, "algsimp", "10-20", "pick-first");
  EXPECT_DOUBLE_EQ(first->to_reference.mean, 10.0 / 8);
  EXPECT_EQ(first->slower, 1);
}

TEST(HloExemplars, WhatIsNotConfirmedIsNoWin) {
  recipes::HloSearchResult result;
  result.module = hlo::parse(chain(4), "test");
  result.ways = {hlo::parse(chain(5), "test"), {}, {}};
  result.cost_before = 1;
  result.cost_pick_first = 2;
  result.cost_after = 1;  // the start, by brief times
  result.confirmed = recipes::HloSearchResult::Confirmed{{}, {}, 20, StopReason::kTimeLimit};
  HloExemplars found(5, 100);
  found.add("no time", result);
  EXPECT_EQ(found.unconfirmed(), 1U);
  result.confirmed = {runtime::MedianInterval{2, 0.9, 3}, {}, recipes::kHloEvaluations};
  found.add("not surely", result);
  EXPECT_EQ(found.won(), 0U);
  result.confirmed->speedup->low = 1.5;
  found.add("surely", result);
  EXPECT_EQ(found.searched(), 3U);
  EXPECT_EQ(found.unconfirmed(), 1U);
  ASSERT_EQ(found.exemplars().size(), 1U);
  EXPECT_EQ(found.exemplars()[0].name, "surely");
}

TEST(HloSearchesRow, WhatXlaRefusesIsInNone) {
  HloSearches all = by_hand();
  all.ended[0].error = "XLA does not run it";
  EXPECT_FALSE(hlo_searches_row(all, "algsimp", "10-20", "beam"));
}

TEST(MeanOfModules, IntervalsAreThoseOfTheMean) {
  std::vector<std::vector<double>> values;
  for (int i = 0; i < 400; ++i) values.push_back({i % 2 == 0 ? 1.0 : 3.0});
  const MeanOfModules of = mean_of_modules(values);
  EXPECT_DOUBLE_EQ(of.mean, 2);
  EXPECT_NEAR(of.low, 2 - 1.96 / 20, 0.02);
  EXPECT_NEAR(of.high, 2 + 1.96 / 20, 0.02);
  EXPECT_EQ(of.least, 1);
  EXPECT_EQ(of.most, 3);
  const MeanOfModules one = mean_of_modules({{0.5, 1.5}});
  EXPECT_EQ(one.mean, 1);
  EXPECT_EQ(one.low, 1);
  EXPECT_EQ(one.least, 0.5);
}

}  // namespace
}  // namespace isomer::evaluation
