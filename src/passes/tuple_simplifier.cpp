// XLA's TupleSimplifier: a part of a tuple that is put together here is what was put in; a tuple of all parts
// of one tuple, in their order, is that tuple. Each is an alternative, not a replacement: what another pass
// wants to see as a tuple stays one.
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

using enum Opcode;

bool same_but_for_layout(const Site& s, InstructionId a, InstructionId b) {
  return s.m.shapes[s.m.shape(a)].plain == s.m.shapes[s.m.shape(b)].plain;
}

InstructionId put_in(const Site& s) {
  const InstructionId a = s.in(0);
  if (!s.is(a, kTuple)) return {};
  const InstructionId part = s.in(a, static_cast<size_t>(s.number(s.at, AttributeName::kIndex)));
  return same_but_for_layout(s, part, s.at) ? part : InstructionId{};
}

InstructionId taken_apart(const Site& s) {
  if (s.arity(s.at) == 0 || !s.is(s.in(0), kGetTupleElement)) return {};
  const InstructionId whole = s.in(s.in(0), 0);
  for (size_t i = 0; i < s.arity(s.at); ++i) {
    const InstructionId part = s.in(i);
    if (!s.is(part, kGetTupleElement) || s.in(part, 0) != whole) return {};
    if (s.number(part, AttributeName::kIndex) != static_cast<int64_t>(i)) return {};
  }
  return same_but_for_layout(s, whole, s.at) ? whole : InstructionId{};
}

constexpr Rule kTupleSimplifierRules[] = {
    {kGetTupleElement, "part-was-put-in", put_in},
    {kTuple, "tuple-of-all-parts", taken_apart},
};

}  // namespace

std::shared_ptr<const Pass> tuple_simplifier() {
  static const auto kPass = std::make_shared<const RulePass>("tuple-simplifier", kTupleSimplifierRules);
  return kPass;
}

}  // namespace isomer::passes
