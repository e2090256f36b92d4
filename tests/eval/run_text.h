// A graph in its textual form, evaluated in double precision on seeded inputs.
#pragma once

#include <string>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "meaning/nest.h"
#include "support/rng.h"

namespace isomer::eval_test {

using eval::Tensor;
using eval::Value;

/// Floats in [-1, 1); integers in [0, limit).
inline Tensor<double> random_tensor(ir::DType dtype, std::vector<int64_t> sizes, Rng& rng,
                                    int64_t limit = 3) {
  Tensor<double> t{dtype, std::move(sizes), {}, {}};
  for (int64_t i = 0; i < t.count(); ++i) {
    if (ir::is_integer(dtype))
      t.integers.push_back(static_cast<int64_t>(rng.below(static_cast<uint64_t>(limit))));
    else
      t.numbers.push_back(rng.uniform() * 2 - 1);
  }
  return t;
}

/// Operands as nests read them.
struct Operands {
  std::vector<Tensor<double>> tensors;
  double number(int input, int64_t at) const {
    return tensors[static_cast<size_t>(input)].numbers[static_cast<size_t>(at)];
  }
  int64_t integer(int input, int64_t at) const {
    return tensors[static_cast<size_t>(input)].integers[static_cast<size_t>(at)];
  }
};

/// The nests of the operator that a graph ends with.
inline std::vector<meaning::CompiledNest> nests_of(const ir::Graph& graph) {
  const ir::ValueId v = graph.outputs()[0];
  std::vector<ir::TypeId> types;
  for (ir::ValueId o : graph.operands(v)) types.push_back(graph.type_id(o));
  const ir::OpInstance op(graph.context(), graph.def(v), graph.attrs(v), types, graph.type_id(v));
  return meaning::compile_nests(op, "test");
}

/// Its operands, drawn.
inline Operands operands_of(const ir::Graph& graph, Rng& rng) {
  Operands out;
  for (ir::ValueId o : graph.operands(graph.outputs()[0]))
    out.tensors.push_back(random_tensor(graph.type(o).dtype, ir::sizes(graph.type(o).shape), rng));
  return out;
}

struct Ran {
  std::vector<Tensor<double>> inputs;
  std::vector<Tensor<double>> outputs;  ///< tuples taken apart
};

inline Ran run_text(ir::Context& ctx, const std::string& text, uint64_t seed = 1, int64_t limit = 3) {
  const ir::Graph graph = ir::parse_graph(ctx, text);
  Rng rng(seed);
  Ran ran;
  std::vector<Value<double>> values;
  for (ir::ValueId v : graph.inputs()) {
    ran.inputs.push_back(random_tensor(graph.type(v).dtype, ir::sizes(graph.type(v).shape), rng, limit));
    values.push_back(eval::make_value(ran.inputs.back()));
  }
  eval::Float64 domain;
  for (const auto& out : eval::evaluate(domain, graph, std::span<const Value<double>>(values))) {
    if (out.tensor) ran.outputs.push_back(*out.tensor);
    for (const auto& e : out.elements) ran.outputs.push_back(*e.tensor);
  }
  return ran;
}

}  // namespace isomer::eval_test
