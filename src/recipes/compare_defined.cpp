#include "recipes/compare_defined.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "eval/evaluation_cut.h"
#include "eval/float64.h"
#include "eval/interpreter.h"
#include "eval/tensor_bytes.h"
#include "ir/constant_data.h"
#include "ir/shorthand.h"
#include "support/deadline.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using runtime::NamedTensor;

eval::Value<double> value_of(const NamedTensor& tensor) {
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
  return eval::make_value(std::move(out));
}

bool has_numbers(ir::DType dtype) { return dtype != ir::DType::kString && dtype != ir::DType::kUndefined; }

std::string apart(const NamedTensor& a, const NamedTensor& b, double tolerance) {
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
    const bool same = x == y || (std::isnan(x) && std::isnan(y)) || std::abs(x - y) <= tolerance * largest;
    if (!same) return fmt::format("output {} at element {}: {} against {}", a.name, i, x, y);
  }
  return {};
}

}  // namespace

std::string apart(const std::vector<NamedTensor>& a, const std::vector<NamedTensor>& b, double tolerance) {
  if (a.size() != b.size()) return "other numbers of outputs";
  for (size_t o = 0; o < a.size(); ++o)
    if (std::string said = apart(a[o], b[o], tolerance); !said.empty()) return said;
  return {};
}

AsDefined as_defined(const ir::Graph& graph, const runtime::FedRun& run, double tolerance) {
  constexpr double kSeconds = 20;
  std::vector<eval::Value<double>> inputs;
  for (const ir::ValueId input : graph.inputs()) {
    const auto given = std::ranges::find(run.inputs, graph.name(input), &NamedTensor::name);
    if (given == run.inputs.end() || !has_numbers(given->dtype)) return {};
    inputs.push_back(value_of(*given));
  }
  AsDefined out;
  std::vector<NamedTensor> defined;
  try {
    eval::Float64 domain;
    eval::EvalOptions<eval::Float64> options;
    options.round_results = true;
    options.until = Deadline(kSeconds, steady_clock());
    const auto values = eval::evaluate(domain, graph, std::span<const eval::Value<double>>(inputs), options);
    if (domain.undefined > 0 || values.size() != run.outputs.size()) return {};
    for (size_t o = 0; o < values.size(); ++o) {
      if (!values[o].tensor) return {};
      const eval::Tensor<double>& value = *values[o].tensor;
      defined.push_back({run.outputs[o].name, value.dtype, value.sizes, eval::to_bytes(value), {}});
    }
  } catch (const Error&) {  // no meaning, no static shape, an index out of bounds
    return {};
  } catch (const eval::EvaluationCut&) {
    return {};
  }
  out.known = true;
  out.departs = apart(run.outputs, defined, tolerance);
  return out;
}

}  // namespace isomer::recipes
