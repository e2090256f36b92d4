// The options of the main job as flags, for all commands that do it.
#pragma once

#include <span>
#include <string_view>

#include "isomer/isomer.h"

namespace CLI {
class App;
}

namespace isomer::cli {

/// Each line of optimize_options.inc, but for the flags that the command has in another way.
void add_optimize_flags(CLI::App& command, OptimizeOptions& options,
                        std::span<const std::string_view> without = {});

}  // namespace isomer::cli
