// What a product looks like as loops: loops of space around each other, one in the next, and innermost,
// besides stores, loops that combine one value.
#pragma once

#include <type_traits>
#include <variant>
#include <vector>

#include "codegen/loop_program.h"

namespace isomer::codegen {

/// Loops around each other, from outside, and what is innermost.
struct Chain {
  std::vector<const Loop*> loops;
  const std::vector<Statement>& inner() const { return loops.back()->body; }
};
Chain chain_of(const Loop& loop);

/// Serial, from 0 up to a number.
bool starts_at_zero(const Loop& loop);

/// Reads of memory, not of what an iteration has for itself.
std::vector<int> operands_of(const LoopProgram& program, const Store& store);

/// The only loop among statements.
template <class Statements>
auto* only_loop(Statements& body) {
  using LoopOf = std::conditional_t<std::is_const_v<Statements>, const Loop, Loop>;
  LoopOf* out = nullptr;
  for (auto& s : body)
    if (auto* loop = std::get_if<Loop>(&s.node)) {
      if (out != nullptr) return static_cast<LoopOf*>(nullptr);
      out = loop;
    }
  return out;
}
/// What the loop's loops hold, if that is one store.
template <class L>
auto* only_store(L& loop) {
  auto* at = &loop;
  while (at->body.size() == 1 && std::holds_alternative<Loop>(at->body[0].node))
    at = &std::get<Loop>(at->body[0].node);
  return at->body.size() == 1 ? std::get_if<Store>(&at->body[0].node) : nullptr;
}

/// Of the innermost body of a nest that combines one value over its loops, of at least so many operands,
/// those loops; else none.
std::vector<const Loop*> reductions_of(const LoopProgram& program, const std::vector<Statement>& body,
                                       int operands);

/// The stores before and after the only loop of the body.
void stores_around(const std::vector<Statement>& body, std::vector<Store>& before, std::vector<Store>& after);

/// Whether the loop is one around a nest that combines one value, of at least so many operands that change
/// over the reduction.
bool combines(const LoopProgram& program, const Loop& loop, int operands);
/// Whether what it combines of some operand are windows that overlap or lie side by side (pooling,
/// convolutions).
bool slides(const LoopProgram& program, const Loop& loop);
/// Of two operands or more.
bool is_product(const LoopProgram& program, const Loop& loop);
/// Whether weights are chosen by the dimension's index of what they multiply, or make.
bool chosen_by(const LoopProgram& program, const Access& weights, const Access& other, size_t dimension);

}  // namespace isomer::codegen
