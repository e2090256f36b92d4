// The program: subcommands over the facade, exit statuses as docs/architecture.md lists them.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>

#include "cli/command_line.h"
#include "cli/commands.h"
#include "cli/plain_numbers.h"
#include "cli/standard_output.h"
#include "recipes/staging.h"
#include "support/errors.h"
#include "support/temporaries.h"

namespace {

std::atomic<bool> interrupted{false};
std::atomic<int> interrupts{0};

// The first Ctrl-C ends the search (or the timing) with the best so far, the second ends the program, after
// what waits beside the output is removed; a third does not wait for that.
void on_interrupt(int) {
  interrupted = true;
  const int times = ++interrupts;
  if (times > 1) isomer::recipes::Staging::forbid();
  if (times > 2) std::_Exit(130);
}

// Removing files is nothing for a signal handler.
void watch_for_the_second_interrupt() {
  std::thread([] {
    while (interrupts < 2) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    const isomer::KeepTemporaries held;  // none is made after
    isomer::drop_temporaries();
    constexpr std::string_view kSaid = "\nisomer: interrupted twice: ended at once\n";
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kSaid.data(), kSaid.size());
    std::_Exit(130);
  }).detach();
}

int fail(isomer::ExitStatus status, const std::string& message) {
  isomer::cli::end_progress();
  isomer::cli::note("isomer: " + message);
  return static_cast<int>(status);
}

/// `isomer ... | head` has what it wants: no fault to speak of.
bool reader_is_gone() {
  pollfd output{STDOUT_FILENO, 0, 0};
  return poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

/// What was printed must have arrived.
int finish(int status) {
  const std::string why = isomer::cli::finish_standard_output();
  if (why.empty()) return status;
  if (reader_is_gone()) return status != 0 ? status : 128 + SIGPIPE;
  fail(isomer::ExitStatus::kBadInput, "standard output: cannot be written: " + why);
  return status != 0 ? status : static_cast<int>(isomer::ExitStatus::kBadInput);
}

}  // namespace

int main(int argc, char** argv) {
  using isomer::ExitStatus;
  std::signal(SIGINT, on_interrupt);
  std::signal(SIGTERM, on_interrupt);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is said as a full disk is
  isomer::cli::hold_standard_streams();
  watch_for_the_second_interrupt();

  isomer::cli::Session session;
  session.stop = &interrupted;
  CLI::App app("Isomer: a superoptimizer for tensor programs", "isomer");
  app.set_version_flag("--version", isomer::version());
  app.add_flag("-q,--quiet", session.quiet, "no progress, no messages");
  app.require_subcommand(1);
  app.footer("isomer MODEL.onnx [OPTIONS] is short for isomer optimize MODEL.onnx [OPTIONS].");
  isomer::cli::add_optimize(app, session);
  isomer::cli::add_explore(app, session);
  isomer::cli::add_extract(app, session);
  isomer::cli::add_import(app);
  isomer::cli::add_report(app);
  isomer::cli::add_verify(app, session);
  isomer::cli::add_graph(app, session);
  isomer::cli::add_hlo(app, session);
  isomer::cli::add_rules(app, session);
  isomer::cli::add_operators(app);
  isomer::cli::add_cache(app);
  isomer::cli::add_completion(app);
  isomer::cli::add_compile(app, session);
  isomer::cli::add_variants(app, session);
  isomer::cli::add_mugraph(app, session);
  isomer::cli::add_bench(app, session);
  isomer::cli::require_plain_numbers(app);
  isomer::cli::keep_standard_output_for_json(app);
  try {
    std::vector<std::string> words = isomer::cli::with_command(app, {argv + 1, argv + argc});
    std::ranges::reverse(words);  // as the library wants them
    app.parse(std::move(words));
  } catch (const CLI::Success& done) {
    return finish(app.exit(done));
  } catch (const CLI::ParseError& error) {
    isomer::cli::note(isomer::cli::wrong_in(app, error) + "\nRun with --help for more information.");
    return static_cast<int>(ExitStatus::kUsage);
  } catch (const isomer::Error& error) {
    return fail(error.status(), error.what());
  } catch (const std::bad_alloc&) {
    return fail(ExitStatus::kBadInput, "out of memory");
  } catch (const std::exception& error) {
    if (std::ferror(stdout) != 0) return finish(session.status);
    return fail(static_cast<ExitStatus>(1),
                fmt::format("internal error, please report it: {}", error.what()));
  }
  return finish(session.status);
}
