// How many columns and rows of vectors a tile of a product has, by the cycles of its steps.
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/target.h"

namespace isomer::codegen {

/// What is left over of a vector begins within what was computed before, where it is as long then.
inline constexpr int64_t kShortestOverlap = 4;
/// Tiles of rows for which panels of the lanes' operand pay that are made in each run.
inline constexpr int64_t kTilesForPanels = 3;
/// Lanes of the shortest vector that so many fit into.
int64_t shortest_vector(int64_t count);

/// Tiles of that many columns and rows: all columns in groups but the last, rows in `runs` of equal groups.
struct TilePlan {
  struct Run {
    int64_t rows = 1, groups = 0;
  };
  int64_t columns = 1;
  std::vector<Run> runs;
  double cycles = 0;  ///< of all, for each step of the reduction
};
/// Rows of so many in groups that differ by one at most.
std::vector<TilePlan::Run> runs_of(int64_t rows, int64_t groups);
/// The best tiles, of vectors of `registers` registers.
TilePlan plan_tiles(int64_t columns, int64_t rows, int64_t registers, const ScheduleOptions& options);

/// Vectors for a row of that many elements, the last ones shorter, over what whole ones would be.
double vectors_for(int64_t count, const ScheduleOptions& options);

}  // namespace isomer::codegen
