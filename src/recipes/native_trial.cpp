#include "recipes/native_trial.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/tensor_bytes.h"
#include "ir/constant_data.h"
#include "native/compiler.h"
#include "native/program.h"
#include "support/clock.h"
#include "support/errors.h"
#include "support/rng.h"
#include "verify/input_ranges.h"
#include "verify/rounded_run.h"

namespace isomer::recipes {
namespace {

using Value = eval::Value<double>;
using Tensor = eval::Tensor<double>;

/// Within the range that the program asks for, if it does.
Tensor drawn(const ir::Type& type, const verify::InputRange& range, Rng& rng) {
  Tensor t{type.dtype, ir::sizes(type.shape), {}, {}};
  const bool is_float = ir::is_float(type.dtype), bounded = range.low < range.high;
  const double low = bounded ? range.low : -1, high = bounded ? range.high : 1;
  const auto first = static_cast<int64_t>(bounded ? range.low : 0),
             end = static_cast<int64_t>(bounded ? range.high : 2);
  const auto held = [&](int64_t x) {
    return type.dtype == ir::DType::kBool ? x & 1 : ir::wrap_to(type.dtype, x);
  };
  for (int64_t i = 0; i < t.count(); ++i) {
    const double chosen = range.values.empty() ? 0 : range.values[rng.below(range.values.size())];
    if (is_float)
      t.numbers.push_back(
          ir::round_to(type.dtype, range.values.empty() ? low + rng.uniform() * (high - low) : chosen));
    else
      t.integers.push_back(
          held(range.values.empty() ? rng.between(first, end - 1) : static_cast<int64_t>(chosen)));
  }
  return t;
}

double difference(const Tensor& expected, const std::vector<std::byte>& bytes) {
  double largest = 0, apart = 0;
  for (const double x : expected.numbers)
    if (std::isfinite(x)) largest = std::max(largest, std::abs(x));
  for (int64_t i = 0; i < expected.count(); ++i) {
    if (!ir::is_float(expected.dtype)) {
      if (ir::load_integer(expected.dtype, bytes, i) != expected.integers[static_cast<size_t>(i)]) return 1;
      continue;
    }
    const double is = ir::load_number(expected.dtype, bytes, i);
    const double should = ir::round_to(expected.dtype, expected.numbers[static_cast<size_t>(i)]);
    if (is == should || (std::isnan(is) && std::isnan(should))) continue;
    if (!std::isfinite(is) || !std::isfinite(should)) return 1;
    apart = std::max(apart, std::abs(is - should) / largest);
  }
  return apart;
}

}  // namespace

std::vector<size_t> Example::output_bytes() const {
  std::vector<size_t> out;
  for (const Value& v : expected)
    out.push_back(static_cast<size_t>(ir::byte_size(v.tensor->dtype, v.tensor->count())));
  return out;
}

double Example::difference(std::span<const std::vector<std::byte>> outputs) const {
  constexpr double kFar = 1e-4;
  const auto from = [&](const std::vector<Value>& values) {
    double out = 0;
    for (size_t i = 0; i < values.size(); ++i)
      out = std::max(out, recipes::difference(*values[i].tensor, outputs[i]));
    return out;
  };
  const double apart = from(expected);
  if (apart < kFar) return apart;
  const verify::RoundedRun rounded = verify::run_rounded(*graph, given, {});
  return rounded.undefined ? apart : std::min(apart, from(rounded.outputs));
}

Example example_of(const ir::Graph& graph, uint64_t seed) {
  Example out;
  out.graph = &graph;
  Rng rng(seed);
  std::vector<Value>& inputs = out.given;
  const std::vector<verify::InputRange> ranges = verify::infer_input_ranges(graph);
  for (const ir::ValueId v : graph.inputs()) {
    inputs.push_back(eval::make_value(drawn(graph.type(v), ranges[inputs.size()], rng)));
    out.inputs.push_back(eval::to_bytes(*inputs.back().tensor));
  }
  eval::Float64 domain;
  out.expected = eval::evaluate(domain, graph, std::span<const Value>(inputs));
  return out;
}

codegen::TargetMachine machine_named(const std::string& cpu) {
  if (!cpu.empty() && native::architecture_of(cpu).empty())
    throw UsageError(
        fmt::format("--cpu {}: expected a processor as LLVM names it (x86-64-v3, znver3, ...), of a kind "
                    "that this program was "
                    "built for",
                    cpu));
  return native::machine_of(cpu);
}

NativeTrial try_native(const ir::Graph& graph, const codegen::ScheduleOptions& options, uint64_t seed) {
  NativeTrial out;
  const double begin = steady_clock().seconds();
  native::Program compiled(codegen::generate(graph, options), graph.context());
  out.compile_seconds = steady_clock().seconds() - begin;
  const Example example = example_of(graph, seed);
  std::vector<std::vector<std::byte>> made;
  std::vector<const void*> from;
  std::vector<void*> to;
  for (const size_t bytes : example.output_bytes()) made.emplace_back(bytes);
  for (const auto& bytes : example.inputs) from.push_back(bytes.data());
  for (auto& bytes : made) to.push_back(bytes.data());
  compiled.run(from, to);
  out.difference = example.difference(made);
  constexpr double kAtLeast = 0.2;
  std::vector<double> times;
  for (const double start = steady_clock().seconds();
       times.size() < 3 || steady_clock().seconds() - start < kAtLeast;) {
    const double before = steady_clock().seconds();
    compiled.run(from, to);
    times.push_back(steady_clock().seconds() - before);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  out.run_seconds = times[times.size() / 2];
  out.runs = static_cast<int>(times.size());
  return out;
}

}  // namespace isomer::recipes
