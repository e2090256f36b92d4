// Local search over large neighbourhoods (Shaw, 1998): a window of classes may choose anew, every other class
// keeps its pick; what is left is a small extraction problem, which preprocessing shrinks further and exact.h
// solves. Windows grow around a class in use, along children and users, used or not, so that they hold the
// alternatives of a region and what leads to them. Their size follows what can be proved in the time of one
// window.
//
// Promise: never worse than the start. The same seed gives the same windows; how many are tried is the
// deadline's.
#pragma once

#include <cstdint>

#include "extract/deadline.h"
#include "extract/problem.h"
#include "support/rng.h"

namespace isomer::extract {

struct WindowOptions {
  size_t nodes = 400;  ///< free nodes of a window at the beginning
  uint64_t most_windows = 1000;
  uint64_t patience = 60;  ///< windows in a row that bring nothing
  double bound = 0;        ///< ends when the cost is not above it
  bool has_bound = false;
};

/// `start` must be valid and should have picks for unused classes too, since those are what a window may use
/// outside.
Selection window_search(const Problem& problem, Selection start, const Deadline& deadline, Rng& rng,
                        const WindowOptions& options = {});

}  // namespace isomer::extract
