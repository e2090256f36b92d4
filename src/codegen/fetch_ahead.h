// What tiles of a product will read after what they read at present is fetched to the caches meanwhile. A
// panel of weights comes from memory when the first tile of rows reads it, and near when the others do; so
// each tile fetches its share of the next panel, and memory is read at the pace of the arithmetic. Fetching
// by instructions is Mowry's, Lam's and Gupta's (ASPLOS 1992), who fetch what the same loop reads some
// iterations later; here it is what the loop around it reads next, spread over all that runs before. It
// changes no value, so it is no part of a loop program: it is found in one that is about to become machine
// code.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// From that element of a buffer on, which need not be there.
struct Fetch {
  int buffer = 0;
  ir::IndexExpr at = 0;  ///< of the variables of the loops around
  int64_t elements = 0;
};

/// At the beginning of each iteration of these loops.
std::map<const Loop*, std::vector<Fetch>> fetched_ahead(const LoopProgram& program);

}  // namespace isomer::codegen
