// What `--json` promises: one object on standard output, on one line.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "verify/verdict.h"

namespace isomer::cli {

/// Null where nothing is proved: there is no probability of a wrong claim.
nlohmann::ordered_json error_probability(const verify::Verdict& verdict);
/// Null where no floats were compared.
nlohmann::ordered_json max_relative_error(const verify::Verdict& verdict);

void print_json(const nlohmann::ordered_json& object);

}  // namespace isomer::cli
