// Equivalent programs of a model: all of them verified, after a stop as well.
#include "recipes/variants.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <set>

#include "ir/op_table.h"
#include "recipes/compare.h"
#include "recipes/load.h"

namespace isomer::recipes {
namespace {

/// Requests a stop with the n-th of its updates.
class StopsVariants final : public ProgressSink {
 public:
  StopsVariants(StopToken stop, int n) : stop_(std::move(stop)), left_(n) {}
  void update(const Progress&) override {
    ++told;
    if (--left_ == 0) stop_.request();
  }
  void message(const std::string&) override {}
  int told = 0;

 private:
  StopToken stop_;
  int left_;
};

class WriteVariants : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "isomer-variants-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::vector<Variant> write(const StopToken& stop, ProgressSink& progress) {
    VariantOptions options;
    options.input = ISOMER_SOURCE_DIR "/tests/data/verify/mask.onnx";
    options.folder = folder_;
    options.count = 4;
    options.cost = "roofline:cpu";
    options.time_limit = 5;
    return write_variants(options, stop, progress);
  }
  /// Each is there, and all but the first, which is the model, were held to it.
  void are_verified(const std::vector<Variant>& all) {
    ASSERT_FALSE(all.empty());
    for (size_t i = 0; i < all.size(); ++i) {
      ir::Context ctx(ir::standard_ops());
      EXPECT_GT(load_program(ctx, all[i].file).graph.size(), 0U);
      EXPECT_EQ(all[i].verification.find("floats") != std::string::npos, i > 0) << all[i].verification;
    }
  }
  std::string folder_;
};

TEST_F(WriteVariants, AreOtherProgramsAndVerified) {
  const std::vector<Variant> all = write({}, silent_progress());
  are_verified(all);
  ASSERT_GT(all.size(), 1U);
  std::set<double> costs;
  for (const Variant& v : all) costs.insert(v.cost);
  EXPECT_GT(costs.size(), 1U);
}

TEST_F(WriteVariants, AfterAStopWhatThereIsIsVerifiedAndWritten) {
  StopToken before;
  before.request();
  const std::vector<Variant> none = write(before, silent_progress());
  are_verified(none);
  EXPECT_EQ(none.size(), 1U);
  StopToken never, half_way;
  StopsVariants counted(never, 0);
  const size_t whole = write(never, counted).size();
  ASSERT_GT(counted.told, 1);
  StopsVariants stopping(half_way, counted.told);  // programs are picked by then
  const std::vector<Variant> some = write(half_way, stopping);
  are_verified(some);
  EXPECT_GT(some.size(), 1U) << "else none of them was verified after the stop";
  EXPECT_LE(some.size(), whole);
}

}  // namespace
}  // namespace isomer::recipes
