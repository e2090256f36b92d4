#include "codegen/product_nest.h"

#include <algorithm>

#include "codegen/accesses.h"

namespace isomer::codegen {

using ir::IndexExpr;

Chain chain_of(const Loop& loop) {
  Chain out;
  for (const Loop* at = &loop; at != nullptr;) {
    out.loops.push_back(at);
    at = at->body.size() == 1 ? std::get_if<Loop>(&at->body[0].node) : nullptr;
  }
  return out;
}

bool starts_at_zero(const Loop& loop) {
  return loop.kind == LoopKind::kSerial && loop.begin.kind() == IndexExpr::Kind::kConst &&
         loop.begin.value() == 0 && loop.end.kind() == IndexExpr::Kind::kConst && loop.end.value() > 0;
}

std::vector<int> operands_of(const LoopProgram& program, const Store& store) {
  std::vector<int> out;
  for (const int r : reads_of(store)) {
    const Access& a = store.reads[static_cast<size_t>(r)];
    if (program.buffers[static_cast<size_t>(a.buffer)].memory != Memory::kPrivate && !a.index.empty())
      out.push_back(r);
  }
  return out;
}

std::vector<const Loop*> reductions_of(const LoopProgram& program, const std::vector<Statement>& body,
                                       int operands) {
  const Loop* loop = only_loop(body);
  const Store* store = loop != nullptr ? only_store(*loop) : nullptr;
  if (store == nullptr || !store->combine) return {};
  const std::vector<const Loop*> loops = chain_of(*loop).loops;
  int along = 0;  // operands that change over the reduction
  for (const int r : operands_of(program, *store))
    along += static_cast<int>(std::ranges::any_of(
        loops, [&](const Loop* l) { return mentions(store->reads[static_cast<size_t>(r)], l->variable); }));
  return along >= operands && std::ranges::all_of(loops, [](const Loop* l) { return starts_at_zero(*l); })
             ? loops
             : std::vector<const Loop*>();
}

bool combines(const LoopProgram& program, const Loop& loop, int operands) {
  const Chain chain = chain_of(loop);
  return std::ranges::all_of(chain.loops, [](const Loop* l) { return starts_at_zero(*l); }) &&
         !reductions_of(program, chain.inner(), operands).empty();
}

bool slides(const LoopProgram& program, const Loop& loop) {
  if (!combines(program, loop, 1)) return false;
  const Chain chain = chain_of(loop);
  const std::vector<const Loop*> reduce = reductions_of(program, chain.inner(), 1);
  const Store& store = *only_store(*only_loop(chain.inner()));
  const auto any = [](const std::vector<const Loop*>& loops, const IndexExpr& i) {
    return std::ranges::any_of(loops, [&](const Loop* l) { return mentions(i, l->variable); });
  };
  return std::ranges::any_of(operands_of(program, store), [&](int r) {
    return std::ranges::any_of(store.reads[static_cast<size_t>(r)].index,
                               [&](const IndexExpr& i) { return any(chain.loops, i) && any(reduce, i); });
  });
}

bool is_product(const LoopProgram& program, const Loop& loop) { return combines(program, loop, 2); }

void stores_around(const std::vector<Statement>& body, std::vector<Store>& before,
                   std::vector<Store>& after) {
  bool reduced = false;
  for (const Statement& s : body) {
    if (const auto* store = std::get_if<Store>(&s.node))
      (reduced ? after : before).push_back(*store);
    else
      reduced = true;
  }
}

bool chosen_by(const LoopProgram& program, const Access& weights, const Access& other, size_t dimension) {
  for (size_t v = 0; v < program.variables.size(); ++v)
    if (mentions(other.index[dimension], static_cast<int>(v)) && mentions(weights, static_cast<int>(v)))
      return true;
  return false;
}

}  // namespace isomer::codegen
