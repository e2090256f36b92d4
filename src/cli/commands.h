// The subcommands of `isomer`, one file each. Each function adds its options to the app; its callback runs
// the command and returns normally, or throws isomer::Error, whose status main() returns.
#pragma once

#include <atomic>
#include <functional>
#include <string>

#include "isomer/compile.h"
#include "isomer/isomer.h"

namespace CLI {
class App;
}

namespace isomer::cli {

/// Shared by all commands: Ctrl-C, and whether to talk.
struct Session {
  const std::atomic<bool>* stop = nullptr;
  bool quiet = false;
  int status = 0;  ///< what main returns when nothing was thrown
};

void add_optimize(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_graph(CLI::App& app, Session& session);
void add_hlo(CLI::App& app, Session& session);
void add_explore(CLI::App& app, Session& session);
void add_extract(CLI::App& app, Session& session);
void add_import(CLI::App& app);
void add_report(CLI::App& app);
void add_rules(CLI::App& app, Session& session);
void add_operators(CLI::App& app);
void add_cache(CLI::App& app);
void add_completion(CLI::App& app);
void add_compile(CLI::App& app, Session& session);
/// What was compiled to `output`: a line or two, or a JSON object.
void print_compiled(const CompileResult& result, bool json);
void add_variants(CLI::App& app, Session& session);
void add_mugraph(CLI::App& app, Session& session);
/// What --target of muGraphs takes: "a100 (...), cpu (...)".
std::string target_help();
/// Subcommands of mugraph.
void add_mugraph_listings(CLI::App& mugraph, Session& session);
void add_mugraph_runs(CLI::App& mugraph, Session& session);
void add_bench(CLI::App& app, Session& session);
/// Subcommands of bench.
void add_hlo_bench(CLI::App& bench, Session& session);
void add_mirage_search(CLI::App& bench, Session& session);
void add_models_bench(CLI::App& bench, Session& session);
void add_priors(CLI::App& bench, Session& session);
void add_tensat(CLI::App& bench, Session& session);

/// Hooks that draw one progress line on standard error when it is a terminal, and print messages there.
RunHooks terminal_hooks(const Session& session);
/// Ends the progress line.
void end_progress();

}  // namespace isomer::cli
