#include "support/crew.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace isomer {
namespace {

TEST(Crew, DoesEachItemOfEachRoundOnce) {
  for (const unsigned threads : {0u, 1u, 2u, 5u}) {
    Crew crew(threads, 0);
    EXPECT_EQ(crew.threads(), std::max(threads, 1u));
    for (size_t round = 0; round < 300; ++round) {
      std::vector<std::atomic<int>> done(round % 7);
      crew.run(done.size(), [&](size_t i) { ++done[i]; });
      for (const auto& d : done) EXPECT_EQ(d, 1);
    }
  }
}

TEST(Crew, WorksOnSeveralThreadsAtATime) {
  Crew crew(3, 0);
  std::atomic<int> here = 0;
  std::array<std::thread::id, 3> who;
  crew.run(3, [&](size_t i) {
    who[i] = std::this_thread::get_id();
    ++here;
    while (here < 3) std::this_thread::yield();  // would never end on fewer
  });
  EXPECT_EQ(std::set(who.begin(), who.end()).size(), 3u);
}

TEST(Crew, TellsItsThreadsApart) {
  Crew crew(3, 0);
  std::array<std::atomic<int>, 3> by{};
  std::atomic<int> here = 0;
  crew.run(3, [&](size_t thread, size_t) {
    ++by[thread];
    ++here;
    while (here < 3) std::this_thread::yield();
  });
  for (const auto& items : by) EXPECT_EQ(items, 1);
}

TEST(Crew, NobodyIsWokenForShortItems) {
  Crew crew(4, 1e9);
  std::set<std::thread::id> who;
  for (int round = 0; round < 100; ++round)
    crew.run(4, [&](size_t) { who.insert(std::this_thread::get_id()); });
  EXPECT_EQ(who, std::set{std::this_thread::get_id()});
  EXPECT_EQ(crew.cpu_seconds(), 0);
}

TEST(Crew, TheFirstItemsErrorIsThrownWhenAllAreDone) {
  for (const unsigned threads : {1u, 4u}) {
    Crew crew(threads, 0);
    std::atomic<int> done = 0;
    try {
      crew.run(20, [&](size_t i) {
        ++done;
        if (i == 7 || i == 13) throw std::runtime_error(std::to_string(i));
      });
      FAIL() << "no error";
    } catch (const std::runtime_error& e) {
      EXPECT_STREQ(e.what(), "7");
    }
    EXPECT_EQ(done, 20);
    crew.run(2, [&](size_t) { ++done; });  // and it goes on
    EXPECT_EQ(done, 22);
  }
}

}  // namespace
}  // namespace isomer
