// XLA's ReshapeMover: what is computed element by element of operands that were all rearranged alike (one
// reshape, or one transpose) is computed before, and its result rearranged. Constants and scalars in each
// element do not hinder. XLA moves sets of instructions at once; here each one is an alternative, and
// repeated they go as far. For transposes XLA's own pass, run alone, does not come to rest; this one does:
// only what is rearranged of something else than constants counts.
#include <algorithm>
#include <array>

#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

using enum Opcode;

constexpr Opcode kElementwise[] = {kAbs,
                                   kAdd,
                                   kAnd,
                                   kAtan2,
                                   kCbrt,
                                   kCeil,
                                   kClamp,
                                   kCompare,
                                   kConvert,
                                   kCos,
                                   kDivide,
                                   kErf,
                                   kExp,
                                   kExpm1,
                                   kFloor,
                                   kIsFinite,
                                   kLog,
                                   kLog1p,
                                   kLogistic,
                                   kMaximum,
                                   kMinimum,
                                   kMultiply,
                                   kNegate,
                                   kNot,
                                   kOr,
                                   kPower,
                                   kRemainder,
                                   kRsqrt,
                                   kSelect,
                                   kSign,
                                   kSin,
                                   kSqrt,
                                   kSubtract,
                                   kTan,
                                   kTanh,
                                   kXor,
                                   kShiftLeft,
                                   kShiftRightArithmetic,
                                   kShiftRightLogical};

bool is_elementwise(const Site& s, InstructionId id) {
  return std::ranges::find(kElementwise, s.op(id)) != std::end(kElementwise);
}

/// A reshape or transpose of something that is no constant, which serves nothing but what may be moved before
/// it.
bool is_rearranged(const Site& s, InstructionId id) {
  if (!s.is(id, kReshape) && !s.is(id, kTranspose)) return false;
  if (s.is_constant_or_splat(s.in(id, 0)) || s.splat_of(s.in(id, 0)) || !may_be_replaced(s.m, id))
    return false;
  if (s.graph.is_root(id) || !s.is_static(s.in(id, 0))) return false;
  return std::ranges::all_of(s.graph.users(id), [&](InstructionId u) { return is_elementwise(s, u); });
}

bool alike(const Site& s, InstructionId a, InstructionId b) {
  return s.op(a) == s.op(b) && s.dims(s.in(a, 0)) == s.dims(s.in(b, 0)) &&
         s.list(a, AttributeName::kDimensions) == s.list(b, AttributeName::kDimensions);
}

/// The operand as it would be before `rearranged`.
InstructionId before(const Site& s, InstructionId operand, InstructionId rearranged) {
  const Dims sizes = s.dims(s.in(rearranged, 0));
  if (const auto scalar = s.splat_of(operand)) return s.w.splat(*scalar, sizes);
  if (!s.is_constant(operand)) return s.in(operand, 0);
  if (s.is(rearranged, kReshape)) return s.w.reshape(operand, sizes);
  const Dims permutation = s.list(rearranged, AttributeName::kDimensions);
  Dims back(permutation.size());
  for (size_t d = 0; d < permutation.size(); ++d)
    back[static_cast<size_t>(permutation[d])] = static_cast<int64_t>(d);
  return s.w.transpose(operand, back);
}

InstructionId rearranged_after(const Site& s) {
  InstructionId first;
  for (size_t i = 0; i < s.arity(s.at); ++i) {
    const InstructionId a = s.in(i);
    if (s.dims(a) != s.dims(s.at)) return {};
    if (is_rearranged(s, a) && (!first.valid() || alike(s, a, first)))
      first = first.valid() ? first : a;
    else if (!s.is_constant(a) && !s.splat_of(a))
      return {};
  }
  if (!first.valid()) return {};
  std::vector<InstructionId> operands;
  for (size_t i = 0; i < s.arity(s.at); ++i) operands.push_back(before(s, s.in(i), first));
  const ShapeId shape = s.w.array(s.element(s.at), s.dims(s.in(first, 0)));
  const InstructionId computed = s.w.again(s.at, shape, operands);
  if (s.is(first, kReshape)) return s.w.reshape(computed, s.dims(s.at));
  return s.w.transpose(computed, s.list(first, AttributeName::kDimensions));
}

constexpr auto kReshapeMoverRules = [] {
  std::array<Rule, std::size(kElementwise)> out{};
  for (size_t i = 0; i < out.size(); ++i) out[i] = {kElementwise[i], "rearranged-after", rearranged_after};
  return out;
}();

}  // namespace

std::shared_ptr<const Pass> reshape_mover() {
  static const auto kPass =
      std::make_shared<const RulePass>("reshape-mover", std::span<const Rule>(kReshapeMoverRules));
  return kPass;
}

}  // namespace isomer::passes
