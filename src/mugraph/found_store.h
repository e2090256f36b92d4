// What searches found, kept between runs: muGraphs by the subprogram that they compute, whatever it is
// called, and by what was searched. Only complete searches are kept.
#pragma once

#include <optional>

#include "mugraph/search.h"
#include "support/store.h"

namespace isomer::mugraph {

/// None where nothing (or nothing readable) is kept. `terms` is empty and `cpu_seconds` is what was spent
/// then.
std::optional<SearchResult> load_found(Store& store, const Program& program, const Extents& extents,
                                       const SearchOptions& options);
/// False where it could not be kept, or the search did not end by itself.
bool keep_found(Store& store, const Program& program, const Extents& extents, const SearchOptions& options,
                const SearchResult& result);

}  // namespace isomer::mugraph
