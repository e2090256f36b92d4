#include "runtime/kernels_of.h"

#include <algorithm>
#include <iterator>

#include "cost/known.h"
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

/// In the order of the graph. Views are what they are of.
double most_live(const ir::Graph& body, const std::vector<bool>& known) {
  const size_t n = body.size();
  std::vector<size_t> of(n), last(n);
  for (size_t i = 0; i < n; ++i) {
    const ir::ValueId v(i);
    of[i] = cost::is_view(body.def(v)) ? of[body.operands(v)[0].index()] : i;
    last[of[i]] = i;
    for (const ir::ValueId operand : body.operands(v)) last[of[operand.index()]] = i;
  }
  for (const ir::ValueId output : body.outputs()) last[of[output.index()]] = n;
  std::vector<double> freed(n + 1);
  double live = 0, most = 0;
  for (size_t i = 0; i < n; ++i) {
    if (of[i] != i || known[i]) continue;
    const double bytes = cost::bytes_of(body.context(), body.type_id(ir::ValueId(i)));
    live += bytes;
    freed[last[i]] += bytes;
    most = std::max(most, live);
    live -= freed[i];
  }
  return most;
}

/// Of the definition's operators.
Kernels kernels_within(const ir::Graph& body, std::span<const cost::OperandFacts> operands,
                       const formats::Dialect& dialect) {
  const std::vector<bool> known = cost::known_values(body, [&](size_t i) { return is_weight(operands, i); });
  Kernels out{{}, most_live(body, known)};
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
