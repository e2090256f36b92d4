// muGraphs as graphs of the IR, and back. A search's compact form leaves out what an operator of the IR says
// (its attributes, the broadcast of an operand that is repeated); a finished muGraph is the operator `kernel`
// with a body and a schedule, which the engine prints, parses, hashes, evaluates, verifies and prices like
// any other. Both ways are exact: what comes back is what went in, but for the numbers of tensors.
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

/// A graph of kernels and of operators that may stand beside them. InputError, naming the node, for what is
/// no muGraph: other operators, attributes that a muGraph cannot say, results that check_spec refuses.
MuGraph to_mugraph(const ir::Graph& graph, const MuOpTable& ops = standard_mu_ops());

/// The muGraphs of a file: Mirage's JSON or, of a name that ends in .graph, the textual form of one.
/// InputError as parsers and to_mugraph have it.
std::vector<MuGraph> read_mugraphs(const std::string& path);

/// The parts of a `kernel` or, of a thread graph, `threads`. `ctx`, `dtype` as above; sizes must be known.
ir::Graph body_graph(ir::Context& ctx, const MuOpTable& ops, const BlockGraph& block, ir::DType dtype);
ir::Schedule schedule_of(const BlockGraph& block);

}  // namespace isomer::mugraph
