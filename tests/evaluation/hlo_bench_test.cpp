// Table 1 of HloEnv: a pass changes what it has something to do with, and nothing else; a record is gone on
// with; all passes of a row are removed.
#include "evaluation/hlo_bench.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <ranges>

#include "hlo/dag_hash.h"
#include "passes/pass.h"
#include "published/hloenv.h"
#include "runtime/fake_xla.h"
#include "support/files.h"

namespace isomer::evaluation {
namespace {

constexpr const char* kAlgebra =
    "HloModule a\n\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  z = f32[] constant(0)\n"
    "  y = f32[4]{0} broadcast(z), dimensions={}\n  ROOT r = f32[4]{0} add(x, y)\n}\n";
constexpr const char* kPlain =
    "HloModule p\n\nENTRY e {\n  x = f32[4]{0} parameter(0)\n  ROOT r = f32[4]{0} negate(x)\n}\n";

class HloBenchTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::path(::testing::TempDir()) / "isomer_hlo_bench";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_ / "set");
    put("set/a.hlo", kAlgebra);
    put("set/p.hlo", kPlain);
    put("set/same.txt", kPlain);
    options_.paths = {(folder_ / "set").string()};
    options_.xla = false;
  }
  void put(const char* name, const std::string& text) { std::ofstream(folder_ / name) << text; }
  std::string path(const char* name) const { return (folder_ / name).string(); }

  std::filesystem::path folder_;
  HloBenchOptions options_;
};

TEST_F(HloBenchTest, APassChangesWhatItHasToDoWith) {
  HloBenchRecord record;
  const HloBench bench = run_hlo_bench(options_, record);
  EXPECT_EQ(bench.modules, 2U);  // one is there twice
  EXPECT_EQ(bench.stop_reason, StopReason::kSaturated);
  const HloBenchRow algebra = hlo_bench_row(bench, "ours", "AlgebraicSimplifier");
  EXPECT_EQ(algebra.modules, 2U);
  EXPECT_EQ(algebra.changed, 1U);
  EXPECT_EQ(algebra.ratio_changed, std::nullopt);  // nothing is left of it, which costs nothing
  EXPECT_EQ(algebra.ratio, 1);
  EXPECT_EQ(hlo_bench_row(bench, "ours", "SortSimplifier").changed, 0U);
  EXPECT_EQ(hlo_bench_row(bench, "ours", "GemmRewriter").modules, 2U);
  EXPECT_EQ(hlo_bench_row(bench, "xla", "AlgebraicSimplifier").modules, 0U);
}

TEST_F(HloBenchTest, TheLargestGainByARemovalIsMadeAgain) {
  // Sums in two steps read and write what lies between them.
  const auto sum_of = [](const std::string& size) {
    return "HloModule s\n\nadd {\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] "
           "add(a, b)\n}\n\n"
           "ENTRY e {\n  x = f32[" +
           size +
           "]{0} parameter(0)\n  z = f32[] constant(0)\n"
           "  ROOT r = f32[] reduce(x, z), dimensions={0}, to_apply=add\n}\n";
  };
  put("set/large.hlo", sum_of("1048576"));
  put("set/larger.hlo", sum_of("67108864"));
  const std::string file = path("record.jsonl");
  {
    HloBenchRecord record;
    record.open(file);
    EXPECT_TRUE(run_hlo_bench(options_, record).removals.empty()) << "nobody asked";
  }
  // What the record says was run elsewhere.
  std::filesystem::rename(folder_ / "set", folder_ / "moved");
  options_.paths = {path("moved")};
  options_.removals = true;
  HloBenchRecord record;
  record.open(file);
  const HloBench bench = run_hlo_bench(options_, record);
  ASSERT_EQ(bench.removals.size(), 1U);
  const HloRemoval& r = bench.removals[0];
  EXPECT_EQ(r.side, "ours");
  EXPECT_EQ(r.pass, "GpuTreeReductionRewriter");
  EXPECT_EQ(std::filesystem::path(r.file).filename(), "large.hlo");
  EXPECT_LT(r.cost_without, r.whole_cost);
  EXPECT_LT(r.without.instructions.size(), r.whole.instructions.size());
  EXPECT_EQ(std::ranges::count(read_file(file), '\n'), 4) << "nothing was run again";
  HloBenchOptions stopped = options_;
  stopped.stop = StopToken();
  stopped.stop.request();
  const HloBench none = run_hlo_bench(stopped, record);
  EXPECT_TRUE(none.removals.empty());
  EXPECT_EQ(none.stop_reason, StopReason::kInterrupted);
}

TEST_F(HloBenchTest, WhatARecordHoldsIsNotRunAgain) {
  const std::string file = path("record.jsonl");
  {
    HloBenchRecord record;
    record.open(file);
    run_hlo_bench(options_, record);
  }
  std::string text = read_file(file);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2);
  // A killed run: the second line is cut short; the first one says what it never found.
  const size_t at = text.find(R"("AlgebraicSimplifier":{"hash":")") + 31;
  text.replace(at, 16, "00000000000000ff");
  put("record.jsonl", text.substr(0, text.find('\n') + 20));
  HloBenchRecord record;
  record.open(file);
  const HloBench bench = run_hlo_bench(options_, record);
  ASSERT_EQ(bench.ended.size(), 2U);
  EXPECT_EQ(bench.ended[0].without.at("AlgebraicSimplifier").hash, 0xffU);
  EXPECT_EQ(std::ranges::count(read_file(file), '\n'), 2);
}

TEST_F(HloBenchTest, StoppedItTellsWhatTheRecordHas) {
  const std::string file = path("record.jsonl");
  HloBenchRecord record;
  record.open(file);
  run_hlo_bench(options_, record);
  HloBenchOptions stopped = options_;
  stopped.stop = StopToken();
  stopped.stop.request();
  HloBenchRecord again;
  again.open(file);
  EXPECT_EQ(run_hlo_bench(stopped, again).ended.size(), 2U);
  HloBenchRecord nothing;
  const HloBench none = run_hlo_bench(stopped, nothing);
  EXPECT_TRUE(none.ended.empty());
  EXPECT_EQ(none.stop_reason, StopReason::kInterrupted);
}

/// A crash of XLA is no refusal: it is told apart, and what was lost is run again, and nothing else.
class HloBenchBesideXla : public runtime::FakeXla {
 protected:
  HloBench run(const std::string& record_file) {
    HloBenchRecord record;
    record.open(record_file);
    HloBenchOptions options;
    options.paths = {(folder_ / "set").string()};
    return run_hlo_bench(options, record);
  }
  void put(const std::string& name, std::string text) {
    std::filesystem::create_directories(folder_ / "set");
    std::ofstream(folder_ / "set" / (name + ".hlo")) << text.replace(text.find("r ="), 1, name);
  }
  size_t lines(const std::string& file) {
    return static_cast<size_t>(std::ranges::count(read_file(file), '\n'));
  }
};

TEST_F(HloBenchBesideXla, WhatWasLostIsTriedAgain) {
  put("crash", kPlain);
  put("refuse", kAlgebra);
  const std::string file = (folder_ / "record.jsonl").string();
  const auto xla_of = [](const HloBench& bench, const std::string& name) {
    return *std::ranges::find_if(bench.ended, [&](const HloBenchModule& m) {
      return m.side == "xla" && m.file.ends_with(name + ".hlo");
    });
  };
  const HloBench first = run(file);
  EXPECT_TRUE(xla_of(first, "crash").whole.lost);
  EXPECT_FALSE(xla_of(first, "crash").whole.error.empty());
  EXPECT_FALSE(xla_of(first, "refuse").has_lost());
  EXPECT_EQ(lines(file), 4U);

  setenv("FAKE_XLA_CALM", "1", 1);
  const HloBench second = run(file);
  EXPECT_TRUE(xla_of(second, "crash").whole.error.empty());
  EXPECT_EQ(hlo_bench_row(second, "xla", "AlgebraicSimplifier").modules, 1U);
  EXPECT_EQ(xla_of(second, "refuse").whole.error, "it is refused");
  EXPECT_EQ(lines(file), 5U);
  run(file);
  EXPECT_EQ(lines(file), 5U);
}

TEST(HloPublished, EachPassOfOursIsOneAndIsInThePipeline) {
  EXPECT_EQ(published::hloenv::passes().size(), 21U);
  for (const published::hloenv::PublishedPass& row : published::hloenv::passes()) {
    for (const auto part : row.ours | std::views::split(',')) {
      const std::string name(part.begin(), part.end());
      EXPECT_NO_THROW(passes::find_pass(name)) << row.name;
      EXPECT_TRUE(std::ranges::any_of(hlo_pipeline(), [&](const std::vector<std::string>& stage) {
        return std::ranges::find(stage, name) != stage.end();
      })) << name;
    }
  }
}

}  // namespace
}  // namespace isomer::evaluation
