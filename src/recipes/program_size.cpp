#include "recipes/program_size.h"

#include <cmath>

#include "cost/cost_model.h"
#include "cost/flops.h"
#include "recipes/load.h"

namespace isomer::recipes {
namespace {

template <class Counted>
int64_t operators(const ir::Graph& graph, const Counted& counts) {
  int64_t n = 0;
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::MeaningKind kind = graph.def(ir::ValueId(i)).kind;
    n += counts(i) && kind != ir::MeaningKind::kLeaf && kind != ir::MeaningKind::kTuple;
  }
  return n;
}

bool is_symbolic(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i)
    if (graph.type(ir::ValueId(i)).is_tensor() && !graph.type(ir::ValueId(i)).is_static_tensor()) return true;
  return false;
}

}  // namespace

ProgramSize size_of(const ir::Graph& graph) {
  return {operators(graph, [](size_t) { return true; }),
          is_symbolic(graph) ? -1 : std::llround(cost::work_of(graph).macs), weight_bytes(graph)};
}

Counts opaque_operators(const ir::Graph& graph) {
  Counts counts;
  for (size_t i = 0; i < graph.size(); ++i)
    if (const ir::ValueId v(i); graph.def(v).kind == ir::MeaningKind::kOpaque)
      ++counts[std::get<std::string>(graph.context().get(graph.attrs(v)[1]))];
  return counts;
}

ProgramSize size_of(const ir::Graph& graph, const eval::FoldPlan& plan, const cost::SymbolSizes& sizes) {
  const auto stays = [&](size_t i) { return plan.stays[i]; };
  double macs = 0;
  bool known = true;
  cost::SizedQueries queries(sizes);
  cost::for_each_query(graph, [&](ir::ValueId v, const cost::NodeCostQuery& query) {
    const ir::OpInstance& op = queries.sized(query).op;
    const ir::Type& result = op.ctx.get(op.output);
    known = known && (!result.is_tensor() || result.is_static_tensor());
    if (stays(v.index())) macs += cost::work_of(op).macs;
  });
  return {operators(graph, stays), known ? std::llround(macs) : -1, static_cast<uint64_t>(plan.bytes)};
}

}  // namespace isomer::recipes
