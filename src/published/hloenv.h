// What HloEnv's paper publishes. Table 1: what passes did that were removed. Table 2: what searches over the
// decisions of a pass did. Of noise: the bounds within
// which 99.9 % of the ratios of two times of one module lie on its machine, from half a million ratios of
// each of ten modules (appendix D.3).
#pragma once

#include <span>
#include <string_view>

namespace isomer::published::hloenv {

constexpr double kNoiseBounds[] = {0.94, 1.06};
constexpr double kNoiseBoundOfTable1 = 0.96;  ///< at the head of that table

/// A row of table 1: what a pass did when all instances of it were removed from XLA's pipeline for graphics
/// processors (XLA of 2022, 40,711 modules, run times on a graphics processor); and by which name it is known
/// here and to XLA of today on processors.
struct PublishedPass {
  std::string_view name;
  std::string_view ours;  ///< one, or several with commas
  std::string_view xla;   ///< empty: the processor's pipeline of jaxlib 0.10.2 has none of the kind
  /// Percent of the modules: changed by the pass (hash of the graph); without it below 0.96 and above 1.06 of
  /// the run time with it.
  double changed, improved, degraded;
  double ratio, ratio_changed;  ///< mean run time without it over that with it; of what it changed
  bool is_of_library =
      false;  ///< ours makes calls of NVIDIA's libraries, which are priced but run nowhere here
};

/// In the paper's order.
std::span<const PublishedPass> passes();

/// A row of table 2: run times over those of XLA's own pass, the mean and the least.
struct PublishedSearch {
  std::string_view pass, size, search;
  double mean, least;
};
std::span<const PublishedSearch> searches();

}  // namespace isomer::published::hloenv
