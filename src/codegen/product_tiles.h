// The loops of a product whose axes are chosen: tiles of vectors by rows whose sums stay in registers, and,
// where what a tile reads of the lanes' operand does not fit the nearest cache, a few steps of the reduction
// at a time for all rows (Goto, van de Geijn: TOMS 2008).
#pragma once

#include <cstdint>
#include <vector>

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// What is left over of a vector begins within what was computed before, where it is as long then.
inline constexpr int64_t kShortestOverlap = 4;

/// Which loop of a product is what.
struct ProductAxes {
  std::vector<int> outside;  ///< from outside: what the lanes' operand depends on as well
  int column = -1;           ///< the innermost of these of which a tile takes several, or -1
  int lane = -1;
  std::vector<int> inside;  ///< from outside
  int row = -1;             ///< innermost, of which a tile takes several, or -1
  std::vector<int> reduce;  ///< from outside
};

/// Tiles of that many columns and rows: all columns in groups but the last, rows in `runs` of equal groups.
struct TilePlan {
  struct Run {
    int64_t rows = 1, groups = 0;
  };
  int64_t columns = 1;
  std::vector<Run> runs;
  double cycles = 0;  ///< of all, for each step of the reduction
};
/// The best tiles, of vectors of `registers` registers.
TilePlan plan_tiles(int64_t columns, int64_t rows, int64_t registers, const ScheduleOptions& options);

/// `inner`: what the loops of space hold (product_nest.h). Extents: of all variables, also new ones.
std::vector<Statement> tiles_of(LoopProgram& program, std::vector<Statement> inner, const ProductAxes& axes,
                                std::vector<int64_t>& extents, const ScheduleOptions& options);

}  // namespace isomer::codegen
