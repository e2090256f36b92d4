#include "cli/print_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace isomer::cli {

void print_json(const nlohmann::ordered_json& object) { fmt::print("{}\n", object.dump()); }

}  // namespace isomer::cli
