// A pass that is a list of rewrite rules: each instruction is looked at by the rules of its opcode, in the
// order in which they are stated.
#pragma once

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "passes/pass.h"
#include "passes/rule.h"

namespace isomer::passes {

class RulePass : public Pass {
 public:
  RulePass(std::string_view name, std::span<const std::span<const Rule>> rules);
  RulePass(std::string_view name, std::span<const Rule> rules) : RulePass(name, std::span(&rules, 1)) {}

  std::string_view name() const override { return name_; }
  void propose(AlternativeGraph& graph) const override;

 private:
  std::string_view name_;
  std::array<std::vector<const Rule*>, hlo::kOpcodeCount> by_opcode_;
};

/// No sharding and no control-dependencies: what a new instruction would not carry on.
bool may_be_replaced(const Module& module, InstructionId id);

}  // namespace isomer::passes
