// XLA's ZeroSizedHloElimination: an array without elements is a constant, whatever makes it, so that what it
// is made of is not needed. As there, parameters and effects stay. Ours leaves asynchronous pairs and what
// has a channel alone too.
#include "passes/copies.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

bool is_made_of_nothing(const Module& m, InstructionId id) {
  const Opcode opcode = m[id].opcode;
  if (opcode == Opcode::kParameter || opcode == Opcode::kConstant) return false;
  if (!is_static(m, m.shape(id)) || m.shapes[m.shape(id)].kind != hlo::ShapeKind::kArray) return false;
  return m.shapes.elements(m.shape(id)) == 0 && may_be_copied(m, id, true);
}

class ZeroSizedElimination : public Pass {
 public:
  std::string_view name() const override { return "zero_sized_hlo_elimination"; }

  void propose(AlternativeGraph& graph) const override {
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId at(i);
      if (!is_made_of_nothing(graph.module(), at)) continue;
      graph.writer().write_for(graph.computation_of(at));
      graph.propose(at, graph.writer().constant(graph.module().shape(at), {}), "constant-of-no-elements");
    }
  }
};

}  // namespace

std::shared_ptr<const Pass> zero_sized_elimination() {
  static const auto kPass = std::make_shared<const ZeroSizedElimination>();
  return kPass;
}

}  // namespace isomer::passes
