#include "passes/algebraic_simplifier.h"

#include "passes/rule_pass.h"

namespace isomer::passes {

std::shared_ptr<const Pass> algebraic_simplifier() {
  static const std::span<const Rule> kAlgebraicSimplifierRules[] = {
      algebra_of_sums(),  algebra_of_products(),   algebra_of_functions(),
      algebra_of_logic(), algebra_of_broadcasts(), algebra_of_shapes(),
      algebra_of_parts(), algebra_of_reductions(), algebra_of_contractions()};
  static const auto kPass = std::make_shared<const RulePass>("algsimp", kAlgebraicSimplifierRules);
  return kPass;
}

}  // namespace isomer::passes
