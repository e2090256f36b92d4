#include "mugraph/interpret.h"

#include "eval/field.h"
#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "mugraph/ir_graph.h"

namespace isomer::mugraph {

template <class D>
std::vector<eval::Tensor<typename D::Number>> interpret(
    D& domain, const MuGraph& graph, std::span<const eval::Tensor<typename D::Number>> inputs) {
  ir::Context ctx(graph.ops->declarations());
  std::vector<eval::Value<typename D::Number>> in;
  for (const auto& tensor : inputs) in.push_back(eval::make_value(tensor));
  eval::EvalOptions<D> options;
  options.by_schedule = true;
  std::vector<eval::Tensor<typename D::Number>> out;
  for (const auto& value : eval::evaluate<D>(domain, to_graph(ctx, graph), in, options))
    out.push_back(*value.tensor);
  return out;
}

template std::vector<eval::Tensor<double>> interpret(eval::Float64&, const MuGraph&,
                                                     std::span<const eval::Tensor<double>>);
template std::vector<eval::Tensor<eval::FieldValue>> interpret(
    eval::PrimeField&, const MuGraph&, std::span<const eval::Tensor<eval::FieldValue>>);
template std::vector<eval::Tensor<eval::FieldValue>> interpret(
    eval::FieldOver<eval::PaperPrimes>&, const MuGraph&, std::span<const eval::Tensor<eval::FieldValue>>);

}  // namespace isomer::mugraph
