#include "recipes/taso_language.h"

#include <fmt/format.h>

#include <algorithm>

#include "cost/cost_model.h"
#include "ir/graph_copy.h"

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
  ir::GraphCopy now(b, graph, ir::GraphCopy::Names::kDropped);
  now.inputs();
  const auto value = [&](ValueId v) {
    ValueId& n = now[v];
    if (!n.valid())
      n = b.add("weight", {}, {{"name", fmt::format("w{}", v.v)}, {"type", int64_t{graph.type_id(v).v}}});
    return n;
  };
  for (size_t i = 0; i < graph.size(); ++i) {
    const ValueId v(i);
    if (known[i] || now[v].valid()) continue;  // a weight, once somebody uses it
    for (ValueId o : graph.operands(v)) value(o);
    if (products && graph.def(v).is_matrix_product())
      now[v] = product(b, now[graph.operands(v)[0]], now[graph.operands(v)[1]]);
    if (!now[v].valid()) now.add(v);
  }
  std::vector<ValueId> outputs;
  for (ValueId o : graph.outputs()) outputs.push_back(value(o));
  return ir::prune(b.finish(std::move(outputs)));
}

}  // namespace

std::string free_in_taso() { return "taso.concat"; }

ir::Graph in_taso_language(const ir::Graph& graph) {
  return speaks_taso(graph) ? graph : with_weights(graph, true);
}

ir::Graph weights_as_leaves(const ir::Graph& graph) { return with_weights(graph, false); }

}  // namespace isomer::recipes
