#include "cli/optimize_flags.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "support/units.h"

namespace isomer::cli {
namespace {

/// One line of optimize_options.inc as a flag: durations and sizes are read with their units.
template <class T>
void add_flag(CLI::App& command, const std::string& flag, T& field, const std::string& help) {
  if constexpr (std::is_same_v<T, bool>) {
    command.add_flag(flag, field, help);
  } else if (flag == "--time-limit") {
    if constexpr (std::is_same_v<T, double>)
      command
          .add_option_function<std::string>(
              flag, [&field](const std::string& text) { field = parse_seconds(text); }, help)
          ->type_name("TIME");
  } else if (flag == "--memory-limit") {
    if constexpr (std::is_same_v<T, uint64_t>)
      command
          .add_option_function<std::string>(
              flag, [&field](const std::string& text) { field = parse_bytes(text); }, help)
          ->type_name("SIZE");
  } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
    command.add_option(flag, field, help)->allow_extra_args(flag == "--rules" || flag == "--add-rules");
  } else {
    command.add_option(flag, field, help)->capture_default_str();
  }
}

}  // namespace

void add_optimize_flags(CLI::App& command, OptimizeOptions& options,
                        std::span<const std::string_view> without) {
#define ISOMER_OPTION(type, field, fallback, flag, help)                   \
  if (std::ranges::find(without, std::string_view(flag)) == without.end()) \
    add_flag(command, flag, options.field, help);
#include "isomer/optimize_options.inc"
#undef ISOMER_OPTION
}

}  // namespace isomer::cli
