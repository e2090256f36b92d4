#include "codegen/make_loops.h"

#include <utility>

namespace isomer::codegen {

Loop make_loop(int variable, const ir::IndexExpr& begin, const ir::IndexExpr& end, LoopKind kind,
               std::vector<Statement> body) {
  Loop out;
  out.variable = variable;
  out.begin = begin;
  out.end = end;
  out.kind = kind;
  out.body = std::move(body);
  return out;
}

std::vector<Statement> one(Statement s) {
  std::vector<Statement> out;
  out.push_back(std::move(s));
  return out;
}

Statement loops_around(std::span<const std::pair<int, int64_t>> loops, LoopKind kind, Statement inner) {
  for (size_t i = loops.size(); i-- > 0;)
    inner = {make_loop(loops[i].first, 0, loops[i].second, kind, one(std::move(inner)))};
  return inner;
}

Access access_of(int buffer, std::vector<ir::IndexExpr> index) {
  Access out;
  out.buffer = buffer;
  out.index = std::move(index);
  return out;
}

int add_variable(LoopProgram& program, std::string name) {
  program.variables.push_back(std::move(name));
  return static_cast<int>(program.variables.size()) - 1;
}

int add_private(LoopProgram& program, const std::string& name, ir::DType dtype, std::vector<int64_t> sizes) {
  Buffer b;
  b.name = name + std::to_string(program.buffers.size());
  b.dtype = dtype;
  b.sizes = std::move(sizes);
  b.memory = Memory::kPrivate;
  program.buffers.push_back(std::move(b));
  return static_cast<int>(program.buffers.size()) - 1;
}

}  // namespace isomer::codegen
