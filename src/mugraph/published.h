// The muGraphs that Mirage's papers draw or describe, stated by hand: what a search must find, what the
// verifier must accept, and what the cost model is held to.
#pragma once

#include <string>
#include <vector>

#include "mugraph/mugraph.h"
#include "mugraph/programs.h"

namespace isomer::mugraph {

struct Published {
  std::string name;  ///< "figure 4c"
  std::string doc;
  std::string program;  ///< that it computes
  Extents extents;      ///< at these sizes
  MuGraph graph;
  bool searched = true;  ///< of a form that the search looks at
};

const std::vector<Published>& published();

}  // namespace isomer::mugraph
