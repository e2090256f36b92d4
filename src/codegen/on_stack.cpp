#include "codegen/on_stack.h"

#include <algorithm>
#include <set>
#include <vector>

#include "codegen/accesses.h"

namespace isomer::codegen {
namespace {

/// Parallel loops within another one run in order anyway.
void run_in_order(std::vector<Statement>& body) {
  for (Statement& s : body)
    if (auto* loop = std::get_if<Loop>(&s.node)) {
      if (loop->kind == LoopKind::kParallel) loop->kind = LoopKind::kSerial;
      run_in_order(loop->body);
    }
}

/// Where iterations of the loop run at once, each has its own.
void to_memory(LoopProgram& program, Loop& loop, int number) {
  Buffer& buffer = program.buffers[static_cast<size_t>(number)];
  buffer.memory = Memory::kScratch;
  run_in_order(loop.body);
  if (loop.kind != LoopKind::kParallel) return;
  buffer.sizes.insert(buffer.sizes.begin(), loop.end.value());
  for_each_store(loop.body, [&](Store& store) {
    const auto move = [&](Access& a) {
      if (a.buffer == number) a.index.insert(a.index.begin(), ir::IndexExpr::var(loop.variable));
    };
    const std::vector<int> named = reads_of(store);
    move(store.target);
    for (const int r : named) move(store.reads[static_cast<size_t>(r)]);
  });
}

}  // namespace

LoopProgram within_stack(LoopProgram program, int64_t most) {
  const auto bytes_of = [&](int b) {
    const Buffer& buffer = program.buffers[static_cast<size_t>(b)];
    return ir::byte_size(buffer.dtype, buffer.count());
  };
  const std::set<int> shared = touched_by_several(program.body);
  for (Statement& s : program.body) {
    auto* loop = std::get_if<Loop>(&s.node);
    if (loop == nullptr || loop->end.kind() != ir::IndexExpr::Kind::kConst) continue;
    std::vector<int> own;
    int64_t bytes = 0;
    for (const auto& [b, uses] : uses_of(s))
      if (program.buffers[static_cast<size_t>(b)].memory == Memory::kPrivate) {
        bytes += bytes_of(b);
        if (!shared.contains(b)) own.push_back(b);
      }
    std::ranges::stable_sort(own, std::ranges::greater(), bytes_of);
    for (size_t i = 0; i < own.size() && bytes > most; ++i) {
      bytes -= bytes_of(own[i]);
      to_memory(program, *loop, own[i]);
    }
  }
  return program;
}

}  // namespace isomer::codegen
