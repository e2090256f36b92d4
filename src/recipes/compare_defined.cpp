#include "recipes/compare_defined.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/outcome.h"
#include "eval/tensor_bytes.h"
#include "ir/constant_data.h"
#include "ir/shorthand.h"
#include "recipes/agreement.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using runtime::NamedTensor;

eval::Tensor<double> tensor_of(const NamedTensor& tensor) {
  eval::Tensor<double> out{tensor.dtype, tensor.shape, {}, {}};
  const auto count = static_cast<size_t>(out.count());
  if (ir::is_float(tensor.dtype)) {
    out.numbers.resize(count);
    for (size_t i = 0; i < count; ++i)
      out.numbers[i] = ir::load_number(tensor.dtype, tensor.bytes, static_cast<int64_t>(i));
  } else {
    out.integers.resize(count);
    for (size_t i = 0; i < count; ++i)
      out.integers[i] = ir::load_integer(tensor.dtype, tensor.bytes, static_cast<int64_t>(i));
  }
  return out;
}

bool has_numbers(ir::DType dtype) { return dtype != ir::DType::kString && dtype != ir::DType::kUndefined; }

/// Floats: off by `tolerance` of the largest, or by `least`.
std::string apart(const NamedTensor& a, const NamedTensor& b, double tolerance, double least) {
  if (a.dtype != b.dtype || a.shape != b.shape)
    return fmt::format("output {}: other types or shapes", a.name);
  if (!has_numbers(a.dtype))
    return a.strings == b.strings ? "" : fmt::format("output {}: other texts", a.name);
  const int64_t count = ir::element_count(a.shape);
  if (!ir::is_float(a.dtype)) {
    for (int64_t i = 0; i < count; ++i)
      if (const int64_t x = ir::load_integer(a.dtype, a.bytes, i), y = ir::load_integer(b.dtype, b.bytes, i);
          x != y)
        return fmt::format("output {} at element {}: {} against {}", a.name, i, x, y);
    return {};
  }
  double largest = 0;
  for (int64_t i = 0; i < count; ++i)
    if (const double x = std::abs(ir::load_number(b.dtype, b.bytes, i)); std::isfinite(x))
      largest = std::max(largest, x);
  for (int64_t i = 0; i < count; ++i) {
    const double x = ir::load_number(a.dtype, a.bytes, i), y = ir::load_number(b.dtype, b.bytes, i);
    const bool same =
        x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= std::max(tolerance * largest, least);
    if (!same) return fmt::format("output {} at element {}: {} against {}", a.name, i, x, y);
  }
  return {};
}

}  // namespace

std::string apart(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b,
                  const Leeway& leeway) {
  if (a.size() != b.size()) return "other numbers of outputs";
  for (size_t o = 0; o < a.size(); ++o)
    if (std::string said =
            apart(a[o], b[o], leeway.tolerance, leeway.shares.contains(o) ? kNextToNothing : 0);
        !said.empty())
      return said;
  return {};
}

namespace {

template <class Domain>
std::optional<std::vector<eval::Tensor<double>>> evaluated(const ir::Graph& graph,
                                                           std::span<const eval::Value<double>> inputs,
                                                           bool rounded, const Deadline& until) {
  Domain domain;
  eval::EvalOptions<Domain> options;
  options.round_results = rounded;
  options.until = until;
  const auto values = eval::outcome_of([&] { return eval::evaluate(domain, graph, inputs, options); });
  if (!values || domain.undefined > 0) return std::nullopt;
  std::vector<eval::Tensor<double>> out;
  for (const auto& value : *values) {
    if (!value.tensor) return std::nullopt;
    out.push_back(*value.tensor);
  }
  return out;
}

}  // namespace

std::optional<std::vector<eval::Tensor<double>>> defined_outputs(
    const ir::Graph& graph, const std::vector<eval::Tensor<double>>& inputs, Arithmetic how,
    const Deadline& until) {
  std::vector<eval::Value<double>> given;
  for (const eval::Tensor<double>& input : inputs) given.push_back(eval::make_value(input));
  return how == Arithmetic::kSingle
             ? evaluated<eval::Float32>(graph, given, true, until)
             : evaluated<eval::Float64>(graph, given, how == Arithmetic::kRounded, until);
}

std::optional<std::vector<eval::Tensor<double>>> defined_outputs(const ir::Graph& graph,
                                                                 const std::vector<NamedTensor>& inputs,
                                                                 Arithmetic how, const Deadline& until) {
  std::vector<eval::Tensor<double>> given;
  for (const ir::ValueId input : graph.inputs()) {
    const auto found = std::ranges::find(inputs, graph.name(input), &NamedTensor::name);
    if (found == inputs.end() || !has_numbers(found->dtype)) return std::nullopt;
    given.push_back(tensor_of(*found));
  }
  return defined_outputs(graph, given, how, until);
}

AsDefined as_defined(const ir::Graph& graph, const runtime::FedRun& run, const Leeway& leeway,
                     const Deadline& until) {
  constexpr double kSeconds = 20;
  const auto values = defined_outputs(graph, run.inputs, Arithmetic::kRounded, until.part(1, kSeconds));
  if (!values || values->size() != run.outputs.size()) return {};
  std::vector<NamedTensor> defined;
  for (size_t o = 0; o < values->size(); ++o) {
    const eval::Tensor<double>& value = (*values)[o];
    defined.push_back({run.outputs[o].name, value.dtype, value.sizes, eval::to_bytes(value), {}});
  }
  return {true, apart(run.outputs, defined, leeway)};
}

}  // namespace isomer::recipes
