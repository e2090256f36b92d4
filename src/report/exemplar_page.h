// A page of exemplars (HloEnv, figures 6 and 14 to 17): programs of which two results are side by side, the
// ordinary one and one that costs less, with the decisions that tell them apart. One file, no network; what
// is shown is assets/exemplars.js, which draws graphs as the other pages do (assets/graph.js).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/drawing.h"

namespace isomer::report {

/// One side.
struct ExemplarResult {
  double cost = 0;  ///< seconds
  size_t instructions = 0;
  /// What the other side has not is alone; what it has, of operands that differ, is changed.
  Drawing graph;
  /// Step by step: what was taken, as "instruction: rule".
  std::vector<std::vector<std::string>> steps;
};

struct Exemplar {
  std::string name;
  double start_cost = 0;
  ExemplarResult ordinary, found;
  /// Of each rule that one side took more often, how often each did.
  struct Difference {
    std::string rule;
    size_t ordinary = 0, found = 0;
  };
  std::vector<Difference> differences;
};

struct ExemplarPage {
  std::string title;
  std::string note;             ///< what was done, how it was priced
  std::string ordinary, found;  ///< what the sides are called
  std::vector<Exemplar> exemplars;
};

std::string exemplars_html(const ExemplarPage& page);

}  // namespace isomer::report
