#include "runtime/calibrate.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <optional>

#include "support/errors.h"

namespace isomer::runtime {
namespace {

namespace fs = std::filesystem;

class Calibrate : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "isomer-cache-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    store_.emplace(folder_ / "store.sqlite");
    options_.store = &*store_;
    options_.seconds = 0.3;
    try {
      runtime_.info();
    } catch (const MissingRuntimeError& error) {
      GTEST_SKIP() << error.what();
    }
  }
  void TearDown() override { fs::remove_all(folder_); }
  OnnxRuntime runtime_;
  CalibrationOptions options_;
  fs::path folder_;
  std::optional<Store> store_;
};

TEST_F(Calibrate, GivesNumbersOfAPlausibleMachine) {
  const auto profile = local_profile(runtime_, options_);
  ASSERT_TRUE(profile) << profile.failure().message;
  EXPECT_EQ(profile->name, "local");
  EXPECT_GT(profile->flops_per_second, 1e8);
  EXPECT_LT(profile->flops_per_second, 1e14);
  EXPECT_GT(profile->bytes_per_second, 1e8);
  EXPECT_LT(profile->bytes_per_second, 1e13);
  EXPECT_GT(profile->overhead_ms, 1e-6);
  EXPECT_LT(profile->overhead_ms, 100);
}

TEST_F(Calibrate, IsKeptForTheSameMachineAndThreads) {
  const auto first = local_profile(runtime_, options_);
  const auto second = local_profile(runtime_, options_);
  ASSERT_TRUE(first && second);
  EXPECT_EQ(first->flops_per_second, second->flops_per_second);
  EXPECT_EQ(first->overhead_ms, second->overhead_ms);
  options_.threads = 2;
  const auto other = local_profile(runtime_, options_);
  ASSERT_TRUE(other);
  EXPECT_EQ(store_->all("profiles/2").size(), 2u) << "measured numbers may be equal, entries are two";
  options_.threads = 1;
  EXPECT_EQ(local_profile(runtime_, options_)->flops_per_second, first->flops_per_second)
      << "both entries are kept";
}

TEST_F(Calibrate, ABrokenEntryIsReplaced) {
  ASSERT_TRUE(local_profile(runtime_, options_));
  const auto kept = store_->all("profiles/2");
  ASSERT_EQ(kept.size(), 1u);
  store_->put("profiles/2", kept[0].first, "{]");
  const auto first = local_profile(runtime_, options_);
  ASSERT_TRUE(first);
  EXPECT_EQ(local_profile(runtime_, options_)->overhead_ms, first->overhead_ms);
}

TEST_F(Calibrate, NothingIsKeptWithoutAStore) {
  options_.store = nullptr;
  ASSERT_TRUE(local_profile(runtime_, options_));
  EXPECT_TRUE(store_->spaces().empty());
}

}  // namespace
}  // namespace isomer::runtime
