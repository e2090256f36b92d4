#include "mugraph/found_store.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace isomer::mugraph {
namespace {

class FoundStore : public testing::Test {
 protected:
  void SetUp() override { options_.max_kernel_ops = 4, options_.verify.floats = false; }
  void TearDown() override { std::filesystem::remove(file_); }

  std::filesystem::path file_ =
      std::filesystem::path(testing::TempDir()) / fmt::format("found-{}.sqlite", getpid());
  Store store_{file_};
  const Program& program_ = program("gated_mlp");
  SearchOptions options_ = preset_for(program_);
};

TEST_F(FoundStore, GivesBackWhatWasFound) {
  EXPECT_FALSE(load_found(store_, program_, program_.extents, options_));
  const SearchResult r = search(program_, program_.extents, options_);
  ASSERT_TRUE(keep_found(store_, program_, program_.extents, options_, r));
  Store again(file_);
  const auto kept = load_found(again, program_, program_.extents, options_);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->states, r.states);
  EXPECT_EQ(kept->without_schedule, r.without_schedule);
  ASSERT_EQ(kept->found.size(), r.found.size());
  for (size_t i = 0; i < r.found.size(); ++i) {
    EXPECT_EQ(print(kept->found[i].model), print(r.found[i].model));
    EXPECT_EQ(kept->found[i].costs, r.found[i].costs);
    ASSERT_EQ(kept->found[i].schedules.size(), r.found[i].schedules.size());
    for (size_t s = 0; s < r.found[i].schedules.size(); ++s)
      EXPECT_EQ(print(kept->found[i].schedules[s]), print(r.found[i].schedules[s]));
    EXPECT_EQ(kept->found[i].verdict.verdict.kind, r.found[i].verdict.verdict.kind);
    EXPECT_EQ(kept->found[i].verdict.verdict.log2_error, r.found[i].verdict.verdict.log2_error);
  }
}

// Kernels for one machine are none for another, even where only a cache is smaller.
TEST_F(FoundStore, KeepsTargetsApart) {
  const SearchResult r = search(program_, program_.extents, options_);
  ASSERT_TRUE(keep_found(store_, program_, program_.extents, options_, r));
  options_.target = target("cpu");
  EXPECT_FALSE(load_found(store_, program_, program_.extents, options_));
  ASSERT_TRUE(
      keep_found(store_, program_, program_.extents, options_, search(program_, program_.extents, options_)));
  EXPECT_TRUE(load_found(store_, program_, program_.extents, options_));
  options_.target = cpu_target({.l2_bytes = 512 * 1024});
  EXPECT_FALSE(load_found(store_, program_, program_.extents, options_));
}

// By the subprogram and by what was searched, not by names.
TEST_F(FoundStore, KnowsASubprogramByItsStructure) {
  Program renamed = program_;
  renamed.name = "other";
  renamed.inputs = {{"p", {"a", "b"}}, {"q", {"b", "c"}}, {"r", {"b", "c"}}};
  const Extents sizes = {{"a", 8}, {"b", 4096}, {"c", 4096}};
  EXPECT_EQ(search_number(renamed, sizes, options_), search_number(program_, program_.extents, options_));
  EXPECT_NE(search_number(renamed, {{"a", 16}, {"b", 4096}, {"c", 4096}}, options_),
            search_number(program_, program_.extents, options_));
  SearchOptions more = options_;
  more.block_ops.emplace_back("relu");
  EXPECT_NE(search_number(program_, program_.extents, more),
            search_number(program_, program_.extents, options_));
  EXPECT_NE(search_number(program("gqa"), program("gqa").extents, options_),
            search_number(program("qknorm_gqa"), program("gqa").extents, options_));
}

TEST_F(FoundStore, SearchesThatWereStoppedOrEntriesThatAreDamagedAreNotGiven) {
  options_.limits.nodes = 100;
  const SearchResult stopped = search(program_, program_.extents, options_);
  EXPECT_FALSE(keep_found(store_, program_, program_.extents, options_, stopped));
  EXPECT_FALSE(load_found(store_, program_, program_.extents, options_));
  options_.limits = {};
  ASSERT_TRUE(
      keep_found(store_, program_, program_.extents, options_, search(program_, program_.extents, options_)));
  const auto entries = store_.all("mugraphs");
  ASSERT_EQ(entries.size(), 1);
  store_.put("mugraphs", entries[0].first, "{\"counters\":[1]}");
  EXPECT_FALSE(load_found(store_, program_, program_.extents, options_));
}

}  // namespace
}  // namespace isomer::mugraph
