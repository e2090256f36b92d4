#include "verify/rounded_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "eval/float_domain.h"
#include "ir/constant_data.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

bool all_finite(const eval::Value<double>& value) {
  if (value.tensor && !std::ranges::all_of(value.tensor->numbers, [](double x) { return std::isfinite(x); }))
    return false;
  return std::ranges::all_of(value.elements, all_finite);
}

eval::Value<double> rounded(eval::Value<double> value) {
  for (auto& element : value.elements) element = rounded(std::move(element));
  if (!value.tensor || value.tensor->numbers.empty()) return value;
  eval::Tensor<double> out = *value.tensor;
  for (double& x : out.numbers) x = ir::round_to(out.dtype, x);
  return eval::make_value(std::move(out));
}

}  // namespace

RoundedRun run_rounded(const ir::Graph& graph, const Values& inputs, const Deadline& until) {
  eval::Float64 domain;
  eval::EvalOptions<eval::Float64> options;
  options.until = until;
  RoundedRun out;
  Values values(graph.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i].index()] = inputs[i];
  const std::vector<uint32_t> uses = graph.use_counts();
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (graph.def(v).is(ir::Core::kInput) || uses[i] == 0) continue;
    Values operands;
    for (const ir::ValueId o : graph.operands(v)) operands.push_back(values[o.index()]);
    values[i] =
        rounded(eval::apply(domain, graph, v, std::span<const eval::Value<double>>(operands), options));
    out.overflows |= !graph.def(v).is(ir::Core::kConstant) && !all_finite(values[i]) &&
                     std::ranges::all_of(operands, all_finite);
  }
  for (const ir::ValueId o : graph.outputs()) out.outputs.push_back(values[o.index()]);
  out.undefined = domain.undefined > 0;
  return out;
}

}  // namespace isomer::verify
