// muGraphs as graphs of the IR, and back. A search's compact form leaves out what an operator of the IR says
// (its attributes, the broadcast of an operand that is repeated); a finished muGraph is the operator `kernel`
// with a body and a schedule, which the engine prints, parses, hashes, evaluates and verifies like any other,
// and prices by its schedule (scheduled_cost.h). Both ways are exact: what comes back is what went in, but
// for the numbers of tensors.
//
// What still works on the compact form, and why: what a search asks of each of millions of states or of all
// that it found, at sizes that it tries one after the other (structural hash, equal muGraphs, check of the
// specification, plans of blocks, memory and layouts, the price itself): an IR graph is interned types and
// attributes, which would have to be made for each. The listing and Mirage's JSON say what those have found
// in the words of the papers, in which an operator has an axis and a block, but no broadcast; the engine's
// own text of a muGraph is to_graph printed.
#pragma once

#include <string>
#include <vector>

#include "ir/graph.h"
#include "ir/schedule.h"
#include "mugraph/mugraph.h"

namespace isomer::mugraph {

/// `graph` must pass check_spec, `ctx` be over the declarations of its operators. Elements are `dtype`;
/// inputs are named x0, x1, ...
ir::Graph to_graph(ir::Context& ctx, const MuGraph& graph, ir::DType dtype = ir::DType::kF32);

/// A muGraph, or why there is none, naming the node.
struct MuGraphOrError {
  MuGraph graph;
  std::string error;
  explicit operator bool() const { return error.empty(); }
};
/// A graph of kernels and of operators that may stand beside them. None of what is no muGraph: other
/// operators, attributes that a muGraph cannot say, results that check_spec refuses.
MuGraphOrError read_mugraph(const ir::Graph& graph, const MuOpTable& ops = standard_mu_ops());
/// Of one kernel, alone.
MuGraphOrError read_kernel(const ir::OpInstance& op, const MuOpTable& ops = standard_mu_ops());
/// As read_mugraph; InputError where there is none.
MuGraph to_mugraph(const ir::Graph& graph, const MuOpTable& ops = standard_mu_ops());

/// The muGraphs of a file: Mirage's JSON or, of a name that ends in .graph, the textual form of one.
/// InputError as parsers and to_mugraph have it.
std::vector<MuGraph> read_mugraphs(const std::string& path);

/// The parts of a `kernel` or, of a thread graph, `threads`. `ctx`, `dtype` as above; sizes must be known.
ir::Graph body_graph(ir::Context& ctx, const MuOpTable& ops, const BlockGraph& block, ir::DType dtype);
ir::Schedule schedule_of(const BlockGraph& block);

}  // namespace isomer::mugraph
