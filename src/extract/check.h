// The independent judge of selections. It shares no code with the extractors.
#pragma once

#include <string>

#include "extract/problem.h"

namespace isomer::extract {

struct Verdict {
  bool valid = false;
  std::string fault;     ///< what is wrong, if anything
  double dag_cost = 0;   ///< over the classes reachable from the roots, each once
  double tree_cost = 0;  ///< over all paths; may overflow to infinity
  size_t classes = 0;    ///< reachable from the roots
};

/// Complete (roots and children of picked nodes picked), of the right classes, acyclic; and what it costs.
/// Picks that no root reaches are ignored.
Verdict check(const Problem& problem, const Selection& selection);

}  // namespace isomer::extract
