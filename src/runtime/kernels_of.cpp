#include "runtime/kernels_of.h"

#include <algorithm>
#include <iterator>

#include "cost/known.h"
#include "cost/live_bytes.h"
#include "meaning/expansion.h"

namespace isomer::runtime {
namespace {

bool is_weight(std::span<const cost::OperandFacts> operands, size_t i) {
  return i < operands.size() && operands[i].weight;
}

Kernels one_kernel(const ir::OpInstance& op, std::span<const cost::OperandFacts> operands) {
  Kernels out{{cost::work_of(op)}, cost::bytes_of(op.ctx, op.output)};
  for (size_t i = 0; i < op.inputs.size(); ++i)
    if (!is_weight(operands, i)) out.live_bytes += cost::bytes_of(op.ctx, op.inputs[i]);
  return out;
}

/// Of the definition's operators.
Kernels kernels_within(const ir::Graph& body, std::span<const cost::OperandFacts> operands,
                       const formats::Dialect& dialect) {
  const std::vector<bool> known = cost::known_values(body, [&](size_t i) { return is_weight(operands, i); });
  const auto bytes = [&](ir::ValueId v) { return cost::bytes_of(body.context(), body.type_id(v)); };
  Kernels out{{}, cost::most_live(body, known, bytes)};
  for (size_t i = 0; i < body.size(); ++i) {
    const ir::ValueId v(i);
    std::vector<ir::TypeId> types;
    std::vector<cost::OperandFacts> own;
    for (const ir::ValueId operand : body.operands(v)) {
      types.push_back(body.type_id(operand));
      own.emplace_back().weight = known[operand.index()];
    }
    const ir::OpInstance part(body.context(), body.def(v), body.attrs(v), types, body.type_id(v));
    if (known[i] || cost::work_of(part).free) continue;
    std::ranges::move(kernels_of(part, own, dialect).works, std::back_inserter(out.works));
  }
  return out;
}

}  // namespace

Kernels kernels_of(const ir::OpInstance& op, std::span<const cost::OperandFacts> operands,
                   const formats::Dialect& dialect) {
  if (op.op.kind == ir::MeaningKind::kComposite && op.op.expand && !formats::can_spell(op, dialect))
    if (const std::shared_ptr<const ir::Graph> body = meaning::expand(op)) {
      Kernels parts = kernels_within(*body, operands, dialect);
      if (std::ranges::any_of(parts.works, [](const cost::Work& w) { return w.macs > 0; })) return parts;
    }
  return one_kernel(op, operands);
}

}  // namespace isomer::runtime
