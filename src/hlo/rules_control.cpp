#include "hlo/rules.h"

namespace isomer::hlo::rules {
namespace {

std::vector<ShapeId> operand_shapes(const Checked& c) {
  std::vector<ShapeId> out;
  for (size_t i = 0; i < c.operands(); ++i) out.push_back(c.operand(i));
  return out;
}

void calls(const Checked& c, AttributeName attribute) {
  const ComputationId called = c.computation(attribute);
  c.require_parameters(called, operand_shapes(c));
  c.require_result(c.module.result_shape(called));
}

}  // namespace

void parameter(const Checked&) {}  // its shape is what it says
void constant(const Checked&) {}   // read as its shape says

void as_operand(const Checked& c) { c.require_result(c.operand(0)); }

void add_dependency(const Checked& c) {
  c.require_token(c.operand(1), "operand 1");
  c.require_result(c.operand(0));
}

void after_all(const Checked& c) {
  for (size_t i = 0; i < c.operands(); ++i) c.require_token(c.operand(i), fmt::format("operand {}", i));
  c.require_token(c.result(), "result");
}

void tuple(const Checked& c) {
  c.require_tuple(c.result(), c.operands(), "result");
  for (size_t i = 0; i < c.operands(); ++i) c.require_part(i, c.operand(i));
}

void get_tuple_element(const Checked& c) {
  const Shape& s = c.of(c.operand(0));
  const int64_t index = c.number(AttributeName::kIndex);
  c.require(s.kind == ShapeKind::kTuple && index >= 0 && index < s.count,
            "expected a tuple that has a part {} as operand 0 of get-tuple-element, found {}", index,
            c.print(c.operand(0)));
  c.require_result(c.module.shapes.part(c.operand(0), static_cast<size_t>(index)));
}

void call(const Checked& c) { calls(c, AttributeName::kToApply); }
void fusion(const Checked& c) { calls(c, AttributeName::kCalls); }

void while_loop(const Checked& c) {
  const ShapeId state[] = {c.operand(0)};
  const ComputationId condition = c.computation(AttributeName::kCondition),
                      body = c.computation(AttributeName::kBody);
  c.require_parameters(condition, state);
  c.require_parameters(body, state);
  c.require_array(c.module.result_shape(condition), Primitive::kPred, {}, "result of the condition");
  c.require_shape(c.module.result_shape(body), state[0], "result of the body");
  c.require_result(state[0]);
}

void conditional(const Checked& c) {
  c.require_operands(1, SIZE_MAX);
  const Array chosen = c.scalar(0);
  std::vector<ComputationId> branches;
  if (chosen.element == Primitive::kPred && !c.has(AttributeName::kBranchComputations)) {
    c.require(c.has(AttributeName::kTrueComputation) && c.has(AttributeName::kFalseComputation),
              "expected true_computation and false_computation of a conditional by pred, found one or none");
    branches = {c.computation(AttributeName::kTrueComputation),
                c.computation(AttributeName::kFalseComputation)};
  } else {
    c.require(chosen.element == Primitive::kS32 && c.has(AttributeName::kBranchComputations),
              "expected pred[], or s32[] and branch_computations, as operand 0 of conditional, found {}",
              c.print(c.operand(0)));
    for (const int64_t n : c.list(AttributeName::kBranchComputations))
      branches.emplace_back(static_cast<uint32_t>(n));
  }
  c.require(!branches.empty() && c.operands() == branches.size() + 1,
            "expected an operand for each of {} branches, found {}", branches.size(), c.operands() - 1);
  for (size_t i = 0; i < branches.size(); ++i) {
    const ShapeId argument[] = {c.operand(i + 1)};
    c.require_parameters(branches[i], argument);
    c.require_shape(c.module.result_shape(branches[i]), c.result(), fmt::format("result of branch {}", i));
  }
}

void custom_call(const Checked& c) {
  c.require(!c.has(AttributeName::kToApply) || !c.has(AttributeName::kCalledComputations),
            "expected to_apply or called_computations of a custom-call, found both");
  if (!c.has(AttributeName::kOperandLayoutConstraints)) return;
  const auto constraints = c.list(AttributeName::kOperandLayoutConstraints);
  c.require(constraints.size() == c.operands(), "expected {} shapes in operand_layout_constraints, found {}",
            c.operands(), constraints.size());
  for (size_t i = 0; i < constraints.size(); ++i)
    c.require_shape(ShapeId(static_cast<uint32_t>(constraints[i])), c.operand(i),
                    fmt::format("layout constraint {}", i));
}

}  // namespace isomer::hlo::rules
