#include "passes/groups.h"

#include <algorithm>
#include <unordered_set>

namespace isomer::passes {

bool needs(const Module& module, InstructionId id, InstructionId other) {
  std::vector<InstructionId> open = {id};
  std::unordered_set<uint32_t> seen = {id.v};
  // Operands stand before their users: what stands before `other` does not lead to it.
  const auto look = [&](InstructionId next) {
    if (next.v >= other.v && seen.insert(next.v).second) open.push_back(next);
  };
  while (!open.empty()) {
    const InstructionId at = open.back();
    open.pop_back();
    if (at == other) return true;
    for (const InstructionId operand : module.operands(at)) look(operand);
    for (const int64_t before : module.list(at, AttributeName::kControlPredecessors))
      look(InstructionId(static_cast<uint32_t>(before)));
  }
  return false;
}

std::vector<std::vector<InstructionId>> groups(
    const Module& module, std::span<const InstructionId> candidates,
    const std::function<bool(InstructionId first, InstructionId other)>& alike) {
  std::vector<std::vector<InstructionId>> out;
  for (const InstructionId one : candidates) {
    const auto at = std::ranges::find_if(out, [&](const auto& group) {
      return alike(group[0], one) &&
             std::ranges::none_of(group, [&](InstructionId member) { return needs(module, one, member); });
    });
    if (at == out.end())
      out.push_back({one});
    else
      at->push_back(one);
  }
  std::erase_if(out, [](const auto& group) { return group.size() < 2; });
  return out;
}

}  // namespace isomer::passes
