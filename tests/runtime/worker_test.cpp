#include "runtime/worker.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>
#include <thread>

#include "support/errors.h"

namespace isomer::runtime {
namespace {

namespace fs = std::filesystem;

/// A folder with the protocol and the worker that misbehaves, set as ISOMER_WORKERS.
class NoisyWorker : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "isomer-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    fs::copy(fs::path(ISOMER_SOURCE_DIR) / "workers/protocol.py", folder_);
    fs::copy(fs::path(ISOMER_SOURCE_DIR) / "workers/element_types.py", folder_);
    fs::copy(fs::path(ISOMER_SOURCE_DIR) / "tests/data/runtime/noisy_worker.py", folder_);
    setenv("ISOMER_WORKERS", folder_.c_str(), 1);
  }
  void TearDown() override {
    unsetenv("ISOMER_WORKERS");
    unsetenv("ISOMER_PYTHON");
    fs::remove_all(folder_);
  }
  fs::path folder_;
};

bool runs(pid_t pid) {
  std::ifstream stat("/proc/" + std::to_string(pid) + "/stat");
  std::string number, name, state;
  return stat >> number >> name >> state && state != "Z";
}

TEST_F(NoisyWorker, NoiseOnStandardOutputDoesNotReachTheFrames) {
  Worker worker("noisy_worker.py");
  int steps = 0;
  RequestOptions options;
  options.progress = [&](const nlohmann::json& what) { EXPECT_EQ(what["done"], ++steps); };
  for (int i = 0; i < 3; ++i) {
    steps = 0;
    const Reply reply = worker.request("echo", {{"text", "h\u00e9 \n"}, {"steps", 4}}, options);
    ASSERT_TRUE(reply) << reply.error;
    EXPECT_EQ(reply.body["text"], "h\u00e9 \n");
    EXPECT_EQ(steps, 4);
  }
  EXPECT_EQ(worker.generation(), 1u);
}

TEST_F(NoisyWorker, FramesLongerThanASocketBuffer) {
  Worker worker("noisy_worker.py");
  const std::string text(3 << 20, 'x');
  const Reply reply = worker.request("echo", {{"text", text}});
  ASSERT_TRUE(reply) << reply.error;
  EXPECT_EQ(reply.body["text"].get<std::string>(), text);
}

TEST_F(NoisyWorker, RefusalsAndBugsLeaveItAlive) {
  Worker worker("noisy_worker.py");
  const Reply refusal = worker.request("refuse", {});
  EXPECT_EQ(refusal.status, ReplyStatus::kRefused);
  EXPECT_EQ(refusal.error, "not today");
  const Reply fault = worker.request("bug", {});
  EXPECT_EQ(fault.status, ReplyStatus::kFault) << "no answer of the runtime's";
  EXPECT_NE(fault.error.find("IndexError"), std::string::npos);
  EXPECT_NE(worker.request("nonsense", {}).error.find("echo"), std::string::npos) << "lists what there is";
  EXPECT_EQ(worker.generation(), 1u);
}

TEST_F(NoisyWorker, CrashIsAReplyAndTheNextRequestGetsAnotherProcess) {
  Worker worker("noisy_worker.py");
  const Reply exit = worker.request("die", {});
  EXPECT_EQ(exit.status, ReplyStatus::kCrashed);
  EXPECT_NE(exit.error.find("status 3"), std::string::npos) << exit.error;
  EXPECT_NE(exit.error.find("last words"), std::string::npos) << exit.error;
  const Reply abort = worker.request("die", {{"abort", true}});
  EXPECT_EQ(abort.status, ReplyStatus::kCrashed);
  EXPECT_NE(abort.error.find("signal 6"), std::string::npos) << abort.error;
  EXPECT_TRUE(worker.request("echo", {{"text", "x"}}));
  EXPECT_EQ(worker.generation(), 3u);
}

TEST_F(NoisyWorker, CrashBetweenRequestsIsNoticed) {
  Worker worker("noisy_worker.py");
  ASSERT_TRUE(worker.request("echo", {{"text", "x"}}));
  ::kill(worker.pid(), SIGKILL);
  usleep(50000);
  EXPECT_EQ(worker.request("echo", {{"text", "x"}}).status, ReplyStatus::kCrashed);
  EXPECT_TRUE(worker.request("echo", {{"text", "x"}}));
}

TEST_F(NoisyWorker, HangsAreCutAtTheTimeout) {
  Worker worker("noisy_worker.py");
  ASSERT_TRUE(worker.request("echo", {{"text", "x"}}));
  const pid_t pid = worker.pid();
  RequestOptions options;
  options.timeout_seconds = 0.2;
  const double start = wall_seconds();
  EXPECT_EQ(worker.request("hang", {}, options).status, ReplyStatus::kTimedOut);
  EXPECT_LT(wall_seconds() - start, 60);  // it would hang for longer; a loaded machine is slow
  EXPECT_FALSE(runs(pid));
  EXPECT_EQ(waitpid(pid, nullptr, WNOHANG), -1) << "a zombie is left";
}

TEST_F(NoisyWorker, GarbageOnTheChannelIsACrash) {
  Worker worker("noisy_worker.py");
  EXPECT_EQ(worker.request("garbage", {}).status, ReplyStatus::kCrashed);
  EXPECT_TRUE(worker.request("echo", {{"text", "x"}}));
}

TEST_F(NoisyWorker, StopAsksForWhatThereIs) {
  Worker worker("noisy_worker.py");
  RequestOptions options;
  options.progress = [&](const nlohmann::json&) { options.stop.request(); };
  const Reply reply = worker.request("patient", {}, options);
  ASSERT_TRUE(reply) << reply.error;
  EXPECT_GE(reply.body["rounds"], 1);
  EXPECT_TRUE(worker.request("echo", {{"text", "x"}})) << "a late cancel must not disturb the next request";
  EXPECT_EQ(worker.generation(), 1u);
}

TEST_F(NoisyWorker, StopEndsWhatDoesNotListen) {
  Worker worker("noisy_worker.py");
  ASSERT_TRUE(worker.request("echo", {{"text", "x"}}));
  RequestOptions options;
  options.grace_seconds = 0.1;
  options.stop.request();
  EXPECT_EQ(worker.request("hang", {}, options).status, ReplyStatus::kStopped);
}

TEST_F(NoisyWorker, WhatItLacksIsSaidAlsoWhereItIsToStop) {
  Worker worker("noisy_worker.py");
  EXPECT_EQ(worker.request("lack", {}).status, ReplyStatus::kMissing);
  RequestOptions options;
  options.progress = [&](const nlohmann::json&) {
    while (runs(worker.pid())) usleep(1000);
    options.stop.request();
  };
  const Reply reply = worker.request("lack", {}, options);
  EXPECT_EQ(reply.status, ReplyStatus::kMissing) << reply.error;
}

TEST_F(NoisyWorker, DiesWithItsParent) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t parent = fork();
  if (parent == 0) {
    auto* worker = new Worker("noisy_worker.py");
    worker->request("echo", {{"text", "x"}});
    const pid_t pid = worker->pid();
    if (write(ends[1], &pid, sizeof pid) != sizeof pid) _exit(1);
    pause();
  }
  pid_t worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof worker), static_cast<ssize_t>(sizeof worker));
  ASSERT_TRUE(runs(worker));
  ::kill(parent, SIGKILL);
  waitpid(parent, nullptr, 0);
  for (int i = 0; i < 100 && runs(worker); ++i) usleep(20000);
  EXPECT_FALSE(runs(worker));
}

TEST_F(NoisyWorker, MissingPartsAreNamed) {
  setenv("ISOMER_PYTHON", "/nonexistent/python", 1);
  Worker worker("noisy_worker.py");
  const Reply reply = worker.request("echo", {});
  EXPECT_EQ(reply.status, ReplyStatus::kMissing);
  EXPECT_NE(reply.error.find("/nonexistent/python"), std::string::npos);
  unsetenv("ISOMER_PYTHON");
  setenv("ISOMER_WORKERS", "/nonexistent", 1);
  EXPECT_EQ(worker.request("echo", {}).status, ReplyStatus::kMissing);
  EXPECT_THROW(find_workers(), MissingRuntimeError);
}

TEST_F(NoisyWorker, OneThatWasBegunServesTheFirstRequest) {
  Worker worker("noisy_worker.py");
  worker.begin();
  const pid_t begun = worker.pid();
  EXPECT_GT(begun, 0);
  worker.begin();
  ASSERT_TRUE(worker.request("echo", {{"text", "x"}}));
  EXPECT_EQ(worker.pid(), begun);
  EXPECT_EQ(worker.generation(), 1u);
}

TEST_F(NoisyWorker, WhatKeepsOneFromBeginningIsSaidByTheFirstRequest) {
  setenv("ISOMER_PYTHON", "/nonexistent/python", 1);
  Worker worker("noisy_worker.py");
  worker.begin();
  EXPECT_LT(worker.pid(), 0);
  EXPECT_EQ(worker.request("echo", {}).status, ReplyStatus::kMissing);
}

TEST_F(NoisyWorker, WhatOneSaidThatEndedBeforeTheFirstRequestIsTold) {
  std::ofstream(folder_ / "without_numpy.py") << "raise ModuleNotFoundError(\"No module named 'numpy'\")\n";
  Worker worker("without_numpy.py");
  worker.begin();
  siginfo_t ended{};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(worker.pid()), &ended, WEXITED | WNOWAIT), 0);
  const Reply reply = worker.request("echo", {});
  EXPECT_EQ(reply.status, ReplyStatus::kMissing);
  EXPECT_NE(reply.error.find("No module named 'numpy'"), std::string::npos) << reply.error;
}

TEST_F(NoisyWorker, ARequestThatIsNotTakenInTimeTimesOut) {
  std::ofstream(folder_ / "deaf.py") << "import time\ntime.sleep(1000)\n";
  Worker worker("deaf.py");
  RequestOptions options;
  options.timeout_seconds = 0.2;
  const Reply reply = worker.request("echo", {{"text", std::string(16 << 20, 'x')}}, options);
  EXPECT_EQ(reply.status, ReplyStatus::kTimedOut) << reply.error;
}

TEST_F(NoisyWorker, FolderLivesAsLongAsTheWorker) {
  fs::path folder;
  {
    Worker worker("noisy_worker.py");
    folder = worker.folder();
    std::ofstream(folder / "x") << 1;
    EXPECT_EQ(worker.folder(), folder);
  }
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace
}  // namespace isomer::runtime
