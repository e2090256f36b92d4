// Data sets made of others: what is drawn, what is left out, and that a seed says it all.
#include "recipes/hlo_subsets.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/verify.h"
#include "recipes/hlo_dataset.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

const std::string kCorpus = ISOMER_SOURCE_DIR "/tests/hlo/corpus";

class HloSubsets : public ::testing::Test {
 protected:
  std::string folder(const char* name) {
    const auto path = std::filesystem::path(::testing::TempDir()) / "isomer_hlo_subsets" / name;
    std::filesystem::remove_all(path);
    return path.string();
  }
  static std::vector<std::string> names(const std::string& set) {
    std::vector<std::string> out;
    for (const HloSource& source : hlo_sources({set}))
      out.push_back(std::filesystem::path(source.path).filename().string());
    return out;
  }
};

TEST_F(HloSubsets, SubgraphsHaveTheSizeAndTypesThatFit) {
  HloSubgraphOptions options;
  options.size = {10, 20};
  options.tries = 5;
  const std::string set = folder("sizes");
  const HloSubset found = hlo_subgraphs({kCorpus}, set, options);
  EXPECT_GT(found.added, 30U);
  EXPECT_LE(found.added, found.drawn);
  for (const HloSource& source : hlo_sources({set})) {
    const hlo::Module module = hlo::parse(read_file(source.path), source.path);
    EXPECT_TRUE(hlo::verify(module).empty()) << source.path;
    const uint32_t many = module[module.entry].instructions.count;
    EXPECT_TRUE(many >= 10 && many <= 20) << source.path << ": " << many;
    EXPECT_FALSE(source.origin.part_of.empty());
  }
}

TEST_F(HloSubsets, ASeedSaysWhatIsDrawn) {
  HloSubgraphOptions options;
  options.tries = 3;
  options.seed = 7;
  options.count = 25;
  const std::string a = folder("a"), b = folder("b"), c = folder("c");
  hlo_subgraphs({kCorpus}, a, options);
  hlo_subgraphs({kCorpus}, b, options);
  options.seed = 8;
  hlo_subgraphs({kCorpus}, c, options);
  EXPECT_EQ(names(a).size(), 25U);
  EXPECT_EQ(names(a), names(b));
  EXPECT_NE(names(a), names(c));
}

TEST_F(HloSubsets, AFilterLeavesOutAndSaysWhy) {
  HloSubsetOptions options;
  options.filter.passes = {"algsimp"};
  options.filter.most = 100;
  options.filter.without = {"custom-call"};
  const std::string set = folder("filter");
  const HloSubset found = hlo_filter({kCorpus}, set, options);
  EXPECT_EQ(found.stop_reason, StopReason::kSaturated);
  size_t left_out = 0;
  for (const auto& [why, count] : found.left_out) left_out += count;
  EXPECT_EQ(found.added + left_out, found.modules);
  EXPECT_GT(found.left_out.at("too large"), 0U);
  EXPECT_GT(found.left_out.at("has custom-call"), 0U);
  EXPECT_EQ(hlo_statistics({set}).instructions.size(), found.added);
  EXPECT_EQ(hlo_statistics({set}).opcodes.count("custom-call"), 0U);
  // Once more: all is there.
  EXPECT_EQ(hlo_filter({set}, set, options).left_out.at("there already"), found.added);
}

TEST_F(HloSubsets, WhatIsRefusedIsKeptOnceThoughTwoAddAtOnce) {
  const std::string set = folder("refused");
  HloDataset one(set), other(set);
  EXPECT_EQ(one.add("no module", "a", {}), HloAdded::kRefused);
  EXPECT_EQ(other.add("no module", "b", {}), HloAdded::kRefused);
  const std::string lines = read_file(set + "/refused.jsonl");
  EXPECT_EQ(std::ranges::count(lines, '\n'), 1);
}

TEST_F(HloSubsets, TooManyActions) {
  HloSubgraphOptions options;
  options.filter.passes = {"general-fusion"};
  options.filter.most_actions = 1;
  options.tries = 2;
  const HloSubset found = hlo_subgraphs({kCorpus}, folder("few"), options);
  EXPECT_EQ(found.added, 0U);
  EXPECT_GT(found.left_out.at("too many actions"), 0U);
}

TEST_F(HloSubsets, NamesThatThereAreNot) {
  HloSubsetOptions options;
  options.filter.without = {"negated"};
  EXPECT_THROW(hlo_filter({kCorpus}, folder("none"), options), UsageError);
  EXPECT_THROW(hlo_sources({"no/such/file"}), InputError);
}

}  // namespace
}  // namespace isomer::recipes
