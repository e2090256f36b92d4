#include "verify/rounded_run.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "eval/float_domain.h"
#include "ir/constant_data.h"
#include "support/hash.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

bool all_finite(const eval::Value<double>& value) {
  if (value.tensor && !std::ranges::all_of(value.tensor->numbers, [](double x) { return std::isfinite(x); }))
    return false;
  return std::ranges::all_of(value.elements, all_finite);
}

template <class Of>  // of an element's type, number and place
eval::Value<double> changed(eval::Value<double> value, const Of& of) {
  for (auto& element : value.elements) element = changed(std::move(element), of);
  if (!value.tensor || value.tensor->numbers.empty()) return value;
  eval::Tensor<double> out = *value.tensor;
  for (size_t i = 0; i < out.numbers.size(); ++i) out.numbers[i] = of(out.dtype, out.numbers[i], i);
  return eval::make_value(std::move(out));
}

double rounded(ir::DType dtype, double x, size_t) { return ir::round_to(dtype, x); }

/// `after(v, operands, value)` makes of each operator's result what others read.
template <class After>
Values run_each(eval::Float64& domain, const ir::Graph& graph, const Values& inputs,
                meaning::KnownNests* nests, const Deadline& until, const After& after) {
  eval::EvalOptions<eval::Float64> options;
  options.until = until;
  options.nests = nests;
  Values values(graph.size());
  for (size_t i = 0; i < inputs.size(); ++i) values[graph.inputs()[i].index()] = inputs[i];
  const std::vector<uint32_t> uses = graph.use_counts();
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (graph.def(v).is(ir::Core::kInput) || uses[i] == 0) continue;
    Values operands;
    for (const ir::ValueId o : graph.operands(v)) operands.push_back(values[o.index()]);
    values[i] = after(v, operands,
                      eval::apply(domain, graph, v, std::span<const eval::Value<double>>(operands), options));
  }
  Values out;
  for (const ir::ValueId o : graph.outputs()) out.push_back(values[o.index()]);
  return out;
}

}  // namespace

Values run_off_by_chance(const ir::Graph& graph, const Values& inputs, uint64_t seed,
                         meaning::KnownNests* nests, const Deadline& until) {
  eval::Float64 domain;
  const Values all =
      run_each(domain, graph, inputs, nests, until, [&](ir::ValueId v, const Values&, auto value) {
        // What only moves elements rounds nothing, and a constant is what it is.
        if (seed == 0 || graph.def(v).is(ir::Core::kConstant) ||
            graph.def(v).kind == ir::MeaningKind::kMovement)
          return value;
        const uint64_t own = hash_combine(seed, v.index());
        return changed(std::move(value), [&](ir::DType dtype, double x, size_t i) {
          const double chance = 2 * (static_cast<double>(mix64(hash_combine(own, i)) >> 11) * 0x1p-53) - 1;
          return x * (1 + chance * ir::spacing_at_one(dtype) / 2);
        });
      });
  Values out;
  for (const auto& value : all) {
    if (value.tensor) out.push_back(value);
    out.insert(out.end(), value.elements.begin(), value.elements.end());
  }
  return out;
}

RoundedRun run_rounded(const ir::Graph& graph, const Values& inputs, const Deadline& until) {
  eval::Float64 domain;
  RoundedRun out;
  out.outputs =
      run_each(domain, graph, inputs, nullptr, until, [&](ir::ValueId v, const Values& operands, auto value) {
        value = changed(std::move(value), rounded);
        out.overflows |= !graph.def(v).is(ir::Core::kConstant) && !all_finite(value) &&
                         std::ranges::all_of(operands, all_finite);
        return value;
      });
  out.undefined = domain.undefined > 0;
  return out;
}

}  // namespace isomer::verify
