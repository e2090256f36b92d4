// What the fusions ask: general_fusion.cpp, which leaves decisions to a search, instruction_fusion.cpp, which
// decides as XLA does, and those that go on from there (fusion_merger.cpp, multi_output_fusion.cpp,
// horizontal_fusion.cpp).
#pragma once

#include <span>
#include <vector>

#include "passes/copies.h"

namespace isomer::passes {

/// Which computations are part of a kernel: called by one of the first so many instructions that is not of
/// control flow.
std::vector<bool> within_kernels(const Module& module, uint32_t instructions);

/// Whether one loop over the result computes it, whoever decides what is fused.
bool stands_in_a_loop(Opcode opcode);

/// A body does not grow beyond this many instructions.
constexpr uint32_t kMostFused = 1000;
/// Parameters and results of one kernel, as XLA bounds them for graphics processors.
constexpr size_t kMostOperandsAndResults = 96;

/// Whether a fusion may take it in: an array of known sizes, without an effect, placed and ordered nowhere,
/// no kernel of a library.
bool may_be_fused(const Module& module, InstructionId id);
/// A fusion that is a loop over its result (XLA's kLoop).
bool is_loop_fusion(const Module& module, InstructionId id);
/// A loop over its result by itself: of elements, or a fusion that is one.
bool is_loop(const Module& module, InstructionId id);
/// What a fusion computes.
ComputationId body_of(const Module& module, InstructionId fusion);
/// What it computes last: of a fusion the root of its body, else itself.
InstructionId last_of(const Module& module, InstructionId id);
/// Instructions of its body; of others 1.
uint32_t body_size(const Module& module, InstructionId id);
/// Of an array.
int64_t bytes_of(const Module& module, InstructionId id);

/// Who uses it, each once.
std::vector<InstructionId> different_users(const AlternativeGraph& graph, InstructionId id);

/// What instructions that become one fusion take from outside of it, each once. Constants of one element go
/// along instead.
std::vector<InstructionId> outside_operands(const Module& module, std::span<const InstructionId> members);
/// The instruction, or what it computes as a fusion, of what stands for its operands within a body.
InstructionId written_within(Writer& writer, InstructionId id, Copies& inside);

/// A fusion of these operands, whose body `write` writes of what stands for them in it.
template <class Write>
InstructionId loop_fusion(AlternativeGraph& graph, ComputationId home, ShapeId shape,
                          std::span<const InstructionId> operands, Write&& write) {
  Writer& w = graph.writer();
  w.write_for(home);
  const auto first = static_cast<uint32_t>(graph.module().instructions.size());
  w.begin_computation();
  std::vector<InstructionId> parameters;
  Copies inside(w);
  for (const InstructionId operand : operands) {
    parameters.push_back(w.parameter(static_cast<int64_t>(parameters.size()), graph.module().shape(operand)));
    inside.put(operand, parameters.back());
  }
  write(inside);
  const ComputationId body = w.computation("fused_computation", first, parameters);
  return w.add(Opcode::kFusion, shape, operands,
               {{AttributeName::kKind, {static_cast<int64_t>(hlo::FusionKind::kLoop)}},
                {AttributeName::kCalls, {int64_t{body.v}}}});
}

/// A consumer as a fusion that computes a producer of it too.
void propose_fusion_of_two(AlternativeGraph& graph, InstructionId producer, InstructionId consumer,
                           std::string_view rule);
/// One fusion whose results are those of all members, which stand in the order of the module; proposed as a
/// part of it for each.
void propose_fusion_of_all(AlternativeGraph& graph, std::span<const InstructionId> members,
                           std::string_view rule);

}  // namespace isomer::passes
