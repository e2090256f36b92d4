// A page on which an e-graph can be read: classes folded to what was chosen, search, alternatives on a click.
// One file, no network. Data is JSON within it; what is shown of it, and how, is assets/egraph.js, with D3
// and dagre (assets/vendor). Any serialized e-graph will do, whoever wrote it.
#pragma once

#include <string>
#include <vector>

#include "extract/egraph_json.h"

namespace isomer::report {

struct EGraphPage {
  std::string title;
  const extract::SerializedEGraph& egraph;
  const extract::Selection& chosen;
  std::vector<std::string> rules = {};  ///< by node: what made it; may be empty
};

std::string egraph_html(const EGraphPage& page);

}  // namespace isomer::report
