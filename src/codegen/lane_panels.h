// Panels of what a product's lanes read and what is given in each run: copied a few panels at a time, right
// before the tiles that read them, into memory of that iteration (packing, as of Goto, van de Geijn: TOMS
// 2008, by the column of tiles). What differs here: only whole vectors are copied, what is left over at the
// end of the lanes is read where it is; and panels are made of loops and stores like all else.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "codegen/loop_program.h"
#include "codegen/target.h"

namespace isomer::codegen {

/// A buffer [loops around, panel, steps of the reduction, lane], and where its elements come from. Once it is
/// made it is private, and without what goes through loops around.
struct LanePanels {
  int buffer = 0;
  Access source;                  ///< in terms of what follows
  std::vector<int> outside = {};  ///< variables of the loops around
  int panel = 0, lane = 0;        ///< variables
  std::vector<int> steps = {};    ///< variables, from outside
};

/// Panels of an operand, which reads there then. `space`, `reduce`: variables, from outside. Extents: of all
/// variables, also new ones.
LanePanels panels_of(LoopProgram& program, Access& operand, int lane, std::span<const int> space,
                     std::span<const int> reduce, int64_t lanes, std::vector<int64_t>& extents);

/// A copy to all panels, of which the last one is not full, as one to those that are and one to as much of
/// the last one as there is: neither asks where an element lies. `count`: of the lanes of all panels.
std::vector<Statement> whole_and_rest(LoopProgram& program, Statement copy, const ir::IndexExpr& panel,
                                      const ir::IndexExpr& lane, int64_t count,
                                      std::vector<int64_t>& extents);

/// The loop over all panels, which holds loops over rows that far in, as one over groups of `each`. A group
/// is copied first; then rows go by all its panels, so that a row of the result is written as far as the
/// group goes.
Statement copied_in_groups(LoopProgram& program, Loop main, size_t rows, const LanePanels& panels,
                           int64_t each);
/// Bytes that panels which are copied at once may take. `skips`: each step is in another page at the source,
/// where what is read of one had better be long.
int64_t room_for_panels(const ScheduleOptions& options, bool skips = false);
/// How many panels a group had better have: what is copied at once stays in the second cache, and there is
/// work for several threads. `all`: panels; `around`: iterations of the loops around.
int64_t panels_at_once(const LoopProgram& program, const LanePanels& panels, int64_t all, int64_t around,
                       std::span<const int64_t> extents, const ScheduleOptions& options);
/// What is read of panels is read at its source instead.
void read_at_source(std::vector<Statement>& body, const LanePanels& panels, int64_t lanes);

}  // namespace isomer::codegen
