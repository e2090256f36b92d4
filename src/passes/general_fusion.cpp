// Fusion without heuristics: HloEnv's GeneralFusion (section 5.2), which stands in the place of XLA's fusion
// pipeline and leaves every decision to an agent. Any producer goes into any consumer of it, as far as both
// can stand in a loop; a producer that others need too is computed twice.
//
// A choice for each consumer, a way for each producer: the consumer as a fusion with the producer's
// instructions in it. Fusions grow by themselves: a producer or consumer may be one. HloEnv's pass fuses and
// clones likewise. Equal instructions within a fusion are written once, so that cloned
// producers do not multiply. Fusions of several results are multi_output_fusion.cpp's.
#include <algorithm>

#include "passes/fusions.h"
#include "passes/known_passes.h"

namespace isomer::passes {
namespace {

bool may_fuse(const Module& m, InstructionId id) {
  const Opcode opcode = m[id].opcode;
  return (opcode == Opcode::kFusion || opcode == Opcode::kReduceWindow || stands_in_a_loop(opcode)) &&
         may_be_fused(m, id);
}

class GeneralFusion : public Pass {
 public:
  std::string_view name() const override { return "general-fusion"; }
  void propose(AlternativeGraph& graph) const override {
    const Module& m = graph.module();
    const std::vector<bool> within = within_kernels(m, graph.originals());
    std::vector<bool> may(graph.originals());
    for (uint32_t i = 0; i < graph.originals(); ++i) may[i] = may_fuse(m, InstructionId(i));
    std::vector<InstructionId> producers;
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId consumer(i);
      if (!may[i] || within[graph.computation_of(consumer).v]) continue;
      producers.clear();
      for (const InstructionId operand : m.operands(consumer))
        if (may[operand.v] && std::ranges::find(producers, operand) == producers.end())
          producers.push_back(operand);
      for (const InstructionId producer : producers)
        if (body_size(m, producer) + body_size(m, consumer) <= kMostFused)
          propose_fusion_of_two(graph, producer, consumer, "fuse");
    }
  }
};

}  // namespace

std::shared_ptr<const Pass> general_fusion() { return std::make_shared<GeneralFusion>(); }

}  // namespace isomer::passes
