// Reader of TASO's file of substitutions (graph_subst.pb; the format is taso_rules.proto), which writes them
// out in TENSAT's language: two lists of operators become terms, one for each mapped output.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace isomer::rewrite {

struct TasoRule {
  std::vector<std::string> arrows;  ///< "LEFT=>RIGHT", one for each mapped output
};

/// Throws InputError that names the rule (from 1), the side and the operator, and what was expected.
std::vector<TasoRule> read_taso_rules(std::string_view bytes, const std::string& file);

}  // namespace isomer::rewrite
