// XLA's HloConstantFolding: what is computed of constants alone is a constant. As there, broadcasts stay (a
// constant takes more room), and so does what is too large. XLA runs an interpreter of all of HLO; here only
// what has the same bits wherever it is computed is folded (evaluate.h): no functions like exp, no sums of
// floats, nothing that is or makes a NaN.
#include <algorithm>

#include "passes/copies.h"
#include "passes/evaluate.h"
#include "passes/known_passes.h"
#include "passes/rule_pass.h"

namespace isomer::passes {
namespace {

constexpr int64_t kMostElements = 45'000'000;  // as XLA

bool is_foldable(const Module& m, InstructionId id) {
  const hlo::Instruction& i = m[id];
  if (i.opcode == Opcode::kBroadcast || i.operands.count == 0 || !may_be_replaced(m, id)) return false;
  if (m.shapes[i.shape].kind != hlo::ShapeKind::kArray || !is_static(m, i.shape)) return false;
  if (m.shapes.elements(i.shape) > kMostElements) return false;
  return std::ranges::all_of(m.operands(id), [&](InstructionId a) {
    return m[a].opcode == Opcode::kConstant && !m.literal(a).elided &&
           m.shapes[m.shape(a)].kind == hlo::ShapeKind::kArray;
  });
}

class ConstantFolding : public Pass {
 public:
  std::string_view name() const override { return "constant_folding"; }

  void propose(AlternativeGraph& graph) const override {
    Writer& w = graph.writer();
    const Module& m = graph.module();
    for (uint32_t i = 0; i < graph.originals(); ++i) {
      const InstructionId at(i);
      if (!is_foldable(m, at)) continue;
      std::vector<BytesView> operands;
      for (const InstructionId a : m.operands(at)) operands.emplace_back(m.literal(a).bytes);
      std::optional<Bytes> bytes = evaluated(m, at, operands);
      if (!bytes) continue;
      w.write_for(graph.computation_of(at));
      graph.propose(at, w.constant(m.shape(at), std::move(*bytes)), "constant-of-constants");
    }
  }
};

}  // namespace

std::shared_ptr<const Pass> constant_folding() {
  static const auto kPass = std::make_shared<const ConstantFolding>();
  return kPass;
}

}  // namespace isomer::passes
