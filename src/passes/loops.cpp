#include "passes/loops.h"

#include <algorithm>

#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

constexpr int64_t kFewElements = 64;

ComputationId called(const Site& s, AttributeName name) {
  return ComputationId(static_cast<uint32_t>(s.number(s.at, name)));
}

bool only_parts_are_used(const Site& s, InstructionId tuple) {
  if (s.graph.is_root(tuple)) return false;
  return std::ranges::all_of(s.graph.users(tuple),
                             [&](InstructionId user) { return s.is(user, Opcode::kGetTupleElement); });
}

bool is_constant(const Module& m, InstructionId id) {
  return m[id].opcode == Opcode::kConstant && m.shapes[m.shape(id)].kind == hlo::ShapeKind::kArray &&
         !m.literal(id).elided;
}

}  // namespace

std::optional<Loop> Loop::of(const Site& s) {
  if (!s.is(s.at, Opcode::kWhile) || s.m.shapes[s.m.shape(s.at)].kind != hlo::ShapeKind::kTuple)
    return std::nullopt;
  Loop out;
  out.at = s.at;
  out.initial = s.in(0);
  out.condition = called(s, AttributeName::kCondition);
  out.body = called(s, AttributeName::kBody);
  out.condition_parameter = s.m.parameters_of(out.condition)[0];
  out.body_parameter = s.m.parameters_of(out.body)[0];
  const InstructionId root = s.m[out.body].root;
  if (!s.is(root, Opcode::kTuple) || !is_static(s.m, s.m.shape(s.at))) return std::nullopt;
  if (!only_parts_are_used(s, out.condition_parameter) || !only_parts_are_used(s, out.body_parameter))
    return std::nullopt;
  if (!may_be_copied_beside(s.m, out.condition) || !may_be_copied_beside(s.m, out.body)) return std::nullopt;
  const auto next = s.m.operands(root);
  out.next.assign(next.begin(), next.end());
  return out;
}

void each_loop(AlternativeGraph& graph, const std::function<void(const Site&, const Loop&)>& propose) {
  for (uint32_t i = 0; i < graph.originals(); ++i) {
    const InstructionId at(i);
    if (graph.module()[at].opcode != Opcode::kWhile || !may_be_replaced(graph.module(), at)) continue;
    const Site s(graph, at);
    if (const auto loop = Loop::of(s)) propose(s, *loop);
  }
}

std::optional<size_t> part_of_state(const Site& s, const Loop& loop, InstructionId id) {
  if (!s.is(id, Opcode::kGetTupleElement)) return std::nullopt;
  if (s.in(id, 0) != loop.body_parameter && s.in(id, 0) != loop.condition_parameter) return std::nullopt;
  return static_cast<size_t>(s.number(id, AttributeName::kIndex));
}

bool passes_through(const Site& s, const Loop& loop, size_t part) {
  return part_of_state(s, loop, loop.next[part]) == part;
}

InstructionId initial_part(const Site& s, const Loop& loop, size_t part) {
  if (s.is(loop.initial, Opcode::kTuple)) return s.in(loop.initial, part);
  return s.w.part(loop.initial, static_cast<int64_t>(part));
}

Known::Known(const Module& module, ComputationId computation, const State& state)
    : m_(module), state_(state) {
  const hlo::Range all = m_[computation].instructions;
  for (uint32_t i = 0; i < all.count; ++i) {
    const InstructionId id(all.first + i);
    if (auto bytes = compute(id)) known_.emplace(id.v, std::move(*bytes));
  }
}

std::optional<Bytes> Known::compute(InstructionId id) const {
  const hlo::Instruction& i = m_[id];
  if (m_.shapes[i.shape].kind != hlo::ShapeKind::kArray || m_.shapes.elements(i.shape) > kFewElements)
    return std::nullopt;
  if (is_constant(m_, id)) return m_.literal(id).bytes;
  if (i.opcode == Opcode::kParameter) return state_[0];
  if (i.opcode == Opcode::kGetTupleElement) {
    const InstructionId from = m_.operands(id)[0];
    const auto part = static_cast<size_t>(m_.number(id, AttributeName::kIndex));
    if (m_[from].opcode == Opcode::kParameter) return state_[part];
    return m_[from].opcode == Opcode::kTuple ? of(m_.operands(from)[part]) : std::nullopt;
  }
  std::vector<BytesView> operands;
  for (const InstructionId operand : m_.operands(id)) {
    const auto at = known_.find(operand.v);
    if (at == known_.end()) return std::nullopt;
    operands.emplace_back(at->second);
  }
  return operands.empty() ? std::nullopt : evaluated(m_, id, operands);
}

std::optional<Bytes> Known::of(InstructionId id) const {
  const auto at = known_.find(id.v);
  return at == known_.end() ? std::nullopt : std::optional(at->second);
}

Known::State Known::state(InstructionId id) const {
  if (m_.shapes[m_.shape(id)].kind != hlo::ShapeKind::kTuple) return {of(id)};
  State out(m_.shapes[m_.shape(id)].count);
  if (m_[id].opcode == Opcode::kTuple)
    for (size_t i = 0; i < out.size(); ++i) out[i] = of(m_.operands(id)[i]);
  if (m_[id].opcode == Opcode::kParameter) return state_;
  return out;
}

Known::State known_state(const Module& m, InstructionId id) {
  const auto of = [&](InstructionId one) {
    return is_constant(m, one) ? std::optional(m.literal(one).bytes) : std::nullopt;
  };
  if (m.shapes[m.shape(id)].kind != hlo::ShapeKind::kTuple) return {of(id)};
  Known::State out(m.shapes[m.shape(id)].count);
  if (m[id].opcode == Opcode::kTuple)
    for (size_t i = 0; i < out.size(); ++i) out[i] = of(m.operands(id)[i]);
  return out;
}

}  // namespace isomer::passes
