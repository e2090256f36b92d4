#include "mugraph/lower.h"

#include <fmt/format.h>

#include "ir/kernel.h"
#include "mugraph/ir_graph.h"

namespace isomer::mugraph {

using ir::ValueId;

ir::Graph lower(ir::Context& ctx, const MuGraph& graph, ir::DType dtype) {
  ir::Builder b(ctx, "mugraph");
  std::vector<ValueId> values(graph.values.size());
  for (size_t i = 0; i < graph.inputs; ++i)
    values[i] = b.input(fmt::format("x{}", i), ctx.tensor_type(dtype, ir::static_shape(graph.values[i])));
  for (const KernelNode& n : graph.nodes) {
    std::vector<ValueId> in;
    for (uint32_t o : n.operands) in.push_back(values[o]);
    if (n.block) {
      const ir::Graph body = body_graph(ctx, *graph.ops, *n.block, dtype);
      const auto out = ir::write_out(b, body, schedule_of(*n.block), in);
      for (size_t i = 0; i < out.size(); ++i) values[n.results[i]] = out[i];
    } else {
      values[n.results[0]] = apply_once(b, graph.ops->get(n.op), in, Place{n.axis, 1, 0});
    }
  }
  std::vector<ValueId> outputs;
  for (uint32_t o : graph.outputs) outputs.push_back(values[o]);
  return b.finish(std::move(outputs));
}

}  // namespace isomer::mugraph
