#include "mugraph/interpret.h"

#include "eval/field.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "mugraph/block_run.h"
#include "support/errors.h"

namespace isomer::mugraph {

template <class D>
std::vector<eval::Tensor<typename D::Number>> interpret(
    D& domain, const MuGraph& graph, std::span<const eval::Tensor<typename D::Number>> inputs) {
  using Tensor = eval::Tensor<typename D::Number>;
  REQUIRE(inputs.size() == graph.inputs, "as many tensors as the muGraph has inputs");
  std::vector<Tensor> values(inputs.begin(), inputs.end());
  values.resize(graph.values.size());
  for (const KernelNode& n : graph.nodes) {
    std::vector<const Tensor*> operands;
    for (uint32_t o : n.operands) operands.push_back(&values[o]);
    std::vector<Tensor> results;
    for (uint32_t r : n.results) {
      results.push_back({ir::DType::kF32, graph.values[r], {}, {}});
      results.back().numbers.resize(static_cast<size_t>(results.back().count()));
    }
    if (n.block) {
      BlockRun<D>(domain, *graph.ops, *n.block).run(operands, results);
    } else {
      ir::Context ctx(ir::standard_ops());
      ir::Builder b(ctx);
      std::vector<ir::ValueId> in;
      std::vector<eval::Value<typename D::Number>> given;
      for (const Tensor* t : operands) {
        in.push_back(b.input("", ctx.tensor_type(ir::DType::kF32, ir::static_shape(t->sizes))));
        given.push_back(eval::make_value(*t));
      }
      const ir::ValueId v = apply_meaning(b, graph.ops->get(n.op), in, Place{0, n.axis, 1, 0});
      results[0] = *eval::evaluate<D>(domain, b.finish({v}), given)[0].tensor;
    }
    for (size_t i = 0; i < results.size(); ++i) values[n.results[i]] = std::move(results[i]);
  }
  std::vector<Tensor> out;
  for (uint32_t o : graph.outputs) out.push_back(values[o]);
  return out;
}

template std::vector<eval::Tensor<double>> interpret(eval::Float64&, const MuGraph&,
                                                     std::span<const eval::Tensor<double>>);
template std::vector<eval::Tensor<eval::FieldValue>> interpret(
    eval::PrimeField&, const MuGraph&, std::span<const eval::Tensor<eval::FieldValue>>);
template std::vector<eval::Tensor<eval::FieldValue>> interpret(
    eval::FieldOver<eval::PaperPrimes>&, const MuGraph&, std::span<const eval::Tensor<eval::FieldValue>>);

}  // namespace isomer::mugraph
