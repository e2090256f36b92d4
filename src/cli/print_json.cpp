#include "cli/print_json.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "report/json_value.h"

namespace isomer::cli {

using Json = nlohmann::ordered_json;

Json error_probability(const verify::Verdict& v) {
  return v.kind == verify::VerdictKind::kProved ? Json(v.error_probability()) : Json(nullptr);
}

Json max_relative_error(const verify::Verdict& v) {
  return v.on_floats || v.max_relative_error > 0 ? report::number(v.max_relative_error) : Json(nullptr);
}

void print_json(const Json& object) { fmt::print("{}\n", report::text_of(object)); }

}  // namespace isomer::cli
