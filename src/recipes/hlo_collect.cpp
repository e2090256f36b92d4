#include "recipes/hlo_collect.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <spawn.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "support/errors.h"
#include "support/temporaries.h"

extern char** environ;

namespace isomer::recipes {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".before_optimizations.txt";
/// A dump that nobody has written to for so long is whole.
constexpr auto kAtRest = std::chrono::seconds(2);
constexpr auto kLook = std::chrono::milliseconds(200);
constexpr double kGraceSeconds = 5;

std::vector<std::string> environment_with(const std::string& dump) {
  std::string flags = "XLA_FLAGS=";
  std::vector<std::string> out;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view one = *at;
    if (one.starts_with("XLA_FLAGS="))
      flags += fmt::format("{} ", one.substr(one.find('=') + 1));
    else
      out.emplace_back(one);
  }
  out.push_back(
      fmt::format("{}--xla_dump_to={} --xla_dump_hlo_as_text --xla_dump_large_constants "
                  "--xla_dump_disable_metadata",
                  flags, dump));  // the last one counts
  return out;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> out;
  for (std::string& text : texts) out.push_back(text.data());
  out.push_back(nullptr);
  return out;
}

/// The command, in a group of its own with all that it starts; what it prints goes to standard error, and it
/// meets signals as they are by default.
pid_t start(std::vector<std::string> command, const std::string& dump) {
  std::vector<std::string> environment = environment_with(dump);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  for (const int one : {SIGINT, SIGTERM, SIGPIPE, SIGXFSZ}) sigaddset(&signals, one);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  pid_t pid = -1;
  const int problem = posix_spawnp(&pid, command[0].c_str(), &actions, &attributes, pointers(command).data(),
                                   pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  if (problem != 0)
    throw InputError(fmt::format("{}: cannot be started: {}", command[0], std::strerror(problem)));
  return pid;
}

/// Takes the dumped modules into the data set and removes everything that was dumped.
class Harvest {
 public:
  Harvest(HloDataset& set, std::string dump, HloOrigin origin, uint64_t most_bytes)
      : set_(set), dump_(std::move(dump)), origin_(std::move(origin)), most_bytes_(most_bytes) {}

  /// `all`: the command has ended, whatever stands there is whole or stays as it is.
  void take(bool all, HloCollected& out) {
    const auto now = fs::file_time_type::clock::now();
    std::error_code error;
    std::vector<fs::path> files;
    for (fs::recursive_directory_iterator it(dump_, error), end; !error && it != end; it.increment(error))
      if (it->is_regular_file(error) && (all || now - it->last_write_time(error) > kAtRest))
        files.push_back(it->path());
    std::ranges::sort(files);
    for (const fs::path& file : files) {
      if (file.string().ends_with(kSuffix)) add(file, out);
      fs::remove(file, error);
    }
  }

 private:
  void add(const fs::path& file, HloCollected& out) {
    const std::string name = file.filename().string();
    ++out.dumped;
    std::error_code error;
    if (const uint64_t bytes = fs::file_size(file, error); !error && bytes > most_bytes_) {
      set_.refuse("", name, fmt::format("{} bytes, more than {}", bytes, most_bytes_), origin_);
      ++out.refused;
      return;
    }
    switch (set_.add(read_file(file.string()), name, origin_)) {
      case HloAdded::kNew: ++out.added; break;
      case HloAdded::kKnown: ++out.known; break;
      case HloAdded::kRefused: ++out.refused; break;
    }
  }

  HloDataset& set_;
  std::string dump_;
  HloOrigin origin_;
  uint64_t most_bytes_;
};

/// Runs until the command has ended; first asks it to, then ends it, when it is to stop.
class Watched {
 public:
  Watched(pid_t pid, const HloCollectOptions& options) : pid_(pid), options_(options) {}
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  ~Watched() {
    if (pid_ == 0) return;
    kill(-pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }

  bool running(HloCollected& out) {
    int status = 0;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      constexpr int kSignalled = 128;
      out.status = WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status);
      out.seconds = wall_seconds() - begin_;
      pid_ = 0;
      return false;
    }
    const double now = wall_seconds();
    out.seconds = now - begin_;
    const bool stop = options_.stop.requested(), late = out.seconds > options_.seconds;
    if ((stop || late) && asked_ == 0) {
      out.stopped = stop;
      out.timed_out = !stop;
      kill(-pid_, SIGINT);
      asked_ = now;
    }
    if (asked_ > 0 && now - asked_ > kGraceSeconds) kill(-pid_, SIGKILL);
    return true;
  }

 private:
  pid_t pid_;
  const HloCollectOptions& options_;
  double begin_ = wall_seconds(), asked_ = 0;
};

bool was_done(const std::string& file, const std::string& command, const std::string& version) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto one = nlohmann::json::parse(line, nullptr, false);
    if (one.is_object() && one.value("command", "") == command && one.value("version", "") == version &&
        !one.value("timed_out", false))
      return true;
  }
  return false;
}

void note_done(const std::string& file, const HloOrigin& origin, const HloCollected& of) {
  const nlohmann::ordered_json line = {
      {"command", origin.command}, {"package", origin.package}, {"version", origin.version},
      {"licence", origin.licence}, {"status", of.status},       {"timed_out", of.timed_out},
      {"dumped", of.dumped},       {"added", of.added},         {"known", of.known},
      {"refused", of.refused},     {"seconds", of.seconds}};
  std::ofstream(file, std::ios::app) << line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) +
                                            "\n";
}

}  // namespace

HloCollected hlo_collect(const std::string& folder, const HloCollectOptions& options) {
  HloDataset set(folder);
  HloCollected out;
  const std::string commands = (fs::path(folder) / "commands.jsonl").string();
  HloOrigin origin = options.origin;
  origin.command = fmt::format("{}", fmt::join(options.command, " "));
  out.done_before = !options.again && was_done(commands, origin.command, origin.version);
  out.total = set.size();
  if (out.done_before) return out;

  const TemporaryFolder dump(folder, folder);
  const std::string path = fs::absolute(dump.path()).string();
  if (path.find_first_of(" \t\n") != std::string::npos)
    throw UsageError(fmt::format("{}: XLA's flags take no folder with a space in its name", folder));
  Harvest harvest(set, dump.path(), origin, options.most_bytes);
  Watched command(start(options.command, path), options);
  while (command.running(out)) {
    harvest.take(false, out);
    options.progress->update(
        {.phase = "collect", .note = fmt::format("{} modules dumped, {} new", out.dumped, out.added)});
    std::this_thread::sleep_for(kLook);
  }
  harvest.take(true, out);
  if (!out.stopped) note_done(commands, origin, out);
  out.total = set.size();
  return out;
}

}  // namespace isomer::recipes
