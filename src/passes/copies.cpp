#include "passes/copies.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "passes/rebuild.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

bool is_asynchronous(Opcode opcode) {
  const std::string_view name = hlo::name(opcode);
  return name.ends_with("-start") || name.ends_with("-update") || name.ends_with("-done");
}

/// Of the instruction alone, whatever it calls and whether that has effects.
bool alone_may_be_copied(const Module& m, InstructionId id, bool fusions) {
  const Opcode opcode = m[id].opcode;
  if (!may_be_replaced(m, id) || is_asynchronous(opcode)) return false;
  if (opcode != m[id].wrapped || m.find(id, AttributeName::kChannelId)) return false;
  if (opcode == Opcode::kFusion && !fusions) return false;
  return opcode != Opcode::kDomain && opcode != Opcode::kOptimizationBarrier;
}

/// Of computations and of what they call, each once, however many call it.
bool all_may_be_copied(const Module& m, std::vector<ComputationId> reached, bool fusions) {
  if (reached.empty()) return true;
  std::vector<bool> seen(m.computations.size());
  while (!reached.empty()) {
    const ComputationId at = reached.back();
    reached.pop_back();
    if (seen[at.v]) continue;
    seen[at.v] = true;
    const hlo::Computation& c = m[at];
    if (!m.attributes_of(c.attributes).empty()) return false;
    for (uint32_t i = 0; i < c.instructions.count; ++i) {
      const InstructionId id(c.instructions.first + i);
      if (!alone_may_be_copied(m, id, fusions) || acts(m, id)) return false;
      m.called(id, reached);
    }
  }
  return true;
}

}  // namespace

void Copies::put(InstructionId original, InstructionId value) {
  const auto at = std::ranges::find(few_, original, &std::pair<InstructionId, InstructionId>::first);
  if (at != few_.end())
    at->second = value;
  else if (few_.size() < kFew)
    few_.emplace_back(original, value);
  else
    others_[original.v] = value;
}

InstructionId Copies::find(InstructionId original) const {
  for (const auto& [of, value] : few_)
    if (of == original) return value;
  if (others_.empty()) return {};
  const auto at = others_.find(original.v);
  return at == others_.end() ? InstructionId() : at->second;
}

InstructionId Copies::of(InstructionId original) {
  if (const InstructionId known = find(original); known.valid()) return known;
  const Module& m = w_.module();
  std::vector<InstructionId> open = {original};
  while (!open.empty()) {
    const InstructionId at = open.back();
    const size_t before = open.size();
    if (!has(at))
      for (const InstructionId operand : m.operands(at))
        if (!has(operand)) open.push_back(operand);
    if (open.size() > before) continue;
    if (!has(at)) make(at);
    open.pop_back();
  }
  return find(original);
}

void Copies::make(InstructionId original) {
  const Module& m = w_.module();
  if (m[original].opcode == Opcode::kParameter) throw std::logic_error("a copy of a parameter");
  std::vector<InstructionId> operands;
  for (const InstructionId operand : m.operands(original)) operands.push_back(find(operand));
  put(original, w_.again(original, m.shape(original), operands));
}

InstructionId written_out(Writer& writer, ComputationId computation,
                          std::span<const InstructionId> arguments) {
  Copies copies(writer);
  const auto parameters = writer.module().parameters_of(computation);
  for (size_t i = 0; i < parameters.size(); ++i) copies.put(parameters[i], arguments[i]);
  return copies.of(writer.module()[computation].root);
}

bool may_be_copied(const Module& module, InstructionId id, bool fusions) {
  if (!alone_may_be_copied(module, id, fusions) || acts(module, id)) return false;
  std::vector<ComputationId> called;
  module.called(id, called);
  return all_may_be_copied(module, std::move(called), fusions);
}

bool may_be_copied(const AlternativeGraph& graph, ComputationId computation) {
  return all_may_be_copied(graph.module(), {computation}, callers(graph, computation) == 1);
}

bool may_be_copied_beside(const Module& module, ComputationId computation) {
  return all_may_be_copied(module, {computation}, false);
}

size_t callers(const AlternativeGraph& graph, ComputationId computation) {
  size_t count = 0;
  std::vector<ComputationId> called;
  for (uint32_t i = 0; i < graph.originals(); ++i) {
    called.clear();
    graph.module().called(InstructionId(i), called);
    count += static_cast<size_t>(std::ranges::count(called, computation));
  }
  return count;
}

bool is_static(const Module& module, ShapeId shape) {
  const hlo::Shape& of = module.shapes[shape];
  if (of.kind != hlo::ShapeKind::kTuple) return of.kind == hlo::ShapeKind::kArray && of.dynamic == 0;
  for (size_t i = 0; i < of.count; ++i)
    if (!is_static(module, module.shapes.part(shape, i))) return false;
  return true;
}

}  // namespace isomer::passes
