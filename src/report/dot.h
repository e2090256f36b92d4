// A graph as Graphviz text: operators as boxes, inputs and constants as rounded leaves, types on the edges.
#pragma once

#include <string>

#include "ir/graph.h"

namespace isomer::report {

std::string to_dot(const ir::Graph& graph);

}  // namespace isomer::report
