#include "cli/standard_output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/atomic_file.h"
#include "support/errors.h"

namespace isomer::cli {
namespace {

void check(const CLI::App& command) {
  const CLI::Option* json = command.get_option_no_throw("--json");
  if (json != nullptr && json->count() > 0)
    for (const CLI::Option* option : command.get_options())
      for (const std::string& value : option->results())
        if (own_stream(value) == STDOUT_FILENO)
          throw UsageError(fmt::format(
              "{} {}: standard output takes the object of --json; expected the name of another file",
              option->get_name(), value));
  for (const CLI::App* chosen : command.get_subcommands()) check(*chosen);
}

}  // namespace

void keep_standard_output_for_json(CLI::App& app) {
  app.parse_complete_callback([&app] { check(app); });
}

void hold_standard_streams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    // The least free number is the stream's own: those before it are open by now.
    if (fcntl(stream, F_GETFD) < 0 && errno == EBADF) open("/dev/null", O_RDONLY);
}

void note(const std::string& line) {
  // Not by fmt, which throws.
  std::fputs((line + "\n").c_str(), stderr);
}

std::string finish_standard_output() {
  const bool failed_before = std::ferror(stdout) != 0;
  errno = 0;
  if (std::fflush(stdout) == 0 && !failed_before) return {};
  return errno != 0 ? std::strerror(errno) : "its reader is gone, or its device is full";
}

}  // namespace isomer::cli
