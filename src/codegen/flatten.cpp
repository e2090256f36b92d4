#include "codegen/flatten.h"

#include "codegen/accesses.h"

namespace isomer::codegen {

using ir::IndexExpr;

std::vector<IndexExpr> digits(const IndexExpr& number, std::span<const Loop* const> loops) {
  std::vector<ir::Size> sizes;
  for (const Loop* l : loops) sizes.emplace_back(l->end.value());
  return ir::delinearize(number, sizes);
}

Loop flattened(LoopProgram& program, std::span<const Loop* const> loops, std::vector<int64_t>& extents) {
  if (loops.size() == 1) return *loops[0];
  int64_t all = 1;
  std::string name;
  for (const Loop* l : loops) {
    all *= l->end.value();
    name += program.variables[static_cast<size_t>(l->variable)];
  }
  const auto variable = static_cast<int>(program.variables.size());
  program.variables.push_back(name);
  extents.resize(program.variables.size(), 0);
  extents.back() = all;
  const std::vector<IndexExpr> of = digits(IndexExpr::var(variable), loops);
  Loop out;
  out.variable = variable;
  out.end = all;
  out.body = loops.back()->body;
  substitute(out.body, [&](int v) {
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i]->variable == v) return of[i];
    return IndexExpr::var(v);
  });
  return out;
}

}  // namespace isomer::codegen
