#include "recipes/taso_language.h"

#include <fmt/format.h>

#include <algorithm>

#include "cost/cost_model.h"

namespace isomer::recipes {
namespace {

using ir::ValueId;

bool speaks_taso(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.def(ValueId(i)).name.starts_with("taso.")) return true;
  return false;
}

std::vector<int64_t> sizes(const ir::Type& type) {
  std::vector<int64_t> out;
  for (ir::Dim d : type.shape) out.push_back(d.size());
  return out;
}

ValueId reshape(ir::Builder& b, ValueId v, const std::vector<int64_t>& shape) {
  return sizes(b.type(v)) == shape ? v : b.add("reshape", {v}, {{"shape", ir::static_shape(shape)}});
}

/// The product as TASO's, or an invalid id where it has none.
ValueId product(ir::Builder& b, ValueId x, ValueId y) {
  if (!b.type(x).is_static_tensor() || !b.type(y).is_static_tensor()) return {};
  std::vector<int64_t> p = sizes(b.type(x)), q = sizes(b.type(y));
  if (p.size() < 2 || q.size() < 2) return {};
  std::vector<int64_t> result = p;
  result.back() = q.back();
  int64_t batch = 1;
  for (size_t i = 0; i + 2 < p.size(); ++i) batch *= p[i];
  if (q.size() == 2) {  // all rows at once
    x = reshape(b, x, {batch * p[p.size() - 2], p.back()});
  } else {
    if (p.size() != q.size() || !std::equal(p.begin(), p.end() - 2, q.begin())) return {};
    x = reshape(b, x, {batch, p[p.size() - 2], p.back()});
    y = reshape(b, y, {batch, q[q.size() - 2], q.back()});
  }
  return reshape(b, b.add("taso.matmul", {x, y}, {{"act", int64_t{0}}}), result);
}

ir::Graph with_weights(const ir::Graph& graph, bool products) {
  ir::Builder b(graph.context(), graph.title());
  const std::vector<bool> known = cost::known_at_compile_time(graph);
  std::vector<ValueId> now(graph.size());
  for (ValueId i : graph.inputs()) now[i.index()] = b.input(graph.name(i), graph.type_id(i));
  const auto value = [&](ValueId v) {
    ValueId& n = now[v.index()];
    if (!n.valid())
      n = b.add("weight", {}, {{"name", fmt::format("w{}", v.v)}, {"type", int64_t{graph.type_id(v).v}}});
    return n;
  };
  std::vector<ValueId> operands;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    if (known[i] || now[i].valid()) continue;  // a weight, once somebody uses it
    operands.clear();
    for (ValueId o : graph.operands(v)) operands.push_back(value(o));
    if (products && graph.def(v).is_matrix_product()) now[i] = product(b, operands[0], operands[1]);
    if (!now[i].valid()) now[i] = b.add_typed(graph.op(v), graph.payload(v), operands, graph.type_id(v));
  }
  std::vector<ValueId> outputs;
  for (ValueId o : graph.outputs()) outputs.push_back(value(o));
  return ir::prune(b.finish(std::move(outputs)));
}

}  // namespace

ir::Graph in_taso_language(const ir::Graph& graph) {
  return speaks_taso(graph) ? graph : with_weights(graph, true);
}

ir::Graph weights_as_leaves(const ir::Graph& graph) { return with_weights(graph, false); }

}  // namespace isomer::recipes
