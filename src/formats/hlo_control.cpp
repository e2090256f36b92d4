// Computations that are run: loops, branches, comparators. Each is a region of the IR that takes all that it
// reads as operands.
#include <memory>

#include "formats/hlo_lowering.h"
#include "ir/layout.h"

namespace isomer::formats {

using hlo::AttributeName;
using hlo::ComputationId;
using ir::DType;
using ir::ValueId;

ir::RegionId HloLowering::add_region(ir::Graph graph) {
  return ctx_.add(std::make_shared<const ir::Graph>(std::move(graph)));
}

ir::RegionId HloLowering::region(ComputationId id) {
  if (const auto known = shared_->regions.find(id); known != shared_->regions.end()) return known->second;
  return shared_->regions[id] = add_region(HloLowering(*this, m_[id].name).graph_of(id));
}

HloLowering::Values HloLowering::repeat(const Values& state) {
  const auto condition = static_cast<int64_t>(region(called(AttributeName::kCondition)).v);
  const auto body = static_cast<int64_t>(region(called(AttributeName::kBody)).v);
  return parts(b_.add("while", state, {{"condition", condition}, {"body", body}}), state.size());
}

/// By a pred, or by a number, of which all that no branch has are the last's.
HloLowering::Values HloLowering::conditional(const std::vector<Values>& operands) {
  const bool by_pred = element_of(0) == hlo::Primitive::kPred;
  std::vector<ComputationId> branches;
  if (by_pred)
    branches = {called(AttributeName::kTrueComputation), called(AttributeName::kFalseComputation)};
  else
    m_.called(at_, branches);
  const std::vector<Values> rest(operands.begin() + 1, operands.end());
  ValueId index = operands[0][0];
  if (by_pred) {
    const ValueId first = integers(DType::kI32, {}, {0}), second = integers(DType::kI32, {}, {1});
    index = b_.add("where", {index, first, second});
  }
  return branch(branches, 0, index, rest);
}

/// The branches from `first` on, as a choice between one and the others.
HloLowering::Values HloLowering::branch(const std::vector<ComputationId>& branches, size_t first,
                                        ValueId index, const std::vector<Values>& operands) {
  if (first + 1 == branches.size()) return computation(branches[first], {operands[first]});
  Values given = {index};
  for (const Values& operand : operands) given.insert(given.end(), operand.begin(), operand.end());
  const auto part = [&](size_t from, bool all) {
    HloLowering inner(*this, m_[branches[from]].name);
    Values inputs;
    for (const ValueId v : given)
      inputs.push_back(inner.b_.input("", ir::without_layout(ctx_, b_.type_id(v))));
    std::vector<Values> own;
    auto next = inputs.begin() + 1;
    for (const Values& operand : operands) {
      own.emplace_back(next, next + static_cast<std::ptrdiff_t>(operand.size()));
      next += static_cast<std::ptrdiff_t>(operand.size());
    }
    const Values out =
        all ? inner.branch(branches, from, inputs[0], own) : inner.computation(branches[from], {own[from]});
    return std::pair(add_region(inner.b_.finish(out)), out.size());
  };
  const auto [region, count] = part(first, false);
  const auto otherwise = part(first + 1, true).first;
  const ValueId here =
      b_.add("equal", {index, integers(b_.type(index).dtype, {}, {static_cast<int64_t>(first)})});
  given.insert(given.begin(), here);
  return parts(
      b_.add("conditional", given,
             {{"region", static_cast<int64_t>(region.v)}, {"otherwise", static_cast<int64_t>(otherwise.v)}}),
      count);
}

HloLowering::Values HloLowering::sort(const Values& x, ir::RegionId comparator) {
  return parts(b_.add("sort", x,
                      {{"axis", list(AttributeName::kDimensions)[0]},
                       {"comparator", static_cast<int64_t>(comparator.v)}}),
               x.size());
}

/// Where some are complex numbers, whose parts are sorted together, by what the comparator makes of both.
HloLowering::Values HloLowering::sort_of_complex(const std::vector<Values>& x) {
  const ComputationId comparator = called(AttributeName::kToApply);
  HloLowering inner(*this, m_[comparator].name);
  Values flat;
  std::vector<Values> scalars;  // of each operand an element and another
  for (const Values& operand : x) {
    Values one, other;
    for (const ValueId part : operand) {
      flat.push_back(part);
      for (Values* const of : {&one, &other})
        of->push_back(inner.b_.input("", ctx_.tensor_type(b_.type(part).dtype, {})));
    }
    scalars.insert(scalars.end(), {one, other});
  }
  return sort(flat, add_region(inner.b_.finish(inner.computation(comparator, scalars))));
}

/// XLA numbers elements in 32 bits.
HloLowering::Values HloLowering::top_k(ValueId x) {
  const auto last = static_cast<int64_t>(sizes(operand_shape(0)).size()) - 1;
  Values out = parts(
      b_.add(
          "top_k", {x},
          {{"axis", last}, {"k", number(AttributeName::kK)}, {"largest", number(AttributeName::kLargest)}}),
      2);
  out[1] = cast(out[1], DType::kI32);
  return out;
}

}  // namespace isomer::formats
