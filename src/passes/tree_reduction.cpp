// XLA's TreeReductionRewriter, as its CPU pipeline runs it: a sum over many elements is a sum over windows of
// 32 of them and then over the windows' sums, so that fewer roundings follow one another and lanes are
// filled. Windows are padded on both sides alike, and one dimension alone is large. XLA takes whatever the
// reduction begins with for neutral; here it must be known to be.
#include <algorithm>

#include "hlo/window.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

constexpr int64_t kWindow = 32;  // as XLA

bool is_neutral(const Site& s, Opcode combiner, InstructionId begin) {
  const auto value = s.uniform(begin);
  const Primitive type = s.element(begin);
  if (!value || hlo::is_complex(type)) return false;
  const bool truth = type == Primitive::kPred;
  switch (combiner) {
    case Opcode::kAdd:
    case Opcode::kXor: return value->value == 0;
    case Opcode::kOr: return value->value == 0;
    case Opcode::kMultiply: return value->value == 1;
    case Opcode::kAnd: return truth && value->value == 1;
    case Opcode::kMaximum: return !truth && value->value == s.lowest(type);
    case Opcode::kMinimum: return !truth && value->value == s.highest(type);
    default: return false;
  }
}

InstructionId reduce_in_steps(const Site& s) {
  if (s.arity(s.at) != 2 || !s.is_static(s.at)) return {};
  const auto combiner = s.combiner(s.at);
  if (!combiner || !is_neutral(s, *combiner, s.in(1))) return {};
  const Dims reduced = s.list(s.at, AttributeName::kDimensions);
  Dims sizes = s.dims(s.in(0));
  std::vector<hlo::WindowDim> window;
  int large = 0;
  for (size_t d = 0; d < sizes.size(); ++d) {
    const bool over = std::ranges::count(reduced, static_cast<int64_t>(d)) > 0;
    const int64_t width = over ? std::clamp<int64_t>(sizes[d], 1, kWindow) : 1;
    const int64_t windows = (sizes[d] + width - 1) / width, padding = windows * width - sizes[d];
    large += over && sizes[d] > kWindow ? 1 : 0;
    window.push_back({.size = width, .stride = width, .low = padding / 2, .high = padding - padding / 2});
    sizes[d] = windows;
  }
  if (large != 1) return {};
  const Dims to_apply = s.list(s.at, AttributeName::kToApply);
  const InstructionId sums =
      s.w.add(Opcode::kReduceWindow, s.w.array(s.element(s.at), sizes), {s.in(0), s.in(1)},
              {{AttributeName::kWindow, hlo::window_numbers(window)}, {AttributeName::kToApply, to_apply}});
  return s.w.again(s.at, s.m.shape(s.at), {sums, s.in(1)});
}

constexpr Rule kTreeReductionRules[] = {{Opcode::kReduce, "reduce-in-steps", reduce_in_steps}};

}  // namespace

std::shared_ptr<const Pass> tree_reduction() {
  static const auto kPass = std::make_shared<const RulePass>("tree_reduction_rewriter", kTreeReductionRules);
  return kPass;
}

}  // namespace isomer::passes
