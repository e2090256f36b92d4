// What TENSAT's paper (Yang et al., MLSys 2021) reports, on a T4 with 16 cores: the figures that stand in its
// tables and text. Of its figures 4 to 7 only what the text says in numbers is here; their curves are
// pictures.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace isomer::published::tensat {

/// Tables 1 and 3, by model. Table 1's row of Inception-v3 is for k_multi 2, table 3's as well.
struct Model {
  std::string_view model;
  double taso_seconds, tensat_seconds;
  double taso_speedup, tensat_speedup;  ///< per cent
  double exploration, extraction;       ///< seconds
  int k_multi;
};
std::span<const Model> models();
/// nullptr where the paper has none of that name.
const Model* model_of(std::string_view name);

/// Table 4: milliseconds of the original and of what greedy and ILP extract, k_multi 1. (The version of the
/// paper that gives the columns without doubling the first one is followed.)
struct Extractors {
  std::string_view model;
  double original, greedy, ilp;
};
std::span<const Extractors> extractors();

/// Tables 5 and 6, by model and k_multi; nothing where 3,600 s did not suffice.
struct Cycles {
  std::string_view model;
  int k_multi;
  std::optional<double> ilp_real, ilp_integer, ilp_without;  ///< table 5, seconds of extraction
  std::optional<double> vanilla, efficient;                  ///< table 6, seconds of exploration
};
std::span<const Cycles> cycles();

}  // namespace isomer::published::tensat
