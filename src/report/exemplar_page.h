// A page of exemplars (HloEnv, figures 14 to 17): programs on which a search came to less than the ordinary
// pass, both results side by side, with the decisions that tell them apart. One file, no network; what is
// shown is assets/exemplars.js, which draws graphs as the other pages do (assets/graph.js).
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
  Drawing graph;  ///< told apart from the other side
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
  std::string note;  ///< what was searched, how it was priced
  std::vector<Exemplar> exemplars;
};

std::string exemplars_html(const ExemplarPage& page);

}  // namespace isomer::report
