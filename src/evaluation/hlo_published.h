// Table 1 of HloEnv: what its passes did when all instances of one were removed from XLA's pipeline for
// graphics processors (XLA of 2022, 40,711 modules, run times on a graphics processor); and by which names
// the passes are known here and to XLA of today on processors.
#pragma once

#include <span>
#include <string_view>

namespace isomer::evaluation {

struct PublishedHloPass {
  std::string_view name;
  std::string_view ours;  ///< empty: none here (libraries of graphics processors)
  std::string_view xla;   ///< empty: the processor's pipeline of jaxlib 0.10.2 has none of the kind
  /// Percent of the modules: changed by the pass (hash of the graph); without it below 0.96 and above 1.06 of
  /// the run time with it.
  double changed, improved, degraded;
  double ratio, ratio_changed;  ///< mean run time without it over that with it; of what it changed
};

/// In the paper's order.
std::span<const PublishedHloPass> published_hlo_passes();

}  // namespace isomer::evaluation
