#include "passes/dots.h"

#include <algorithm>

namespace isomer::passes {

DotDims dot_dims(const Site& s, InstructionId dot) {
  return {s.list(dot, AttributeName::kLhsBatchDims), s.list(dot, AttributeName::kLhsContractingDims),
          s.list(dot, AttributeName::kRhsBatchDims), s.list(dot, AttributeName::kRhsContractingDims)};
}

Dims free_dims(size_t rank, const Dims& batch, const Dims& contracting) {
  Dims out;
  for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d)
    if (std::ranges::count(batch, d) == 0 && std::ranges::count(contracting, d) == 0) out.push_back(d);
  return out;
}

bool same_attributes(const Site& s, InstructionId a, InstructionId b) {
  for (const AttributeName name :
       {AttributeName::kLhsBatchDims, AttributeName::kLhsContractingDims, AttributeName::kRhsBatchDims,
        AttributeName::kRhsContractingDims, AttributeName::kOperandPrecision, AttributeName::kDotAlgorithm,
        AttributeName::kFrontendAttributes, AttributeName::kBackendConfig})
    if (s.list(a, name) != s.list(b, name)) return false;
  return true;
}

bool is_matrix_product(const Site& s, InstructionId dot) {
  const DotDims d = dot_dims(s, dot);
  if (d.left_contracting.size() != 1 || d.right_contracting.size() != 1) return false;
  if (s.number(dot, AttributeName::kDotAlgorithm) != 0 || s.elements(s.in(dot, 0)) <= 0 ||
      s.elements(s.in(dot, 1)) <= 0)
    return false;
  return s.rank(s.in(dot, 0)) == d.left_batch.size() + 2 && s.rank(s.in(dot, 1)) == d.right_batch.size() + 2;
}

bool is_wide(const Site& s, InstructionId id) {
  constexpr int kWideBits = 32;
  return hlo::row(s.element(id)).bits >= kWideBits;
}

std::vector<AttributeValue> precision_of(const Site& s, InstructionId dot, bool exchanged) {
  std::vector<AttributeValue> out;
  for (const AttributeName name : {AttributeName::kOperandPrecision, AttributeName::kDotAlgorithm})
    if (const auto value = s.m.find(dot, name)) {
      out.push_back({name, {value->begin(), value->end()}});
      if (exchanged && name == AttributeName::kOperandPrecision) std::ranges::reverse(out.back().numbers);
    }
  return out;
}

std::vector<AttributeValue> highest_precision() {
  const int64_t highest = hlo::find_word(hlo::WordList::kPrecisions, "highest");
  return {{AttributeName::kOperandPrecision, {highest, highest}}};
}

}  // namespace isomer::passes
