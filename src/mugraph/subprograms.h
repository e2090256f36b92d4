// Programs for a search out of any graph: pieces of its LAX parts (lax.h) that operators of muGraphs can
// state, each with one output.
//
// A piece is a largest cone without fanout and with one exponential on a path at most: an operator and
// whatever only it needs; of a softmax's arguments no elementwise operators before the first product. It ends
// at operators that the search has no equal of (what regroups dimensions, transposes), with the reason; norms
// with parameters are pieces of a graph that has their definitions (restate.h). Its dimensions are named by
// what loop nests read at one variable; leading dimensions of 1 that all its tensors have are dropped, ranks
// are made equal by dimensions of 1, and constants are inputs. A softmax is stated without its maximum, which
// cancels, or with it: in floats exp overflows where nothing is subtracted.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "mugraph/programs.h"
#include "mugraph/set_aside.h"

namespace isomer::mugraph {

/// Where a graph has the program.
struct SubprogramPlace {
  std::vector<ir::ValueId> nodes;  ///< of the graph, in order
  std::vector<ir::ValueId> inputs;
  ir::ValueId output;
};

struct Subprogram {
  Program program;
  size_t part = 0;                      ///< of the LAX partition: of the first place
  std::vector<SubprogramPlace> places;  ///< at least one
  std::optional<SetAside> aside;        ///< what need not be searched
};

/// What a program may know of the order of numbers.
enum class Maxima : uint8_t {
  kWithout,  ///< nothing, as LAX: softmax is stated without its maximum, and a piece ends at ReLU
  kWith,     ///< softmax with its maximum, for which the search has running ones, and ReLU
};

struct Subprograms {
  std::vector<Subprogram> found;        ///< in the order of the graph, with at least two operators each
  std::map<std::string, size_t> ended;  ///< operators at which pieces end, or that are none, by the reason
};

/// Shares of a sum along an axis.
bool is_softmax(const ir::OpDef& def);

/// `name` is what the programs are of: a file.
Subprograms subprograms_of(const ir::Graph& graph, const std::string& name, Maxima maxima = Maxima::kWithout);

/// A listing: number, operators, inputs with their dimensions, sizes; then where pieces end, and why.
std::string print(const Subprograms& subprograms);

}  // namespace isomer::mugraph
