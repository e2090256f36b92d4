// What transforms make loops, variables and buffers with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

Loop make_loop(int variable, const ir::IndexExpr& begin, const ir::IndexExpr& end, LoopKind kind,
               std::vector<Statement> body);
/// A body of that alone.
std::vector<Statement> one(Statement s);

/// Their numbers.
int add_variable(LoopProgram& program, std::string name);
int add_private(LoopProgram& program, const std::string& name, ir::DType dtype, std::vector<int64_t> sizes);

}  // namespace isomer::codegen
