// Parts of `isomer hlo`, a file each.
#pragma once

namespace CLI {
class App;
}

namespace isomer::cli {

void add_hlo_passes(CLI::App& app);

}  // namespace isomer::cli
