#include "native/apart.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "isomer/model.h"
#include "support/clock.h"
#include "support/errors.h"
#include "support/limits.h"

namespace isomer::native {
namespace {

enum Status { kDone = 0, kNotLoaded = 120, kNoMemory = 121, kFailed = 122 };

/// What the child tells, before the outputs.
struct Told {
  double load_seconds, run_seconds;
  int runs;
  char lacks[256];
};
constexpr size_t kLine = 64;
size_t rounded(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

/// Memory that both processes see.
class Shared {
 public:
  explicit Shared(size_t bytes)
      : bytes_(bytes),
        at_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {
    if (at_ == MAP_FAILED) throw InputError("memory is lacking for a run of the compiled model");
  }
  ~Shared() { ::munmap(at_, bytes_); }
  Shared(const Shared&) = delete;
  Shared& operator=(const Shared&) = delete;
  std::byte* data() const { return static_cast<std::byte*>(at_); }

 private:
  size_t bytes_;
  void* at_;
};

/// In the child; never returns. Nothing of this program's is used but the clocks. It ends with the thread
/// that forked it, which waits for it.
[[noreturn]] void child(pid_t parent, const std::string& path, const void* const* inputs,
                        void* const* outputs, int threads, double seconds, Told* told) {
  for (const int fatal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT})
    ::signal(fatal, SIG_DFL);  // not this program's
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(kFailed);
  const double begin = steady_clock().seconds();
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) ::_exit(kNotLoaded);
  const auto make = reinterpret_cast<decltype(&isomer_model_new)>(::dlsym(library, "isomer_model_new"));
  const auto run = reinterpret_cast<decltype(&isomer_model_run)>(::dlsym(library, "isomer_model_run"));
  if (make == nullptr || run == nullptr) ::_exit(kNotLoaded);
  isomer_model* model = make(threads);
  const auto error = reinterpret_cast<decltype(&isomer_model_error)>(::dlsym(library, "isomer_model_error"));
  const auto failed = [&] {
    const char* why = error != nullptr ? error() : nullptr;
    if (why != nullptr) ::strncpy(told->lacks, why, sizeof told->lacks - 1);
    return why != nullptr;
  };
  if (model == nullptr) {
    failed();
    ::_exit(kNoMemory);
  }
  told->load_seconds = steady_clock().seconds() - begin;
  run(model, inputs, outputs);
  if (failed()) ::_exit(kFailed);
  // Of a graphics processor, by its clock and without copies.
  const auto timed = reinterpret_cast<decltype(&isomer_model_time)>(::dlsym(library, "isomer_model_time"));
  // What one thread takes of the processor hangs less on what else the machine does than what the wall shows.
  const auto now = [&] { return threads == 1 ? thread_cpu_seconds() : steady_clock().seconds(); };
  constexpr int kMost = 1000, kLeast = 3;
  double times[kMost];
  for (const double start = steady_clock().seconds();
       told->runs < kMost && (told->runs < kLeast || steady_clock().seconds() - start < seconds);) {
    const double before = now();
    double& time = times[told->runs++];
    if (timed != nullptr) {
      timed(model, &time, 1);
      if (failed()) ::_exit(kFailed);
      continue;
    }
    run(model, inputs, outputs);
    time = now() - before;
  }
  std::sort(times, times + told->runs);
  told->run_seconds = times[told->runs / 2];
  ::_exit(kDone);
}

/// Empty, or how the child ended.
std::string waited_for(pid_t pid, double limit, const Told& told, bool& lacking) {
  const double begin = steady_clock().seconds();
  int status = 0;
  bool ended = false;
  for (;;) {
    const pid_t got = ::waitpid(pid, &status, WNOHANG);
    if (got == pid) break;
    if (got < 0 && errno != EINTR) return "its process is lost";
    if (!ended && steady_clock().seconds() - begin > limit) {
      ::kill(pid, SIGKILL);
      ended = true;
    }
    const timespec little{0, 2'000'000};
    ::nanosleep(&little, nullptr);
  }
  if (WIFSIGNALED(status))
    return ended ? fmt::format("it was ended after {:.0f} s", limit)
                 : fmt::format("it crashed: {}", ::strsignal(WTERMSIG(status)));
  switch (WEXITSTATUS(status)) {
    case kDone: return {};
    case kNotLoaded: return "it cannot be loaded";
    case kNoMemory: lacking = true; [[fallthrough]];
    case kFailed: return told.lacks[0] != 0 ? told.lacks : "it found no memory or no threads";
    default: return fmt::format("its process ended with status {}", WEXITSTATUS(status));
  }
}

}  // namespace

ApartRun run_apart(const std::string& path, std::span<const std::vector<std::byte>> inputs,
                   std::span<const size_t> output_bytes, int threads, double seconds, double limit) {
  size_t total = rounded(sizeof(Told));
  for (const size_t bytes : output_bytes) total += rounded(bytes);
  const Shared shared(total);
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const auto& bytes : inputs) in.push_back(bytes.data());
  size_t offset = rounded(sizeof(Told));
  for (const size_t bytes : output_bytes) {
    out.push_back(shared.data() + offset);
    offset += rounded(bytes);
  }
  auto* told = new (shared.data()) Told{};
  const pid_t parent = ::getpid(), pid = ::fork();
  if (pid < 0) throw InputError(fmt::format("no process for the compiled model: {}", std::strerror(errno)));
  if (pid == 0) child(parent, path, in.data(), out.data(), threads, seconds, told);
  ApartRun result;
  result.failure = waited_for(pid, limit, *told, result.lacking);
  result.load_seconds = told->load_seconds;
  result.run_seconds = told->run_seconds;
  result.runs = told->runs;
  for (size_t i = 0; i < output_bytes.size(); ++i) {
    const auto* at = static_cast<const std::byte*>(out[i]);
    result.outputs.emplace_back(at, at + output_bytes[i]);
  }
  return result;
}

}  // namespace isomer::native
