// Random inputs and plain runs in double precision, for tests that judge muGraphs without the verifier.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "ir/op_table.h"
#include "mugraph/programs.h"
#include "support/rng.h"

namespace isomer::mugraph {

using FloatTensor = eval::Tensor<double>;

inline std::vector<FloatTensor> random_tensors(const std::vector<Sizes>& sizes, Rng& rng) {
  std::vector<FloatTensor> out;
  for (const Sizes& s : sizes) {
    FloatTensor t{ir::DType::kF32, s, {}, {}};
    t.numbers.resize(static_cast<size_t>(t.count()));
    for (double& x : t.numbers) x = 2 * rng.uniform() - 1;
    out.push_back(std::move(t));
  }
  return out;
}

inline std::vector<FloatTensor> run_graph(const ir::Graph& graph, const std::vector<FloatTensor>& inputs) {
  eval::Float64 domain;
  std::vector<eval::Value<double>> in;
  for (const FloatTensor& t : inputs) in.push_back(eval::make_value(t));
  std::vector<FloatTensor> out;
  for (const auto& v : eval::evaluate<eval::Float64>(domain, graph, in)) out.push_back(*v.tensor);
  return out;
}

/// Largest difference relative to the largest element; infinite where shapes or NaNs differ.
inline double difference(const FloatTensor& a, const FloatTensor& b) {
  if (a.sizes != b.sizes) return HUGE_VAL;
  double scale = 1e-300, worst = 0;
  for (size_t i = 0; i < a.numbers.size(); ++i) {
    if (std::isnan(a.numbers[i]) != std::isnan(b.numbers[i])) return HUGE_VAL;
    scale = std::max(scale, std::abs(b.numbers[i]));
    worst = std::max(worst, std::abs(a.numbers[i] - b.numbers[i]));
  }
  return worst / scale;
}

}  // namespace isomer::mugraph
