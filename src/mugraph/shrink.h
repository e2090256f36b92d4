// The same muGraph at small sizes. Grids, threads and loops keep two parts each (or three) where they had
// more, every dimension of a tile that was above 1 stays above 1, and all shapes are computed anew: what
// holds of cutting, accumulating and joining at full size is there in small. A dimension must be cut as
// evenly as it was. Numbers of parts that must fit each other (ratios.h) are reduced together, and parts
// that do not differ keep their number. This does not see every tie between two sizes: what differs in small
// only is no refutation.
#pragma once

#include <optional>
#include <utility>

#include "mugraph/mugraph.h"
#include "mugraph/programs.h"

namespace isomer::mugraph {

struct ShrinkParts {
  int64_t grid = 2;                                     ///< blocks along each grid dimension that has more
  int64_t loop = 2;                                     ///< iterations of each loop that has more
  std::optional<std::pair<size_t, size_t>> wider = {};  ///< kernel and grid dimension of four blocks
  bool apart = false;  ///< dimensions of different sizes have different ones in small too
};

struct Shrunken {
  MuGraph graph;
  Extents extents;  ///< of the program's dimensions
};

/// The smallest sizes that fit; none if no small ones do. `extents` are the full sizes.
std::optional<Shrunken> shrink(const MuGraph& graph, const Program& program, const Extents& extents,
                               const ShrinkParts& parts = {});

}  // namespace isomer::mugraph
