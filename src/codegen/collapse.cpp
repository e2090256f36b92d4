#include "codegen/collapse.h"

#include <utility>

#include "codegen/make_loops.h"

namespace isomer::codegen {

using ir::IndexExpr;

std::vector<IndexExpr> digits(const IndexExpr& number, std::span<const Loop* const> loops) {
  std::vector<ir::Size> sizes;
  for (const Loop* l : loops) sizes.emplace_back(l->end.value());
  return ir::delinearize(number, sizes);
}

namespace {

/// What stands for each of the loops' variables.
auto by_digits(std::span<const Loop* const> loops, std::vector<IndexExpr> of) {
  return [loops, of = std::move(of)](int v) {
    for (size_t i = 0; i < loops.size(); ++i)
      if (loops[i]->variable == v) return of[i];
    return IndexExpr::var(v);
  };
}

}  // namespace

void put_digits(Store& store, std::span<const Loop* const> loops, const IndexExpr& number) {
  const auto digit = by_digits(loops, digits(number, loops));
  for_each_index_of_store(store, [&](IndexExpr& i) { i = substituted(i, digit); });
}

Loop collapsed(LoopProgram& program, std::span<const Loop* const> loops, std::vector<int64_t>& extents) {
  if (loops.size() == 1) return *loops[0];
  int64_t all = 1;
  std::string name;
  for (const Loop* l : loops) {
    all *= l->end.value();
    name += program.variables[static_cast<size_t>(l->variable)];
  }
  const int variable = add_variable(program, name);
  extents.resize(program.variables.size(), 0);
  extents.back() = all;
  std::vector<Statement> body = loops.back()->body;
  substitute(body, by_digits(loops, digits(IndexExpr::var(variable), loops)));
  return make_loop(variable, 0, all, LoopKind::kSerial, std::move(body));
}

}  // namespace isomer::codegen
