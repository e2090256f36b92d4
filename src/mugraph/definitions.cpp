#include <algorithm>
#include <memory>

#include "ir/graph_copy.h"
#include "ir/op_table.h"
#include "ir/schedule.h"
#include "ir/shorthand.h"
#include "meaning/expansion.h"
#include "meaning/flatten.h"
#include "mugraph/restate.h"

namespace isomer::mugraph {
namespace {

using ir::Graph;
using ir::ValueId;

/// The definition of an operator that adds up; else null.
std::shared_ptr<const Graph> definition(const Graph& graph, ValueId v) {
  const ir::OpDef& def = graph.def(v);
  if (def.kind != ir::MeaningKind::kComposite || def.any_maximum || ir::has_schedule(def)) return nullptr;
  std::vector<ir::TypeId> types;
  for (const ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
  std::shared_ptr<const Graph> body =
      meaning::expand(ir::OpInstance(graph.context(), def, graph.attrs(v), types, graph.type_id(v)));
  if (body == nullptr) return nullptr;
  const Graph flat = meaning::flatten(*body).graph;
  for (size_t i = 0; i < flat.size(); ++i)
    if (flat.def(ValueId(i)).kind == ir::MeaningKind::kContraction) return body;
  return nullptr;
}

ValueId quotient(ir::Builder& b, ValueId divisor) {
  const ValueId one = b.constant(b.type(divisor).dtype, {}, {1});
  return b.add("div", {ir::broadcast(b, one, ir::sizes_of(b, divisor)), divisor});
}

/// Copies what nothing stands for yet.
void write_out(ir::Builder& b, ir::GraphCopy& copy, const Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    if (copy[v].valid()) continue;
    if (graph.def(v).range_kind() == ir::RangeKind::kReciprocal && graph.type(v).is_static_tensor()) {
      copy[v] = quotient(b, copy.operands(v)[0]);
      copy.name(v);
      continue;
    }
    const std::shared_ptr<const Graph> body = definition(graph, v);
    if (body == nullptr) {
      copy.add(v);
      continue;
    }
    ir::GraphCopy inner(b, *body, ir::GraphCopy::Names::kDropped);
    const std::vector<ValueId>& operands = copy.operands(v);
    for (size_t o = 0; o < operands.size(); ++o) inner[body->inputs()[o]] = operands[o];
    write_out(b, inner, *body);
    copy[v] = inner[body->outputs()[0]];
    copy.name(v);
  }
}

}  // namespace

Graph with_definitions(const Graph& graph) {
  ir::Builder b(graph.context(), graph.title());
  ir::GraphCopy copy(b, graph);
  copy.inputs();
  write_out(b, copy, graph);
  b.donate_as(graph);
  return b.finish(copy.outputs());
}

}  // namespace isomer::mugraph
