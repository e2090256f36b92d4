// Serialized e-graphs as the extraction gym has them: one JSON object with
//   nodes          object: e-node id -> { op, children (ids of e-nodes, each standing for its class), eclass,
//                  cost (1 if left out) }
//                  and, where a member is asked for by name, its number: another kind of cost, 0 if left out
//   root_eclasses  array of class ids; ids that no node names are stale and dropped (lean-egg has them)
// Other members are ignored. Self-loops and cycles are legal, as are classes that no root reaches.
// That is egraph-serialize's format as well. An e-graph of ours says more, in members that others pass over:
//   program        text: which program it was grown from
//   class_data     object: class id -> { type, values }, as egraph-serialize has it; values, text: those of
//   the
//                  program that the class holds
//   nodes' operator  text: the operator with its attributes
//   nodes' value     number: the program's value whose operator and attributes these are
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "extract/problem.h"

namespace isomer::extract {

struct SerializedEGraph {
  Problem problem;                       ///< nodes in the file's order, classes in order of first mention
  std::vector<std::string> class_names;  ///< by ClassId
  std::vector<std::string> node_names;   ///< by NodeId
  std::vector<std::string> ops;          ///< by NodeId
  std::vector<std::string> stale_roots;
  std::vector<double> use;  ///< by NodeId: the member that was asked for; empty if none was
  // What an e-graph of ours says; empty of others.
  std::string program;
  std::vector<std::string> types;          ///< by ClassId
  std::vector<std::vector<int64_t>> held;  ///< by ClassId: values of the program
  std::vector<std::string> operators;      ///< by NodeId
  std::vector<int64_t> values;             ///< by NodeId; -1: no value's
};

/// Throws InputError: no JSON, a member of the wrong type, a node id twice, a child that is no node, a cost
/// that is no finite number, no root left. `resource`: a member of nodes to be read into `use`; numbers >= 0.
SerializedEGraph parse_egraph_json(std::string_view text, const std::string& file = "",
                                   const std::string& resource = "");
SerializedEGraph read_egraph_json(const std::string& path, const std::string& resource = "");

/// The same format; reading it back gives an equal problem.
std::string write_egraph_json(const SerializedEGraph& egraph);

/// Of the file's classes by what write_selection_json writes. Throws InputError where that is no selection of
/// this e-graph.
Selection parse_selection_json(const SerializedEGraph& egraph, std::string_view text,
                               const std::string& file = "");

/// A JSON object: class id -> e-node id, for the picked classes.
std::string write_selection_json(const SerializedEGraph& egraph, const Selection& selection);

}  // namespace isomer::extract
