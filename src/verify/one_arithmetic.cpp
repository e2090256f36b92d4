#include "verify/one_arithmetic.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "eval/interpreter.h"
#include "eval/outcome.h"
#include "eval/unrounded.h"
#include "verify/program_outputs.h"
#include "verify/rounded_run.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

bool same_integers(const eval::Value<double>& a, const eval::Value<double>& b) {
  if (a.tensor && b.tensor) return a.tensor->integers == b.tensor->integers;
  return std::ranges::equal(a.elements, b.elements, same_integers);
}

/// Nothing where an element has no value.
std::optional<Values> unrounded(const ir::Graph& graph, std::span<const eval::Value<double>> inputs,
                                const Deadline& until) {
  eval::Unrounded domain;
  eval::EvalOptions<eval::Unrounded> options;
  options.until = until;
  Values out = eval::evaluate(domain, graph, inputs, options);
  return domain.undefined == 0 ? std::optional(std::move(out)) : std::nullopt;
}

std::optional<Values> rounded(const ir::Graph& graph, std::span<const eval::Value<double>> inputs,
                              const Deadline& until) {
  RoundedRun out = run_rounded(graph, {inputs.begin(), inputs.end()}, until);
  return out.undefined ? std::nullopt : std::optional(std::move(out.outputs));
}

}  // namespace

bool casts_round(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (graph.def(v).elements_of(0) != ir::Elements::kConverted || !graph.type(v).is_tensor()) continue;
    const ir::DType from = graph.type(graph.operands(v)[0]).dtype, to = graph.type(v).dtype;
    if (ir::is_float(to) && !(ir::is_float(from) && ir::keeps_all(from, to))) return true;
  }
  return false;
}

bool integers_part(const ir::Graph& a, const ir::Graph& b, std::span<const eval::Value<double>> inputs,
                   const Deadline& until) {
  for (const auto& way : {unrounded, rounded}) {
    const auto parted = eval::outcome_of([&] {
      const auto left = way(a, inputs, until);
      const auto right = left ? way(b, inputs, until) : std::nullopt;
      return !(left && right && std::ranges::equal(*left, *right, same_integers));
    });
    if (!parted || *parted.value) return true;
  }
  return false;
}

bool integers_part(const ir::Graph& a, const ir::Graph& b, const Draw& draw, const Deadline& until) {
  Values inputs;
  for (eval::Tensor<double>& input : drawn_inputs(a, draw))
    inputs.push_back(eval::make_value(std::move(input)));
  return inputs.size() != a.inputs().size() || integers_part(a, b, inputs, until);
}

}  // namespace isomer::verify
