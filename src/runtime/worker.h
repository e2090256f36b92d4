// A worker process (workers/*.py) that drives a foreign runtime behind one framed protocol. Whatever the
// runtime does to its process is a value here: a crash, a hang or a refusal is a reply, and the next request
// gets a fresh process. The protocol is described at the head of workers/protocol.py.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "support/limits.h"
#include "support/temporaries.h"

namespace isomer::runtime {

/// The Python that runs workers: $ISOMER_PYTHON, else the one of the build, else python3 in PATH.
/// Throws MissingRuntimeError when there is none.
std::string find_python();
/// The folder of the worker programs (support/installed.h; ISOMER_WORKERS). Throws MissingRuntimeError when
/// there is none.
std::filesystem::path find_workers();

enum class ReplyStatus : uint8_t {
  kOk,
  kRefused,   ///< the runtime answered with an error; the process lives on
  kFault,     ///< the worker did, by a fault of its own; it lives on
  kMissing,   ///< Python or the runtime is not installed
  kCrashed,   ///< the process ended
  kTimedOut,  ///< no answer in time; the process was killed
  kStopped,   ///< the stop token was set and the worker had nothing to show for it; the process was killed
};

struct Reply {
  ReplyStatus status = ReplyStatus::kCrashed;
  nlohmann::json body;  ///< the answer (kOk)
  std::string error;  ///< for people; after a crash with the end of what the process wrote on standard error
  explicit operator bool() const { return status == ReplyStatus::kOk; }
};

struct RequestOptions {
  double timeout_seconds = 600;
  StopToken stop;
  /// Called on the waiting thread with each progress frame's content.
  std::function<void(const nlohmann::json&)> progress;
  /// After `stop` is set the worker is asked to come to its end, and killed when it has not after this time.
  double grace_seconds = 2;
};

/// One worker process, started at the first request and again after it was lost. The process ends with this
/// object, and with the thread that started it (Linux ties the death signal to the thread). Not thread-safe.
class Worker {
 public:
  /// `program` is a file name within find_workers(); `argument`: what it is called with, if not empty.
  explicit Worker(std::string program, std::string argument = {});
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Starts the process, if none is running, and does not wait for it: it loads its runtime meanwhile. What
  /// goes wrong is what the next request says.
  void begin();
  /// Sends {"op": op, ...body} and waits for its answer.
  Reply request(const std::string& op, nlohmann::json body, const RequestOptions& options = {});
  /// Ends the process now; the next request starts another.
  void kill();

  /// How often a process was started. State in the worker (sessions) is lost when this changes.
  uint64_t generation() const { return generation_; }
  /// Process id, or -1 when none is running.
  pid_t pid() const { return pid_; }
  /// A folder in memory (else on disk) for tensors that travel as files; made when first asked for, removed
  /// with the worker. Contents are the caller's business.
  const std::string& folder();

 private:
  Reply lost(ReplyStatus status, const std::string& what);
  std::string start();
  enum class Sent : uint8_t { kWhole, kLate, kLost };
  Sent send(const std::string& text, double deadline);

  std::string program_, argument_;
  pid_t pid_ = -1;
  int socket_ = -1;
  int errors_ = -1;        ///< an unlinked file that holds the process's standard error
  bool answered_ = false;  ///< this process sent a frame
  uint64_t generation_ = 0;
  uint64_t next_request_ = 1;
  std::string received_;
  std::optional<TemporaryFolder> folder_;
};

}  // namespace isomer::runtime
