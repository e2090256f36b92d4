// Fusion without heuristics: HloEnv's GeneralFusion (section 5.2), which stands in the place of XLA's fusion
// pipeline and leaves every decision to an agent. Any producer goes into any consumer of it, as far as both
// can stand in a loop; a producer that others need too is computed twice.
//
// A choice for each consumer, a way for each producer: the consumer as a fusion with the producer's
// instructions in it. Fusions grow by themselves: a producer or consumer may be one. HloEnv's pass fuses and
// clones likewise. Equal instructions within a fusion are written once, so that cloned
// producers do not multiply. Fusions of several results are not proposed.
#include <algorithm>

#include "passes/fusions.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

/// A fused computation does not grow beyond this many instructions.
constexpr uint32_t kMostInstructions = 1000;

bool in_loops(Opcode opcode) {
  return opcode == Opcode::kFusion || opcode == Opcode::kReduceWindow || stands_in_a_loop(opcode);
}

class Fuser {
 public:
  explicit Fuser(AlternativeGraph& graph) : graph_(graph), w_(graph.writer()), m_(w_.module()) {}

  void propose() {
    const std::vector<bool> within = within_kernels(graph_.module(), graph_.originals());
    std::vector<bool> may(graph_.originals());
    for (uint32_t i = 0; i < graph_.originals(); ++i) may[i] = may_fuse(InstructionId(i));
    std::vector<InstructionId> producers;
    for (uint32_t i = 0; i < graph_.originals(); ++i) {
      const InstructionId consumer(i);
      if (!may[i] || within[graph_.computation_of(consumer).v]) continue;
      producers.clear();
      for (const InstructionId operand : m_.operands(consumer))
        if (may[operand.v] && std::ranges::find(producers, operand) == producers.end())
          producers.push_back(operand);
      for (const InstructionId producer : producers)
        if (size(producer) + size(consumer) <= kMostInstructions)
          graph_.propose(consumer, fused(producer, consumer), "fuse");
    }
  }

 private:
  bool may_fuse(InstructionId id) const {
    if (!in_loops(m_[id].opcode) || has_side_effect(m_, id) || !may_be_replaced(m_, id)) return false;
    const hlo::Shape& shape = m_.shapes[m_.shape(id)];
    if (shape.kind != hlo::ShapeKind::kArray || shape.dynamic != 0) return false;
    if (m_.find(id, AttributeName::kOutputToOperandAliasing)) return false;
    const auto kind = m_.find(id, AttributeName::kKind);
    return !kind || kind->empty() || (*kind)[0] != static_cast<int64_t>(hlo::FusionKind::kCustom);
  }

  uint32_t size(InstructionId id) const {
    const auto calls = m_[id].opcode == Opcode::kFusion ? m_.find(id, AttributeName::kCalls) : std::nullopt;
    return calls ? m_.computations[static_cast<size_t>((*calls)[0])].instructions.count : 1;
  }

  bool is_scalar_constant(InstructionId id) const {
    return m_[id].opcode == Opcode::kConstant && m_.shapes.dims(m_.shape(id)).empty() &&
           m_.shapes[m_.shape(id)].kind == hlo::ShapeKind::kArray;
  }

  InstructionId fused(InstructionId producer, InstructionId consumer) {
    std::vector<InstructionId> operands;
    operands.reserve(m_.operands(producer).size() + m_.operands(consumer).size());
    const auto take = [&](InstructionId from) {
      for (const InstructionId operand : m_.operands(from))
        if (operand != producer && !is_scalar_constant(operand) &&
            std::ranges::find(operands, operand) == operands.end())
          operands.push_back(operand);
    };
    take(producer);
    take(consumer);
    return loop_fusion(graph_, consumer, operands, [&](Copies& inside) {
      inside.put(producer, write(producer, inside));
      write(consumer, inside);
    });
  }

  /// The instruction, or what a fusion computes, of operands that are there or are constants.
  InstructionId write(InstructionId id, Copies& inside) {
    std::vector<InstructionId> operands;
    operands.reserve(m_.operands(id).size());
    // No spans are held while instructions are written.
    for (size_t i = 0; i < m_.operands(id).size(); ++i) operands.push_back(inside.of(m_.operands(id)[i]));
    if (m_[id].opcode != Opcode::kFusion) return w_.again(id, m_.shape(id), operands);
    return written_out(w_, ComputationId(static_cast<uint32_t>((*m_.find(id, AttributeName::kCalls))[0])),
                       operands);
  }

  AlternativeGraph& graph_;
  Writer& w_;
  Module& m_;
};

class GeneralFusion : public Pass {
 public:
  std::string_view name() const override { return "general-fusion"; }
  void propose(AlternativeGraph& graph) const override { Fuser(graph).propose(); }
};

}  // namespace

std::shared_ptr<const Pass> general_fusion() { return std::make_shared<GeneralFusion>(); }

}  // namespace isomer::passes
