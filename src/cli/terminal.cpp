// Progress on a terminal: one line, redrawn at most ten times a second, with phase, percent, best so far and
// time left. Nothing when standard error is no terminal, so that logs stay readable.
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/commands.h"
#include "cli/standard_output.h"
#include "support/limits.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

bool is_terminal() { return isatty(STDERR_FILENO) == 1; }

struct Line {
  double last = -1;
  double best = std::nan("");
  std::string phase;
};

}  // namespace

RunHooks terminal_hooks(const Session& session) {
  RunHooks hooks;
  hooks.stop = session.stop;
  if (session.quiet) return hooks;
  const bool draw = is_terminal();
  auto line = std::make_shared<Line>();
  hooks.progress = [line, draw](const std::string& phase, double fraction, double best, double left,
                                const std::string& note) {
    if (!draw) return;
    if (std::isfinite(best)) line->best = best;
    const double now = wall_seconds();
    if (phase == line->phase && now - line->last < 0.1) return;
    line->last = now;
    line->phase = phase;
    std::string text = fmt::format("\r\033[K{}", phase);
    if (fraction >= 0) text += fmt::format(" {:3.0f} %", 100 * fraction);
    if (!note.empty()) text += ", " + note;
    if (std::isfinite(line->best)) text += fmt::format(", best so far {:.5g}", line->best);
    if (std::isfinite(left)) text += fmt::format(", at most {} left", format_seconds(left));
    std::fputs(text.c_str(), stderr);
    std::fflush(stderr);
  };
  hooks.message = [draw](const std::string& text) {
    note(fmt::format("{}{}", draw ? "\r\033[K" : "", text));
  };
  return hooks;
}

void end_progress() {
  if (is_terminal()) std::fputs("\r\033[K", stderr);
}

}  // namespace isomer::cli
