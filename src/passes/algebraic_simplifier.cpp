#include "passes/algebraic_simplifier.h"

#include <array>

namespace isomer::passes {
namespace {

/// What a new instruction would not carry on is not replaced.
bool is_free(const Module& module, InstructionId id) {
  return !module.find(id, AttributeName::kSharding) && !module.find(id, AttributeName::kControlPredecessors);
}

class AlgebraicSimplifier : public Pass {
 public:
  AlgebraicSimplifier() {
    for (const auto rules : {algebra_of_sums(), algebra_of_products(), algebra_of_functions(),
                             algebra_of_logic(), algebra_of_broadcasts(), algebra_of_shapes(),
                             algebra_of_parts(), algebra_of_reductions(), algebra_of_contractions()})
      for (const Rule& rule : rules) by_opcode_[static_cast<size_t>(rule.opcode)].push_back(&rule);
  }

  std::string_view name() const override { return "algsimp"; }

  void propose(AlternativeGraph& graph) const override {
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId at(i);
      const auto& rules = by_opcode_[static_cast<size_t>(graph.module()[at].opcode)];
      if (rules.empty()) continue;
      const Site site(graph, at);
      if (!is_free(graph.module(), at) || !site.has_static_shapes()) continue;
      for (const Rule* rule : rules)
        if (const InstructionId value = rule->rewrite(site); value.valid()) {
          graph.propose(at, value, rule->name);
        }
    }
  }

 private:
  std::array<std::vector<const Rule*>, hlo::kOpcodeCount> by_opcode_;
};

}  // namespace

std::shared_ptr<const Pass> algebraic_simplifier() {
  static const auto kPass = std::make_shared<const AlgebraicSimplifier>();
  return kPass;
}

}  // namespace isomer::passes
