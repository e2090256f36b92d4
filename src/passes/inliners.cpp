// What a call computes, written into its caller: XLA's CallInliner; and what a fusion computes, written
// beside it: XLA's Defuser. XLA inlines every call that does not say otherwise, ours only what can be written
// twice (copies.h): with the original beside it both may be wanted. Effects are left where they are.
#include <algorithm>

#include "passes/copies.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

bool says_not_to(const Site& s) {
  const auto words = s.m.find(s.at, AttributeName::kFrontendAttributes);
  if (!words) return false;
  for (size_t i = 0; i < words->size(); i += 3)
    if (s.m.text(hlo::TextId(static_cast<uint32_t>((*words)[i]))) == "inlineable") return true;
  return false;
}

InstructionId inlined(const Site& s, AttributeName callee) {
  const auto computation = ComputationId(static_cast<uint32_t>(s.number(s.at, callee)));
  if (says_not_to(s) || !is_static(s.m, s.m.shape(s.at)) || !may_be_copied(s.graph, computation)) return {};
  const auto operands = s.m.operands(s.at);
  const std::vector<InstructionId> arguments(operands.begin(), operands.end());
  return written_out(s.w, computation, arguments);
}

InstructionId called(const Site& s) { return inlined(s, AttributeName::kToApply); }

InstructionId fused(const Site& s) {
  // A custom fusion is what its backend makes of it.
  if (s.number(s.at, AttributeName::kKind) == static_cast<int64_t>(hlo::FusionKind::kCustom)) return {};
  if (s.m.find(s.at, AttributeName::kOutputToOperandAliasing)) return {};
  return inlined(s, AttributeName::kCalls);
}

constexpr Rule kCalls[] = {{Opcode::kCall, "call-is-its-body", called}};
constexpr Rule kFusions[] = {{Opcode::kFusion, "fusion-is-its-body", fused}};

}  // namespace

std::shared_ptr<const Pass> call_inliner() {
  static const auto kPass = std::make_shared<const RulePass>("call-inliner", kCalls);
  return kPass;
}

std::shared_ptr<const Pass> defuser() {
  static const auto kPass = std::make_shared<const RulePass>("defuser", kFusions);
  return kPass;
}

}  // namespace isomer::passes
