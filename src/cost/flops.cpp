#include "cost/flops.h"

#include <algorithm>
#include <optional>

#include "cost/nominal.h"
#include "ir/scalar_table.h"
#include "meaning/expansion.h"
#include "support/errors.h"

namespace isomer::cost {
namespace {

using ir::MeaningKind;
using ir::ScalarOp;

double weight(const ir::ScalarExpr& expr) {
  double sum = 0;
  for (const ir::ScalarExpr::Instr& instr : expr.code()) sum += ir::row(instr.op).flops;
  return sum;
}

double product(const std::vector<ir::Size>& extents) {
  double out = 1;
  for (const ir::Size& e : extents) out *= static_cast<double>(e.number());
  return out;
}

Work work_of_nest(const ir::LoopNest& nest) {
  Work work;
  const double outputs = product(nest.space);
  // A scan takes up where its neighbour left off.
  const bool scans = nest.scan.up_to >= 0 && !nest.reduce.empty();
  const double iterations =
      outputs * product(scans ? std::vector(nest.reduce.begin() + 1, nest.reduce.end()) : nest.reduce);
  work.flops = outputs * weight(nest.result);
  for (const ir::ScalarExpr& result : nest.further) work.flops += outputs * weight(result);
  for (const ir::Accumulator& accumulator : nest.accumulators) {
    work.flops += iterations * (weight(accumulator.body) + 1);
    const auto& code = accumulator.body.code();
    const bool multiplies =
        std::any_of(code.begin(), code.end(), [](const auto& instr) { return instr.op == ScalarOp::kMul; });
    if (multiplies && accumulator.combine == ir::Combiner::kSum) work.macs += iterations;
  }
  return work;
}

void add(Work& sum, const Work& part) {
  sum.flops += part.flops;
  sum.macs += part.macs;
}

double operand_bytes(const ir::OpInstance& op) {
  double sum = 0;
  for (ir::TypeId input : op.inputs) sum += bytes_of(op.ctx, input);
  return sum;
}

double output_elements(const ir::Context& ctx, ir::TypeId id) {
  const ir::Type& type = ctx.get(id);
  double sum = type.is_static_tensor() ? static_cast<double>(ir::element_count(type.shape)) : 0;
  for (ir::TypeId element : type.elements) sum += output_elements(ctx, element);
  return sum;
}

bool has_static_types(const ir::OpInstance& op) {
  const auto good = [&](auto&& self, ir::TypeId id) -> bool {
    const ir::Type& type = op.ctx.get(id);
    if (type.kind == ir::TypeKind::kTuple)
      return std::all_of(type.elements.begin(), type.elements.end(),
                         [&](ir::TypeId e) { return self(self, e); });
    return type.is_static_tensor();
  };
  return good(good, op.output) &&
         std::all_of(op.inputs.begin(), op.inputs.end(), [&](ir::TypeId i) { return good(good, i); });
}

Work work_of_graph(const ir::Graph& body) {
  Work sum;
  for (size_t i = 0; i < body.size(); ++i) {
    const ir::ValueId v(i);
    if (body.def(v).is(ir::Core::kInput)) continue;
    std::vector<ir::TypeId> inputs;
    for (ir::ValueId operand : body.operands(v)) inputs.push_back(body.type_id(operand));
    add(sum, work_of(ir::OpInstance(body.context(), body.def(v), body.attrs(v), inputs, body.type_id(v))));
  }
  return sum;
}

// The arithmetic of a composite is that of its definition, if it can be written out.
std::optional<Work> work_of_expansion(const ir::OpInstance& op) {
  const std::shared_ptr<const ir::Graph> body = meaning::expand(op);
  return body ? std::optional(work_of_graph(*body)) : std::nullopt;
}

// Regions count once, however often they are applied: that is not known.
Work work_of_procedure(const ir::OpInstance& op) {
  Work sum;
  sum.flops = op.op.steps(op);
  for (const ir::AttrSpec& attr : op.op.attrs)
    if (ir::is_region(attr.role)) add(sum, work_of_graph(op.ctx.get(op.region(attr.role))));
  return sum;
}

// The meaning of what has strides and no window (conv_transpose) tries every tap at every output position;
// only one in `stride` meets an input, and no kernel computes the others.
void drop_taps_between_strides(const ir::OpInstance& op, Work& work) {
  for (int64_t stride : op.ints("strides")) {
    work.flops /= static_cast<double>(stride);
    work.macs /= static_cast<double>(stride);
  }
}

// What a movement reads: each element that it writes once, and the operands that hold indices.
double moved_bytes(const ir::OpInstance& op) {
  const double written = bytes_of(op.ctx, op.output);
  double indices = 0;
  if (op.op.elements_of(1) == ir::Elements::kIndices && op.inputs.size() > 1)
    indices = bytes_of(op.ctx, op.inputs[1]);
  return written + indices;
}

Work work_of_static(const ir::OpInstance& op, bool replaced) {
  Work work;
  work.bytes_written = bytes_of(op.ctx, op.output);
  work.bytes_read = op.op.kind == MeaningKind::kMovement ? moved_bytes(op) : operand_bytes(op);
  if (op.op.kind == MeaningKind::kOpaque || op.op.kind == MeaningKind::kMovement) return work;
  const double elements = output_elements(op.ctx, op.output);
  if (!has_static_types(op)) {
    work.flops = elements;
    return work;
  }
  if (op.op.kind == MeaningKind::kComposite && op.op.expand) {
    const std::optional<Work> expansion = work_of_expansion(op);
    // Nominal sizes need not fit together: then count by the result.
    REQUIRE(expansion || replaced, "a composite that cannot be written out: " + op.op.name);
    add(work, expansion.value_or(Work{.flops = elements}));
  } else if (op.op.kind == MeaningKind::kProcedural) {
    add(work, work_of_procedure(op));
  } else if (op.op.nests) {
    for (const ir::LoopNest& nest : op.op.nests(op)) add(work, work_of_nest(nest));
    if (op.op.has_role(ir::AttrRole::kStrides) && !op.op.windowed) drop_taps_between_strides(op, work);
  } else {
    work.flops = elements;
  }
  return work;
}

}  // namespace

bool is_view(const ir::OpDef& op) {
  return op.moves == ir::Moves::kReshapes || op.moves == ir::Moves::kAsksShape || op.is(ir::Core::kBroadcast);
}

double bytes_of(const ir::Context& ctx, ir::TypeId id) {
  const ir::Type& type = ctx.get(id);
  double sum = 0;
  if (type.is_static_tensor()) {
    const int64_t count = ir::element_count(type.shape);
    sum = static_cast<double>(ir::byte_size(type.dtype, count));
  }
  for (ir::TypeId element : type.elements) sum += bytes_of(ctx, element);
  return sum;
}

Work work_of(const ir::OpInstance& op, int64_t nominal_size) {
  if (op.op.kind == MeaningKind::kLeaf || op.op.kind == MeaningKind::kTuple || is_view(op.op))
    return {.free = true};
  const NominalInstance nominal(op, nominal_size);
  return work_of_static(nominal.op(), nominal.replaced());
}

Work work_of(const ir::Graph& graph, int64_t nominal_size) {
  std::vector<bool> needed(graph.size(), false);
  for (ir::ValueId v : graph.outputs()) needed[v.index()] = true;
  Work sum{.free = true};
  for (size_t i = graph.size(); i-- > 0;) {
    const ir::ValueId v(i);
    if (!needed[i]) continue;
    std::vector<ir::TypeId> inputs;
    for (ir::ValueId operand : graph.operands(v)) {
      needed[operand.index()] = true;
      inputs.push_back(graph.type_id(operand));
    }
    const Work work =
        work_of(ir::OpInstance(graph.context(), graph.def(v), graph.attrs(v), inputs, graph.type_id(v)),
                nominal_size);
    add(sum, work);
    sum.bytes_read += work.bytes_read;
    sum.bytes_written += work.bytes_written;
    sum.free = sum.free && work.free;
  }
  return sum;
}

}  // namespace isomer::cost
