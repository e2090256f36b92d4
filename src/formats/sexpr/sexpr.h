// Programs in TENSAT's language, in its three text forms:
//   .model   four lines a node (number, operator, inputs, parameters), as TENSAT's model files are
//   .dag     one hash-consed node a line: `op child child ...`, children are 0-based line numbers
//   terms    (relu (matmul 0 (input x@64_1024) (weight w@1024_1024)))
// All are read into ir::Graph over the operators of docs/operators.md (family TASO), f32, one output. The
// language is that of TENSAT (Yang et al., MLSys 2021); its split has no position, ours has one, written as a
// third child.
#pragma once

#include <string>
#include <string_view>

#include "ir/graph.h"

namespace isomer::formats {

/// Each throws InputError with file and line (terms: column too) and what was expected.
ir::Graph read_model(ir::Context& ctx, std::string_view text, const std::string& file);
ir::Graph read_dag(ir::Context& ctx, std::string_view text, const std::string& file);
ir::Graph read_term(ir::Context& ctx, std::string_view text, const std::string& file);
/// By the file's extension: .model, .dag, anything else is a term.
ir::Graph read_sexpr_file(ir::Context& ctx, const std::string& path);

/// The graph as a .dag text, or as one term (shared values are written once for each use). Throws InputError
/// when the graph has an operator or a type that the language has no word for, or several outputs.
std::string write_dag(const ir::Graph& graph);
std::string write_term(const ir::Graph& graph);

}  // namespace isomer::formats
