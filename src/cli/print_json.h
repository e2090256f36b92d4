// What `--json` promises: one object on standard output, on one line.
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace isomer::cli {

void print_json(const nlohmann::ordered_json& object);

}  // namespace isomer::cli
