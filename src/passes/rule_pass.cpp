#include "passes/rule_pass.h"

namespace isomer::passes {

RulePass::RulePass(std::string_view name, std::span<const std::span<const Rule>> rules) : name_(name) {
  for (const auto list : rules)
    for (const Rule& rule : list) by_opcode_[static_cast<size_t>(rule.opcode)].push_back(&rule);
}

void RulePass::propose(AlternativeGraph& graph) const {
  for (uint32_t i = 0; i < graph.originals(); ++i) {
    const InstructionId at(i);
    const auto& rules = by_opcode_[static_cast<size_t>(graph.module()[at].opcode)];
    if (rules.empty()) continue;
    const Site site(graph, at);
    if (!may_be_replaced(graph.module(), at) || !site.has_static_shapes()) continue;
    for (const Rule* rule : rules)
      if (const InstructionId value = rule->rewrite(site); value.valid())
        graph.propose(at, value, rule->name);
  }
}

bool may_be_replaced(const Module& module, InstructionId id) {
  return !module.find(id, AttributeName::kSharding) && !module.find(id, AttributeName::kControlPredecessors);
}

}  // namespace isomer::passes
