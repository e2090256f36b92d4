#include "codegen/make_loops.h"

#include <algorithm>
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

Statement at_all_elements(LoopProgram& program, const Store& store, std::vector<int64_t>& extents) {
  const std::vector<int64_t> sizes = program.buffers[static_cast<size_t>(store.target.buffer)].sizes;
  const size_t outer = std::min<size_t>(2, sizes.size() - 1);
  std::vector<std::pair<int, int64_t>> loops;
  const auto loop = [&](const char* name, int64_t count) {
    loops.emplace_back(add_variable(program, name), count);
    extents.push_back(count);
    return ir::IndexExpr::var(loops.back().first);
  };
  Store each = store;
  each.target.index.clear();
  for (size_t d = 0; d < outer; ++d) each.target.index.push_back(loop("p", sizes[d]));
  int64_t step = 1;
  for (size_t d = outer; d < sizes.size(); ++d) step *= sizes[d];
  const ir::IndexExpr all = loop("s", step);
  for (size_t d = outer; d < sizes.size(); ++d) {
    step /= sizes[d];
    const ir::IndexExpr digit = step > 1 ? all.floor_div(step) : all;
    each.target.index.push_back(d > outer ? digit.mod(sizes[d]) : digit);
  }
  return loops_around(loops, LoopKind::kSerial, {std::move(each)});
}

}  // namespace isomer::codegen
