// Parts of `isomer hlo`, a file each.
#pragma once

#include "cli/commands.h"

namespace isomer::cli {

void add_hlo_passes(CLI::App& app);
void add_hlo_run(CLI::App& app, Session& session);
void add_hlo_optimize(CLI::App& app, Session& session);
void add_hlo_search(CLI::App& app, Session& session);
void add_hlo_graph(CLI::App& app);
void add_hlo_noise(CLI::App& app, Session& session);

}  // namespace isomer::cli
