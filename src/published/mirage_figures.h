// The muGraphs that Mirage's papers draw or describe, stated by hand: what a search must find, what the
// verifier must accept, and what the cost model is held to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mugraph/mugraph.h"
#include "mugraph/programs.h"

namespace isomer::published::mirage {

using mugraph::Extents, mugraph::MuGraph;

struct Figure {
  std::string name;  ///< "figure 4c"
  std::string doc;
  std::string program;  ///< that it computes
  Extents extents;      ///< at these sizes
  MuGraph graph;
  bool searched = true;  ///< of a form that the search looks at
};

const std::vector<Figure>& figures();
/// There must be one of that name.
const Figure& figure(std::string_view name);

}  // namespace isomer::published::mirage
