// An e-graph of a tensor program as a file, both ways (extract/egraph_json.h): what an extractor made
// elsewhere picks in it becomes a program again. The format is the extraction gym's and egraph-serialize's;
// that e-nodes say their operator with attributes, or the program's value that has them, so that the file is
// an e-graph and no mere extraction problem, is ours. Weights stay where they are: the file is read beside
// its program.
#pragma once

#include <string>
#include <vector>

#include "egraph/flat_problem.h"
#include "extract/egraph_json.h"
#include "rewrite/tensor_egraph.h"

namespace isomer::recipes {

/// `flat`: of `program`, with costs. What it does not have is not written.
extract::SerializedEGraph serialize(const rewrite::TensorEGraph& program, const egraph::FlatProblem& flat);

/// What a file's classes and nodes became.
struct Rebuilt {
  std::vector<egraph::ClassId> class_of;  ///< by class of the file; canonical
  std::vector<egraph::NodeId> node_of;    ///< by node of the file; live
};

/// Adds what a file says to the e-graph of the program that it was grown from. Throws InputError, with `name`
/// for the file, where it is another program's, says too little, or joins values of different types. That
/// values of one class are equal is taken from the file.
Rebuilt rebuild(rewrite::TensorEGraph& program, const extract::SerializedEGraph& file,
                const std::string& name);

}  // namespace isomer::recipes
