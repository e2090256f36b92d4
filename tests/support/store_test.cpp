#include "support/store.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "support/errors.h"
#include "support/rng.h"

namespace isomer {
namespace {

namespace fs = std::filesystem;

class StoreTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "isomer-store-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    file_ = folder_ / "deep" / "store.sqlite";
  }
  void TearDown() override { fs::remove_all(folder_); }

  // Straight from SQLite, not through Store.
  std::string ask(const char* sql) const {
    sqlite3* db = nullptr;
    sqlite3_open(file_.c_str(), &db);
    sqlite3_busy_timeout(db, 10000);
    std::string out;
    sqlite3_exec(
        db, sql,
        [](void* to, int, char** values, char**) {
          *static_cast<std::string*>(to) += values[0] ? values[0] : "NULL";
          return 0;
        },
        &out, nullptr);
    sqlite3_close(db);
    return out;
  }
  fs::path folder_, file_;
};

TEST_F(StoreTest, KeepsWhatWasPut) {
  {
    Store store(file_);
    EXPECT_FALSE(store.get("a", "k"));
    EXPECT_TRUE(store.put("a", "k", "one"));
    EXPECT_TRUE(store.put("b", "k", std::string("\0two", 4)));
    EXPECT_TRUE(store.put("a", "k", "three"));
    EXPECT_TRUE(store.put("a", "", ""));
  }
  Store store(file_);
  EXPECT_EQ(store.get("a", "k"), "three");
  EXPECT_EQ(store.get("b", "k"), std::string("\0two", 4));
  EXPECT_EQ(store.get("a", ""), "");
  EXPECT_FALSE(store.get("b", ""));
}

TEST_F(StoreTest, ListsByPrefixAndCounts) {
  Store store(file_);
  const std::vector<Store::Entry> entries = {{"x/2", "b"}, {"x/1", "a"}, {"y/1", "cc"}};
  EXPECT_TRUE(store.put("s", entries));
  store.put("t", "x/1", "other");
  EXPECT_EQ(store.all("s", "x/"), (std::vector<Store::Entry>{{"x/1", "a"}, {"x/2", "b"}}));
  const auto spaces = store.spaces();
  ASSERT_EQ(spaces.size(), 2u);
  EXPECT_EQ(spaces[0].name, "s");
  EXPECT_EQ(spaces[0].entries, 3u);
  EXPECT_EQ(spaces[0].bytes, 13u);
  EXPECT_EQ(store.clear("s"), 3u);
  EXPECT_FALSE(store.get("s", "x/1"));
  EXPECT_EQ(store.get("t", "x/1"), "other");
  EXPECT_EQ(store.clear(), 1u);
  EXPECT_TRUE(store.spaces().empty());
}

TEST_F(StoreTest, ListsNumbersByWhatFollowsThePrefix) {
  Store store(file_);
  store.put("s", std::vector<Store::Entry>{
                     {"x/a", "0.5"}, {"x/b", "-1"}, {"x/c", "word"}, {"x/d", "inf"}, {"y", "2"}});
  EXPECT_EQ(store.numbers("s", "x/"), (std::unordered_map<std::string, double>{{"a", 0.5}, {"b", -1}}));
}

TEST_F(StoreTest, SeesWhatOthersPut) {
  Store one(file_), two(file_);
  one.put("a", "k", "1");
  EXPECT_EQ(two.get("a", "k"), "1");
  two.put("a", "k", "2");
  EXPECT_EQ(one.get("a", "k"), "2");
}

TEST_F(StoreTest, ADamagedFileIsPutAside) {
  fs::create_directories(file_.parent_path());
  std::ofstream(file_) << std::string(8192, 'x');
  Store store(file_);
  EXPECT_TRUE(store.put("a", "k", "v"));
  EXPECT_EQ(store.get("a", "k"), "v");
  EXPECT_TRUE(fs::exists(file_.string() + ".damaged"));
}

TEST_F(StoreTest, ANewerOrForeignFileIsLeftAlone) {
  {
    Store store(file_);
  }
  ask("PRAGMA user_version=7");
  EXPECT_THROW(Store{file_}, InputError);
  ask("PRAGMA application_id=42");
  EXPECT_THROW(Store{file_}, InputError);
  EXPECT_EQ(ask("PRAGMA user_version"), "7");
}

TEST_F(StoreTest, OfUserFollowsTheEnvironmentAndFallsBackToMemory) {
  const char* had = getenv("ISOMER_CACHE");
  const std::string before = had ? had : "";
  setenv("ISOMER_CACHE", folder_.c_str(), 1);
  {
    Store store = Store::of_user();
    EXPECT_EQ(store.file(), folder_ / "store.sqlite");
    EXPECT_TRUE(store.problem().empty());
    store.put("a", "k", "v");
  }
  EXPECT_EQ(Store::of_user().get("a", "k"), "v");
  std::ofstream(folder_ / "plain") << "a file where a folder should be";
  setenv("ISOMER_CACHE", (folder_ / "plain").c_str(), 1);
  Store memory = Store::of_user();
  EXPECT_FALSE(memory.problem().empty());
  EXPECT_TRUE(memory.file().empty());
  EXPECT_TRUE(memory.put("a", "k", "w"));
  EXPECT_EQ(memory.get("a", "k"), "w");
  if (had)
    setenv("ISOMER_CACHE", before.c_str(), 1);
  else
    unsetenv("ISOMER_CACHE");
}

// A writer that puts numbers 0, 1, ... and tells through a pipe each one that was kept.
pid_t start_writer(const fs::path& file, const std::string& space, int to_parent) {
  const pid_t child = fork();
  if (child != 0) return child;
  try {
    Store store(file);
    const std::string filling(300, 'f');
    for (uint32_t i = 0;; ++i) {
      const std::vector<Store::Entry> entries = {{std::to_string(i) + "a", filling},
                                                 {std::to_string(i) + "b", filling}};
      if (store.put(space, entries) && write(to_parent, &i, sizeof i) != sizeof i) break;
    }
  } catch (...) {
    _exit(3);
  }
  _exit(0);
}

TEST_F(StoreTest, WritersThatAreKilledLoseNothingThatWasKept) {
  constexpr int kRounds = 100, kWriters = 2;
  Rng rng(7);
  int told = 0;
  for (int round = 0; round < kRounds; ++round) {
    struct Writer {
      pid_t process;
      int pipe[2];
      std::string space;
    };
    std::vector<Writer> writers(kWriters);
    for (int w = 0; w < kWriters; ++w) {
      writers[w].space = std::to_string(round) + "/" + std::to_string(w);
      ASSERT_EQ(pipe(writers[w].pipe), 0);
      writers[w].process = start_writer(file_, writers[w].space, writers[w].pipe[1]);
      ASSERT_GT(writers[w].process, 0);
      close(writers[w].pipe[1]);
    }
    // Half of the rounds kill at any time, half not before something was put, however slow the machine is.
    if (round % 2 == 0)
      for (const Writer& writer : writers) {
        pollfd waiting{writer.pipe[0], POLLIN, 0};
        ASSERT_EQ(poll(&waiting, 1, 60'000), 1);
      }
    usleep(static_cast<useconds_t>(rng.below(12000)));
    for (const Writer& writer : writers) kill(writer.process, SIGKILL);
    for (const Writer& writer : writers) {
      int status = 0;
      waitpid(writer.process, &status, 0);
      ASSERT_TRUE(WIFSIGNALED(status)) << "the writer ended by itself";
    }
    Store store(file_);
    for (const Writer& writer : writers) {
      uint32_t i = 0;
      while (read(writer.pipe[0], &i, sizeof i) == sizeof i) {
        ++told;
        for (const char* half : {"a", "b"})
          ASSERT_EQ(store.get(writer.space, std::to_string(i) + half), std::string(300, 'f'))
              << round << " " << i;
      }
      close(writer.pipe[0]);
      // What was under way is there whole or not at all.
      EXPECT_EQ(store.get(writer.space, std::to_string(i + 1) + "a").has_value(),
                store.get(writer.space, std::to_string(i + 1) + "b").has_value());
    }
  }
  EXPECT_EQ(ask("PRAGMA integrity_check"), "ok");
  EXPECT_GE(told, 100) << "too few puts came through for the test to mean anything";
}

}  // namespace
}  // namespace isomer
