// The parent's side. One socket pair serves as the child's standard input and output: unlike a pipe it can be
// written without a SIGPIPE when the other side is gone, so no signal handling of the host program is
// touched.
#include "runtime/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <vector>

#include "support/errors.h"
#include "support/possible.h"

extern char** environ;

namespace isomer::runtime {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr size_t kMaxFrame = size_t{1} << 28;
constexpr double kSlice = 0.05;  ///< how often the stop token is looked at, seconds

std::string frame(const json& message) {
  const std::string text = message.dump();
  std::string out(4, '\0');
  for (int i = 0; i < 4; ++i) out[static_cast<size_t>(i)] = static_cast<char>(text.size() >> (8 * i) & 0xFF);
  return out + text;
}

/// Takes the first whole frame off `buffer`; false when there is none yet. Throws what json::parse throws.
bool take_frame(std::string& buffer, json& message) {
  if (buffer.size() < 4) return false;
  size_t length = 0;
  for (size_t i = 0; i < 4; ++i)
    length |= static_cast<size_t>(static_cast<unsigned char>(buffer[i])) << (8 * i);
  if (length > kMaxFrame) throw std::length_error("frame too long");
  if (buffer.size() < 4 + length) return false;
  message = json::parse(buffer.begin() + 4, buffer.begin() + 4 + static_cast<std::ptrdiff_t>(length));
  buffer.erase(0, 4 + length);
  return true;
}

std::string tail_of(int file, size_t limit = 2000) {
  if (file < 0) return {};
  const off_t size = lseek(file, 0, SEEK_END);
  const off_t from = std::max<off_t>(0, size - static_cast<off_t>(limit));
  std::string text(static_cast<size_t>(std::max<off_t>(0, size - from)), '\0');
  const ssize_t got = pread(file, text.data(), text.size(), from);
  text.resize(static_cast<size_t>(std::max<ssize_t>(0, got)));
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ')) text.pop_back();
  return text;
}

std::string describe_exit(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return fmt::format("ended with status {}", WIFEXITED(status) ? WEXITSTATUS(status) : status);
}

}  // namespace

Worker::Worker(std::string program, std::string argument)
    : program_(std::move(program)), argument_(std::move(argument)) {}

Worker::~Worker() { kill(); }

void Worker::kill() {
  if (pid_ > 0) {
    ::kill(pid_, SIGKILL);
    while (waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  for (int* fd : {&socket_, &errors_}) {
    if (*fd >= 0) close(*fd);
    *fd = -1;
  }
  pid_ = -1;
  answered_ = false;
  received_.clear();
}

const std::string& Worker::folder() {
  if (folder_) return folder_->path();
  for (const fs::path& parent : {fs::path("/dev/shm"), fs::temp_directory_path()}) {
    const auto made = possible([&] { return &folder_.emplace(parent.string(), "tensors"); });
    if (made) break;  // else the next one may be had
  }
  if (!folder_)
    throw Error(ExitStatus::kRuntimeMissing, "neither /dev/shm nor the temporary folder can be written");
  return folder_->path();
}

// Starts the process; returns what went wrong, or nothing.
std::string Worker::start() {
  // Everything that allocates happens before the fork: the host program may have other threads.
  const std::string python = find_python();
  const std::string script = (find_workers() / program_).string();
  std::array<const char*, 5> arguments = {python.c_str(), "-B", script.c_str(),
                                          argument_.empty() ? nullptr : argument_.c_str(), nullptr};
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return std::strerror(errno);
  errors_ = memfd_create("isomer-worker-stderr", MFD_CLOEXEC);
  if (errors_ >= 0) fcntl(errors_, F_SETFL, O_APPEND);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    signal(SIGINT, SIG_IGN);  // Ctrl-C goes to the whole foreground group; the parent decides what it means
    dup2(ends[1], 0);
    dup2(ends[1], 1);
    if (errors_ >= 0) dup2(errors_, 2);
    execve(arguments[0], const_cast<char**>(arguments.data()), environ);
    _exit(127);
  }
  const int problem = errno;
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    kill();
    return std::strerror(problem);
  }
  pid_ = child;
  socket_ = ends[0];
  fcntl(socket_, F_SETFL, O_NONBLOCK);
  ++generation_;
  return {};
}

void Worker::begin() {
  if (pid_ > 0) return;
  try {
    start();
  } catch (const MissingRuntimeError&) {  // the next request says it
  }
}

Reply Worker::lost(ReplyStatus status, const std::string& what) {
  std::string error = what;
  if (pid_ > 0 && status == ReplyStatus::kCrashed) {
    // The socket closed: the process is ending by itself; give it a moment so that its own status can be
    // told.
    int exit_status = 0;
    pid_t ended = 0;
    for (int i = 0; i < 100 && ended == 0; ++i) {
      ended = waitpid(pid_, &exit_status, WNOHANG);
      if (ended == 0) usleep(10000);
    }
    if (ended == pid_) {
      error += ": the worker " + describe_exit(exit_status);
      pid_ = -1;
    }
    const std::string tail = tail_of(errors_);
    if (!tail.empty()) error += "\n" + tail;
    // One that cannot import numpy or its runtime ends before it can say so in a frame.
    if (tail.find("ModuleNotFoundError") != std::string::npos) status = ReplyStatus::kMissing;
  }
  kill();
  return {status, {}, error};
}

Worker::Sent Worker::send(const std::string& text, double deadline) {
  for (size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::send(socket_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (n > 0) {
      sent += static_cast<size_t>(n);
    } else if (errno == EAGAIN || errno == EINTR) {
      if (wall_seconds() > deadline) return Sent::kLate;
      pollfd ready{socket_, POLLOUT, 0};
      poll(&ready, 1, 50);
    } else {
      return Sent::kLost;
    }
  }
  return Sent::kWhole;
}

Reply Worker::request(const std::string& op, json body, const RequestOptions& options) {
  if (pid_ <= 0) {
    try {
      if (const std::string problem = start(); !problem.empty()) return {ReplyStatus::kCrashed, {}, problem};
    } catch (const MissingRuntimeError& error) {
      return {ReplyStatus::kMissing, {}, error.what()};
    }
  }
  // What one wrote that has not answered yet may say why it never will.
  if (answered_ && errors_ >= 0 && ftruncate(errors_, 0) != 0)
    return lost(ReplyStatus::kCrashed, std::strerror(errno));
  const uint64_t number = next_request_++;
  body["op"] = op;
  body["id"] = number;
  double deadline = wall_seconds() + options.timeout_seconds;
  bool cancelled = false;
  const auto late = [&] {
    return cancelled ? lost(ReplyStatus::kStopped, "`" + op + "` was stopped")
                     : lost(ReplyStatus::kTimedOut,
                            fmt::format("`{}` took longer than {} s", op, options.timeout_seconds));
  };
  const Sent sent = send(frame(body), deadline);
  if (sent == Sent::kLate) return late();
  if (sent == Sent::kLost) return lost(ReplyStatus::kCrashed, "sending `" + op + "` failed");

  for (;;) {
    try {
      for (json message; take_frame(received_, message);) {
        answered_ = true;
        if (message.value("id", uint64_t{0}) != number) continue;
        if (message.contains("progress")) {
          if (options.progress) options.progress(message["progress"]);
          continue;
        }
        if (message.value("ok", false)) return {ReplyStatus::kOk, std::move(message), {}};
        const std::string kind = message.value("kind", "");
        return {kind == "missing" ? ReplyStatus::kMissing
                : kind == "bug"   ? ReplyStatus::kFault
                                  : ReplyStatus::kRefused,
                {},
                message.value("error", "no reason given")};
      }
    } catch (const std::exception& error) {
      return lost(ReplyStatus::kCrashed,
                  fmt::format("`{}`: the worker sent what is no frame ({})", op, error.what()));
    }
    if (!cancelled && options.stop.requested()) {
      cancelled = true;
      deadline = std::min(deadline, wall_seconds() + options.grace_seconds);
      const Sent asked = send(frame({{"op", "cancel"}}), deadline);
      if (asked == Sent::kLate) return late();
      if (asked == Sent::kLost) return lost(ReplyStatus::kCrashed, "`" + op + "`");
    }
    const double left = deadline - wall_seconds();
    if (left <= 0) return late();
    pollfd ready{socket_, POLLIN, 0};
    poll(&ready, 1, static_cast<int>(1e3 * std::min(left, kSlice)) + 1);
    std::array<char, 65536> chunk;
    const ssize_t got = recv(socket_, chunk.data(), chunk.size(), 0);
    if (got > 0) {
      received_.append(chunk.data(), static_cast<size_t>(got));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      return lost(ReplyStatus::kCrashed, "`" + op + "`");
    }
  }
}

}  // namespace isomer::runtime
