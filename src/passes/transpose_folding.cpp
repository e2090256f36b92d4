// XLA's TransposeFolding: a transpose before a dot or a convolution is a permutation of the names of its
// dimensions. XLA folds where its backend's kernels take it (on the CPU a matrix and its transpose); here
// every permutation is folded that leaves the order of the result's dimensions as it is.
#include <algorithm>

#include "passes/dots.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

/// `dims` of a transpose, as dimensions of what it permutes.
Dims before(const Dims& permutation, const Dims& dims) {
  Dims out;
  for (const int64_t d : dims) out.push_back(permutation[static_cast<size_t>(d)]);
  return out;
}

/// Takes the transpose off an operand of a dot and names its dimensions by those below it.
bool fold(const Site& s, InstructionId& operand, Dims& batch, Dims& contracting) {
  if (!s.is(operand, Opcode::kTranspose) || !may_be_replaced(s.m, operand)) return false;
  const Dims permutation = s.list(operand, AttributeName::kDimensions);
  const Dims rest = before(permutation, free_dims(permutation.size(), batch, contracting));
  if (!std::ranges::is_sorted(rest)) return false;
  batch = before(permutation, batch);
  contracting = before(permutation, contracting);
  operand = s.in(operand, 0);
  return true;
}

InstructionId dot_of_transposes(const Site& s) {
  DotDims d = dot_dims(s, s.at);
  InstructionId a = s.in(0), b = s.in(1);
  const bool left = fold(s, a, d.left_batch, d.left_contracting);
  const bool right = fold(s, b, d.right_batch, d.right_contracting);
  if (!left && !right) return {};
  const std::vector<AttributeValue> dims = {{AttributeName::kLhsBatchDims, d.left_batch},
                                            {AttributeName::kLhsContractingDims, d.left_contracting},
                                            {AttributeName::kRhsBatchDims, d.right_batch},
                                            {AttributeName::kRhsContractingDims, d.right_contracting}};
  return s.w.again(s.at, s.m.shape(s.at), {a, b}, dims);
}

InstructionId convolution_of_transposes(const Site& s) {
  if (s.m.find(s.at, AttributeName::kSparsityConfig)) return {};
  Dims labels = s.list(s.at, AttributeName::kDimLabels);
  const size_t each = 2 + static_cast<size_t>(labels[3]);  // batch or feature, feature, spatial ones
  InstructionId operands[] = {s.in(0), s.in(1)};
  bool folds = false;
  for (size_t i = 0; i < 2; ++i) {
    const InstructionId turned = operands[i];
    if (!s.is(turned, Opcode::kTranspose) || !may_be_replaced(s.m, turned)) continue;
    const Dims permutation = s.list(turned, AttributeName::kDimensions);
    for (int64_t& label : std::span(labels).subspan(4 + i * each, each))
      if (label >= 0) label = permutation[static_cast<size_t>(label)];
    operands[i] = s.in(turned, 0);
    folds = true;
  }
  if (!folds) return {};
  const AttributeValue instead[] = {{AttributeName::kDimLabels, labels}};
  return s.w.again(s.at, s.m.shape(s.at), operands, instead);
}

constexpr Rule kTransposeFoldingRules[] = {
    {Opcode::kDot, "dot-of-transposes", dot_of_transposes},
    {Opcode::kConvolution, "convolution-of-transposes", convolution_of_transposes},
};

}  // namespace

std::shared_ptr<const Pass> transpose_folding() {
  static const auto kPass = std::make_shared<const RulePass>("transpose-folding", kTransposeFoldingRules);
  return kPass;
}

}  // namespace isomer::passes
