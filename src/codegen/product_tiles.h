// The loops of a product whose axes are chosen: tiles of vectors by rows whose sums stay in registers, and,
// where what a tile reads of the lanes' operand does not fit the nearest cache, a few steps of the reduction
// at a time for all rows (Goto, van de Geijn: TOMS 2008).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/lane_panels.h"
#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// Which loop of a product is what.
struct ProductAxes {
  std::vector<int> outside;  ///< from outside: what the lanes' operand depends on as well
  int column = -1;           ///< the innermost of these of which a tile takes several, or -1
  int lane = -1;
  std::vector<int> inside;                ///< from outside
  int row = -1;                           ///< innermost, of which a tile takes several, or -1
  std::vector<int> reduce;                ///< from outside
  std::optional<LanePanels> panels = {};  ///< that are made in each run
};

/// `inner`: what the loops of space hold (product_nest.h). Extents: of all variables, also new ones.
std::vector<Statement> tiles_of(LoopProgram& program, std::vector<Statement> inner, const ProductAxes& axes,
                                std::vector<int64_t>& extents, const ScheduleOptions& options);

}  // namespace isomer::codegen
