// A program in parts that are compiled and called one by one: equal ones (the layers of a network) are
// compiled once, those that read constants only (panels of weights) run once, when the program is loaded,
// whatever reads what they make, and scratch memory is shared by what does not live at one time.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

struct Part {
  /// Of its own: what it only reads is an input, what it writes an output; buffers, then variables, are
  /// numbered in the order in which they occur, so that equal parts have equal programs.
  LoopProgram program;
  std::vector<int> buffers;  ///< of the whole, for the part's buffers that are not private
  /// Where the part is one parallel loop: its bounds. Any piece of it may run at any time.
  std::optional<std::pair<int64_t, int64_t>> range;
  bool at_load = false;  ///< what it writes depends on constants only
};

struct Parts {
  std::vector<Part> parts;  ///< in order; those at load need none of the others
  /// By buffer of the whole: where its bytes begin in the workspace, or, if it is written at load, in what is
  /// kept; -1 where it is in neither.
  std::vector<int64_t> offsets;
  std::vector<bool> kept;  ///< by buffer: written at load
  int64_t workspace_bytes = 0, kept_bytes = 0;
};

Parts in_parts(const LoopProgram& program);

}  // namespace isomer::codegen
