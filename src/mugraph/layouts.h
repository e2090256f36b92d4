// Tensor layouts: which dimension of each tensor in device memory, and of each tile that is stored in shared
// memory, has neighbours side by side.
//
// The cost is memory accesses. Neighbours that are wanted together come in one access of 16 bytes: a copy
// between a tensor and a tile where both have the same innermost dimension, an operand of a thread graph
// whose innermost dimension is the one along which the result is written (or one along which the result does
// not change: each thread then reads a run of its own). All else takes an access for each element. Which
// dimension of an operand a dimension of the result follows is derived from meanings (axes.h).
//
// Each cost is of one tensor or of two, so that the best layouts are an integer program: one binary column
// for each layout, and for each two tensors that meet one column for each two layouts, whose sums over either
// side are the layouts' columns. Mirage (OSDI 2025) states its restrictions so, its first version enumerates;
// here both are there, and agree.
#pragma once

#include <string>
#include <vector>

#include "mugraph/mugraph.h"
#include "support/limits.h"

namespace isomer::mugraph {

struct LayoutProblem {
  struct Tensor {
    std::string name;          ///< "%3", or "%3.t5": tile 5 of the kernel that makes %3
    std::vector<int> choices;  ///< innermost dimensions; never empty
  };
  /// What two tensors cost together.
  struct Meeting {
    size_t a = 0, b = 0;
    std::vector<double> accesses;  ///< by choice of a, then of b
  };
  std::vector<Tensor> tensors;
  std::vector<Meeting> meetings;
};

/// The program's inputs and outputs have their last dimension innermost.
LayoutProblem layout_problem(const MuGraph& graph, int element_bytes = 2);

enum class LayoutMethod { kIlp, kEnumerate };

struct Layouts {
  std::vector<int> inner;  ///< of each tensor of the problem
  double accesses = 0;
  bool optimal = false;
  uint64_t tried = 0;  ///< partial assignments, or branch-and-bound nodes of the ILP
  StopReason stop_reason = StopReason::kSaturated;
};

/// `limits.nodes` is about partial assignments of an enumeration. The best that was found is returned, not
/// `optimal` where a limit ended the search.
Layouts solve_layouts(const LayoutProblem& problem, LayoutMethod method, const Limits& limits = {});

/// Accesses with these innermost dimensions.
double accesses_of(const LayoutProblem& problem, const std::vector<int>& inner);

/// A listing: a line for each tensor that has a choice, and the sum.
std::string print(const Layouts& layouts, const LayoutProblem& problem);

}  // namespace isomer::mugraph
