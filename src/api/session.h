// What connects a caller's hooks with the engine: its progress sink, and its stop flag.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "isomer/isomer.h"
#include "support/limits.h"
#include "support/progress.h"

namespace isomer::api {

/// Forwards progress to the hooks of a call.
class HookProgress final : public ProgressSink {
 public:
  explicit HookProgress(const RunHooks& hooks) : hooks_(hooks) {}
  void update(const Progress& p) override {
    if (hooks_.progress) hooks_.progress(p.phase, p.fraction, p.best, p.seconds_left, p.note);
  }
  void message(const std::string& line) override {
    if (hooks_.message) hooks_.message(line);
  }

 private:
  const RunHooks& hooks_;
};

/// Watches the caller's flag (a signal handler may set it) and requests the engine's stop token when it is
/// set.
class StopRelay {
 public:
  explicit StopRelay(const std::atomic<bool>* flag) {
    if (flag == nullptr) return;
    watcher_ = std::thread([this, flag] {
      while (!done_.load(std::memory_order_relaxed)) {
        if (flag->load(std::memory_order_relaxed)) {
          token_.request();
          return;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
  }
  ~StopRelay() {
    done_ = true;
    if (watcher_.joinable()) watcher_.join();
  }
  StopRelay(const StopRelay&) = delete;
  StopRelay& operator=(const StopRelay&) = delete;

  const StopToken& token() const { return token_; }

 private:
  StopToken token_;
  std::atomic<bool> done_{false};
  std::thread watcher_;
};

}  // namespace isomer::api
