#include "cli/standard_output.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace isomer::cli {

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
  return errno != 0 ? std::strerror(errno) : "it failed before";
}

}  // namespace isomer::cli
