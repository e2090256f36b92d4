// Programs for a search out of any graph: pieces of its LAX parts (lax.h) that operators of muGraphs can
// state, each with one output.
//
// A piece is a largest cone without fanout: an operator and whatever only it needs. It ends at operators that
// the search has no equal of (what regroups dimensions, means with parameters, transposes), with the reason.
// Its dimensions are named by what loop nests read at one variable; leading dimensions of 1 that all its
// tensors have are dropped, ranks are made equal by dimensions of 1, and constants are inputs. A softmax is
// stated without its maximum, which cancels.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "mugraph/programs.h"

namespace isomer::mugraph {

struct Subprogram {
  Program program;
  size_t part = 0;                 ///< of the LAX partition
  ir::ValueId output;              ///< of the graph
  std::vector<ir::ValueId> nodes;  ///< of the graph, in order; those of the first such piece
  std::vector<ir::ValueId> inputs;
  size_t times = 1;  ///< pieces of the graph that are this program
};

struct Subprograms {
  std::vector<Subprogram> found;        ///< in the order of the graph, with at least two operators each
  std::map<std::string, size_t> ended;  ///< operators at which pieces end, or that are none, by the reason
};

/// `name` is what the programs are of: a file.
Subprograms subprograms_of(const ir::Graph& graph, const std::string& name);

/// A listing: number, operators, inputs with their dimensions, sizes; then where pieces end, and why.
std::string print(const Subprograms& subprograms);

}  // namespace isomer::mugraph
