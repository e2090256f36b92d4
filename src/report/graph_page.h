// A page on which one program can be read: its graph to move over and to search. One file, no network; what
// is shown is assets/graph_page.js, which draws graphs as the other pages do (assets/graph.js).
#pragma once

#include <string>

#include "ir/graph.h"

namespace isomer::report {

struct GraphPage {
  std::string title;
  std::string note;  ///< what it is, in a sentence
  const ir::Graph& graph;
  size_t most_drawn = 20'000;  ///< boxes: more are a UsageError
};

std::string graph_html(const GraphPage& page);

}  // namespace isomer::report
