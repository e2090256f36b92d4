#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "recipes/hlo_collect.h"
#include "support/errors.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct HloCollectArgs {
  std::string folder;
  recipes::HloCollectOptions options;
  bool json = false;
};

void print(const recipes::HloCollected& r, const std::string& folder) {
  if (r.done_before) {
    fmt::print("this command was run to its end before (--again runs it once more); {} has {}\n", folder,
               how_many(r.total, "module"));
    return;
  }
  fmt::print("{} dumped: {} new, {} there already, {} refused; {} has {}\n", how_many(r.dumped, "module"),
             r.added, r.known, r.refused, folder, how_many(r.total, "module"));
  if (r.timed_out)
    fmt::print("the command was ended by the time limit\n");
  else if (r.status != 0)
    fmt::print("the command ended with status {}\n", r.status);
}

void run(HloCollectArgs a, Session& session) {
  const api::StopRelay relay(session.stop);
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  a.options.stop = relay.token();
  a.options.progress = &progress;
  const recipes::HloCollected r = recipes::hlo_collect(a.folder, a.options);
  end_progress();
  if (r.stopped) session.status = static_cast<int>(ExitStatus::kInterrupted);
  if (!a.json) return print(r, a.folder);
  print_json({{"folder", a.folder},
              {"dumped", r.dumped},
              {"added", r.added},
              {"known", r.known},
              {"refused", r.refused},
              {"total", r.total},
              {"command_status", r.status},
              {"done_before", r.done_before},
              {"timed_out", r.timed_out},
              {"interrupted", r.stopped},
              {"seconds", r.seconds}});
}

}  // namespace

void add_hlo_collect(CLI::App& app, Session& session) {
  auto a = std::make_shared<HloCollectArgs>();
  CLI::App* command = app.add_subcommand(
      "collect",
      "run a command that uses XLA, and keep the modules that it has compiled, as they were before");
  command->add_option("folder", a->folder, "the data set; it is made, or added to")->required();
  command->add_option("command", a->options.command, "after --: the program and its arguments")->required();
  command->add_option("--package", a->options.origin.package, "whose program that is, for the manifest");
  command->add_option("--package-version", a->options.origin.version, "of the package");
  command->add_option("--licence", a->options.origin.licence, "of the package");
  command->add_option("--most-bytes", a->options.most_bytes, "of a module's text; larger ones are not kept")
      ->capture_default_str();
  command->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->options.seconds = parse_seconds(t); },
      "for example 60s: the command is ended then");
  command->add_flag("--again", a->options.again, "though this command was run to its end before");
  command->add_flag("--json", a->json,
                    "print one JSON object; what the command prints goes to standard error");
  command->callback([a, &session] { run(*a, session); });
}

}  // namespace isomer::cli
