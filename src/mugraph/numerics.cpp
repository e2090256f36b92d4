#include "mugraph/numerics.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/outcome.h"
#include "mugraph/sampled_run.h"
#include "support/hash.h"

namespace isomer::mugraph {
namespace {

constexpr ir::DType kFormats[] = {ir::DType::kF16, ir::DType::kBF16, ir::DType::kF32};
constexpr double kUnits = 32;

/// Half a unit in the last place of 1.
double precision(ir::DType format) { return ir::spacing_at_one(format) / 2; }

FormatError error_in(const MuGraph& graph, ir::DType format, const NumericsOptions& options,
                     LimitWatch& watch) {
  eval::Float64 domain;
  const auto leaf = [&](size_t input, int64_t at) {
    if (watch.check() != StopReason::kRunning) throw eval::SampleBudgetSpent();
    const uint64_t h = mix64(hash_combine(hash_combine(options.seed, input), static_cast<uint64_t>(at)));
    return domain.cast(format, options.scale * (static_cast<double>(h >> 11) * 0x1p-52 - 1));
  };
  SampledRun<eval::Float64> exact(domain, graph, leaf, options.work);
  SampledRun<eval::Float64> rounded(domain, graph, leaf, options.work, format);
  FormatError out{format, 0, false};
  for (uint32_t value : graph.outputs) {
    double scale = 0, difference = 0;
    bool compared = false;
    for (int64_t at :
         sampled_places(graph.values[value], options.samples, hash_combine(options.seed, value))) {
      const double should = exact.element(value, at), is = rounded.element(value, at);
      if (!std::isfinite(should)) continue;
      compared = true;
      if (!std::isfinite(is)) out.overflows = true;
      scale = std::max(scale, std::abs(should));
      if (std::isfinite(is)) difference = std::max(difference, std::abs(is - should));
    }
    if (scale > 0)
      out.error = std::max(out.error, difference / scale);
    else if (difference > 0 || !compared)
      out.error = std::numeric_limits<double>::infinity();
  }
  return out;
}

}  // namespace

bool FormatError::poor() const { return overflows || error > kUnits * precision(format); }

std::vector<FormatError> format_errors(const MuGraph& graph, const NumericsOptions& options) {
  std::vector<FormatError> out;
  LimitWatch watch(options.limits);
  const auto all = eval::outcome_of<eval::Ended::kBudget>([&] {
    for (ir::DType format : kFormats) out.push_back(error_in(graph, format, options, watch));
  });
  if (!all) out.clear();
  return out;
}

std::string print(const std::vector<FormatError>& errors) {
  std::string out;
  for (const FormatError& e : errors)
    out += fmt::format("{}{} {}{}", out.empty() ? "" : ", ", ir::name(e.format),
                       e.overflows ? std::string("overflows") : fmt::format("{:.2g}", e.error),
                       e.poor() && !e.overflows ? " (poor)" : "");
  return out.empty() ? "not measured: too much work or no time left" : "held in " + out;
}

}  // namespace isomer::mugraph
