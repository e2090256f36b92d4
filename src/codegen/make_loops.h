// What transforms make loops, variables and buffers with.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

Loop make_loop(int variable, const ir::IndexExpr& begin, const ir::IndexExpr& end, LoopKind kind,
               std::vector<Statement> body);
/// A body of that alone.
std::vector<Statement> one(Statement s);

/// Loops from 0 around the statement, from outside: variables and ends.
Statement loops_around(std::span<const std::pair<int, int64_t>> loops, LoopKind kind, Statement inner);
/// The store at all elements of its target, those of all dimensions from the third on (rows and columns of an
/// image) in one loop. `extents`: of all variables, gets those of the loops.
Statement at_all_elements(LoopProgram& program, const Store& store, std::vector<int64_t>& extents);
/// An element.
Access access_of(int buffer, std::vector<ir::IndexExpr> index);

/// Their numbers.
int add_variable(LoopProgram& program, std::string name);
int add_private(LoopProgram& program, const std::string& name, ir::DType dtype, std::vector<int64_t> sizes);

}  // namespace isomer::codegen
