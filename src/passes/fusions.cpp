#include "passes/fusions.h"

#include <algorithm>

#include "passes/rule_pass.h"

namespace isomer::passes {

std::vector<bool> within_kernels(const Module& m, uint32_t instructions) {
  std::vector<bool> out(m.computations.size(), false);
  std::vector<ComputationId> called;
  for (uint32_t i = 0; i < instructions; ++i) {
    if (hlo::is_control_flow(m.instructions[i].opcode)) continue;
    called.clear();
    m.called(InstructionId(i), called);
    for (const ComputationId callee : called) out[callee.v] = true;
  }
  return out;
}

bool stands_in_a_loop(Opcode opcode) {
  switch (opcode) {
    case Opcode::kBitcast:
    case Opcode::kBitcastConvert:
    case Opcode::kBroadcast:
    case Opcode::kConcatenate:
    case Opcode::kCopy:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kIota:
    case Opcode::kMap:
    case Opcode::kPad:
    case Opcode::kReduce:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kSlice:
    case Opcode::kTranspose: return true;
    default: return hlo::is_elementwise(opcode);
  }
}

bool may_be_fused(const Module& m, InstructionId id) {
  if (has_side_effect(m, id) || !may_be_replaced(m, id)) return false;
  const hlo::Shape& shape = m.shapes[m.shape(id)];
  if (shape.kind != hlo::ShapeKind::kArray || shape.dynamic != 0) return false;
  if (m.find(id, AttributeName::kOutputToOperandAliasing)) return false;
  const auto kind = m.find(id, AttributeName::kKind);
  return !kind || kind->empty() || (*kind)[0] != static_cast<int64_t>(hlo::FusionKind::kCustom);
}

bool is_loop_fusion(const Module& m, InstructionId id) {
  return m[id].opcode == Opcode::kFusion &&
         m.number(id, AttributeName::kKind) == static_cast<int64_t>(hlo::FusionKind::kLoop);
}

bool is_loop(const Module& m, InstructionId id) {
  return is_loop_fusion(m, id) || (hlo::is_elementwise(m[id].opcode) && m[id].operands.count > 0);
}

ComputationId body_of(const Module& m, InstructionId fusion) {
  return ComputationId(static_cast<uint32_t>(m.number(fusion, AttributeName::kCalls)));
}

namespace {

bool is_scalar_constant(const Module& m, InstructionId id) {
  return m[id].opcode == Opcode::kConstant && m.shapes.dims(m.shape(id)).empty() &&
         m.shapes[m.shape(id)].kind == hlo::ShapeKind::kArray;
}

}  // namespace

InstructionId last_of(const Module& m, InstructionId id) {
  return m[id].opcode == Opcode::kFusion ? m[body_of(m, id)].root : id;
}

uint32_t body_size(const Module& m, InstructionId id) {
  return m[id].opcode == Opcode::kFusion ? m[body_of(m, id)].instructions.count : 1;
}

int64_t bytes_of(const Module& m, InstructionId id) {
  const hlo::Shape& shape = m.shapes[m.shape(id)];
  if (shape.kind != hlo::ShapeKind::kArray) return 0;
  return m.shapes.elements(m.shape(id)) * static_cast<int64_t>(hlo::row(shape.element).bytes);
}

std::vector<InstructionId> different_users(const AlternativeGraph& graph, InstructionId id) {
  const auto all = graph.users(id);
  std::vector<InstructionId> out(all.begin(), all.end());
  // Users of one instruction stand in the order of the module.
  out.erase(std::ranges::unique(out).begin(), out.end());
  return out;
}

std::vector<InstructionId> outside_operands(const Module& m, std::span<const InstructionId> members) {
  std::vector<InstructionId> out;
  for (const InstructionId member : members)
    for (const InstructionId operand : m.operands(member))
      if (!is_scalar_constant(m, operand) && std::ranges::find(members, operand) == members.end() &&
          std::ranges::find(out, operand) == out.end())
        out.push_back(operand);
  return out;
}

InstructionId written_within(Writer& w, InstructionId id, Copies& inside) {
  const Module& m = w.module();
  std::vector<InstructionId> operands;
  operands.reserve(m.operands(id).size());
  // No spans are held while instructions are written.
  for (size_t i = 0; i < m.operands(id).size(); ++i) operands.push_back(inside.of(m.operands(id)[i]));
  if (m[id].opcode != Opcode::kFusion) return w.again(id, m.shape(id), operands);
  return written_out(w, body_of(m, id), operands);
}

void propose_fusion_of_two(AlternativeGraph& graph, InstructionId producer, InstructionId consumer,
                           std::string_view rule) {
  const Module& m = graph.module();
  const std::vector<InstructionId> operands =
      outside_operands(m, std::initializer_list<InstructionId>{producer, consumer});
  const InstructionId fused =
      loop_fusion(graph, graph.computation_of(consumer), m.shape(consumer), operands, [&](Copies& inside) {
        inside.put(producer, written_within(graph.writer(), producer, inside));
        written_within(graph.writer(), consumer, inside);
      });
  graph.propose(consumer, fused, rule);
}

void propose_fusion_of_all(AlternativeGraph& graph, std::span<const InstructionId> members,
                           std::string_view rule) {
  Writer& w = graph.writer();
  std::vector<ShapeId> shapes;
  for (const InstructionId member : members) shapes.push_back(graph.module().shape(member));
  const ShapeId tuple = w.module().shapes.tuple(hlo::ShapeKind::kTuple, shapes);
  const std::vector<InstructionId> operands = outside_operands(graph.module(), members);
  const InstructionId all =
      loop_fusion(graph, graph.computation_of(members[0]), tuple, operands, [&](Copies& inside) {
        std::vector<InstructionId> results;
        for (const InstructionId member : members) {
          results.push_back(written_within(w, member, inside));
          inside.put(member, results.back());
        }
        w.add(Opcode::kTuple, tuple, results);
      });
  for (size_t i = 0; i < members.size(); ++i)
    graph.propose(members[i], w.part(all, static_cast<int64_t>(i)), rule);
}

}  // namespace isomer::passes
