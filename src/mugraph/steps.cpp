#include "mugraph/steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "mugraph/search.h"
#include "mugraph/searched_ops.h"

namespace isomer::mugraph {

using ir::ValueId;

ValueId add_step(ir::Builder& b, std::span<const ValueId> values, const ProgramStep& s, const Sizes& wanted) {
  const ValueId x = values[s.operands[0]];
  const auto axis = static_cast<int64_t>(sizes_of(b, x).size()) - 1 - s.axis;
  switch (s.kind) {
    case StepKind::kElementwise: {
      std::vector<ValueId> in;
      for (size_t o : s.operands) in.push_back(broadcast(b, values[o], wanted));
      return b.add(s.op, in);
    }
    case StepKind::kSquare: return b.add("mul", {x, x});
    case StepKind::kProduct: return b.add("matmul", {x, values[s.operands[1]]});
    case StepKind::kReduction: return reduce(b, s.op, x, {axis}, true);
    case StepKind::kSoftmax: {
      const ValueId least =
          s.safe ? b.add("sub", {x, broadcast(b, reduce(b, "reduce_max", x, {axis}, true), sizes_of(b, x))})
                 : x;
      const ValueId e = b.add("exp", {least}), sum = reduce(b, "reduce_sum", e, {axis}, true);
      return b.add("div", {e, broadcast(b, sum, sizes_of(b, e))});
    }
    case StepKind::kBroadcast: return broadcast(b, x, wanted);
    case StepKind::kReshape: break;
  }
  return reshape(b, x, wanted);
}

namespace {

/// What the steps compute of the program's inputs, whose dimensions are named.
ValueId run_steps(ir::Builder& b, std::span<const ValueId> in, const std::vector<Program::Input>& inputs,
                  const std::vector<ProgramStep>& steps) {
  Extents extents;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Sizes s = sizes_of(b, in[i]);
    for (size_t d = 0; d < s.size(); ++d) extents[inputs[i].dims[d]] = s[d];
  }
  extents["1"] = 1;
  std::vector<ValueId> values(in.begin(), in.end());
  for (const ProgramStep& s : steps) {
    Sizes wanted;
    for (const std::string& dim : s.dims) wanted.push_back(extents.at(dim));
    values.push_back(add_step(b, values, s, wanted));
  }
  return values.back();
}

/// Whether a sum is made of another one, as the deviation from a mean is: a block that has whole rows then
/// adds up without an accumulator.
bool sums_of_sums(const std::vector<ProgramStep>& steps, size_t inputs) {
  std::vector<char> made(inputs, 0);
  for (const ProgramStep& s : steps) {
    const bool of_sums = std::ranges::any_of(s.operands, [&](size_t o) { return made[o] != 0; });
    if (of_sums && s.kind == StepKind::kReduction) return true;
    made.push_back(of_sums || s.kind == StepKind::kReduction ? 1 : 0);
  }
  return false;
}

/// Operators of a block that a search of these steps covers.
int most_block_ops(const std::vector<ProgramStep>& steps, bool nested) {
  constexpr int kMostOfNorms = 13;  // a root of a mean square, a gain, a product
  // Where a sum is made of another one they follow each other in nearly one order, and more are covered.
  constexpr int kMostOfSumsOfSums = 16;
  if (nested) return kMostOfSumsOfSums;
  const auto count = [&](StepKind kind) { return std::ranges::count(steps, kind, &ProgramStep::kind); };
  const bool norm = count(StepKind::kReduction) == 1 && count(StepKind::kProduct) <= 1;
  return norm ? kMostOfNorms : kMostBlockOps;
}

/// Block operators that a search has not in any case.
std::vector<std::string> extra_ops(const std::vector<ProgramStep>& steps, bool split, bool nested) {
  std::vector<std::string> out;
  const SearchOptions usual;
  const auto extra = [&](std::string_view op) {
    if (std::ranges::find(usual.block_ops, op) == usual.block_ops.end() &&
        std::ranges::find(out, op) == out.end())
      out.emplace_back(op);
  };
  const auto all = [&](std::span<const std::string_view> ops) { std::ranges::for_each(ops, extra); };
  if (split) all(kPartialSums);
  for (const ProgramStep& s : steps) {
    if (nested && s.kind == StepKind::kReduction) extra(s.mean ? "mean" : "sum");
    if (s.kind == StepKind::kElementwise) extra(s.op);
    if (s.mean) extra("accumulate_mean");
    if (s.safe) all(kOnlineSoftmax);
  }
  return out;
}

}  // namespace

void complete_program(Program& p, const std::shared_ptr<const std::vector<ProgramStep>>& steps) {
  p.body = [steps, inputs = p.inputs](ir::Builder& b, std::span<const ValueId> in) {
    return run_steps(b, in, inputs, *steps);
  };
  // Partial sums of a second kernel are not rescaled: with a running maximum one kernel is searched.
  const bool split = !p.batch.empty() && std::ranges::none_of(*steps, &ProgramStep::safe);
  p.block_kernels = split ? 2 : 1;
  const bool nested = sums_of_sums(*steps, p.inputs.size());
  p.extra_ops = extra_ops(*steps, split, nested);
  // An accumulator for each sum, or one for all of whole rows; a maximum and a difference beside.
  size_t operators = nested ? 1 : 0;
  std::map<std::string, size_t> counts;
  for (const ProgramStep& s : *steps) {
    if (moves(s.kind)) continue;
    ++counts[s.op];
    operators += s.safe ? 3 : 1;
    operators += !nested && (s.kind == StepKind::kReduction || s.kind == StepKind::kSoftmax ||
                             s.kind == StepKind::kProduct);
  }
  p.block_ops = std::clamp(static_cast<int>(p.inputs.size() + operators), 9, most_block_ops(*steps, nested));
  for (const auto& [op, n] : counts)
    p.doc += fmt::format("{}{}{}", p.doc.empty() ? "" : ", ", op, n > 1 ? fmt::format(" x{}", n) : "");
}

}  // namespace isomer::mugraph
