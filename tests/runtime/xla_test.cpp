#include "runtime/xla.h"
#include "runtime/xla_pool.h"

#include <algorithm>
#include <thread>

#include "runtime/fake_xla.h"
#include "support/errors.h"

namespace isomer::runtime {
namespace {

using XlaWorker = FakeXla;

TEST_F(XlaWorker, TimesAreThoseOfTheModules) {
  Xla xla;
  XlaOptions options;
  options.rounds = 7;
  options.all_timings = true;
  EXPECT_EQ(xla.version(options), "fake");
  const auto ran = xla.race({"a = 1\n", "a = 1\nb = 2\n"}, options);
  ASSERT_EQ(ran.size(), 2U);
  EXPECT_TRUE(ran[0].ran());
  EXPECT_DOUBLE_EQ(ran[0].asynchronous_us, 1);
  EXPECT_DOUBLE_EQ(ran[1].full_us, 4);
  EXPECT_DOUBLE_EQ(ran[1].compute_us, 1);
  EXPECT_EQ(ran[1].samples.wall_ms.size(), 7U);
  EXPECT_EQ(ran[1].difference, 1e-6);
  options.all_timings = false;
  EXPECT_DOUBLE_EQ(xla.race({"a = 1\n"}, options)[0].full_us, 0);
}

TEST_F(XlaWorker, OneThatIsRefusedDoesNotStopTheOthers) {
  const auto ran = Xla().race({"a = 1\n", "refuse = 1\n", "differ = 1\n"}, {});
  EXPECT_TRUE(ran[0].ran());
  EXPECT_EQ(ran[1].error, "it is refused");
  EXPECT_TRUE(ran[2].ran());
  EXPECT_EQ(ran[2].difference, std::nullopt);
}

TEST_F(XlaWorker, OneThatTakesTheProcessDownDoesNotStopTheOthers) {
  Xla xla;
  const auto ran = xla.race({"a = 1\n", "crash = 1\n", "b = 1\nc = 2\n"}, {});
  ASSERT_EQ(ran.size(), 3U);
  EXPECT_TRUE(ran[0].ran());
  EXPECT_FALSE(ran[1].ran());
  EXPECT_TRUE(ran[2].ran());
  EXPECT_DOUBLE_EQ(ran[2].asynchronous_us, 2);
  EXPECT_FALSE(xla.race({"crash = 1\n"}, {})[0].ran());
}

TEST_F(XlaWorker, APoolAnswersInOrder) {
  XlaPool pool(3);
  EXPECT_EQ(pool.workers(), std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, 3));
  EXPECT_EQ(XlaPool(3, 1 << 20).workers(), 1);  // there are not so many cores
  EXPECT_EQ(pool.about({}).cpu, "none");
  std::vector<std::vector<std::string>> groups;
  for (int i = 1; i <= 8; ++i) {
    std::string text;
    for (int k = 0; k < i; ++k) text += "a = 1\n";
    groups.push_back({text, i == 5 ? "crash = 1\n" : "b = 1\n"});
  }
  const auto ran = pool.race(groups, {});
  ASSERT_EQ(ran.size(), 8U);
  for (size_t i = 0; i < ran.size(); ++i) {
    EXPECT_DOUBLE_EQ(ran[i][0].asynchronous_us, static_cast<double>(i + 1));
    EXPECT_EQ(ran[i][1].ran(), i != 4);
  }
  EXPECT_TRUE(pool.race({}, {}).empty());
  setenv("FAKE_XLA_MISSING", "1", 1);
  EXPECT_THROW((void)XlaPool(2).race(groups, {}), MissingRuntimeError);
}

TEST_F(XlaWorker, WithoutJaxThatIsSaid) {
  setenv("FAKE_XLA_MISSING", "1", 1);
  EXPECT_THROW(Xla().version(), MissingRuntimeError);
  EXPECT_THROW((void)Xla().race({"a = 1\n"}, {}), MissingRuntimeError);
}

}  // namespace
}  // namespace isomer::runtime
