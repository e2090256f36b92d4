#include "recipes/fill_result.h"

#include <utility>

namespace isomer::recipes {

void fill_before(const ProgramSize& size, OptimizeResult& result) {
  result.nodes_before = size.operators;
  result.macs_before = size.macs;
  result.weight_bytes_before = size.weight_bytes;
}

void say_guessed(const PricingReport& report, OptimizeResult& result) {
  if (report.stop_reason == StopReason::kTimeLimit)
    result.warnings.push_back("no time was left to measure all costs: the rest is guessed");
  if (report.stop_reason == StopReason::kInterrupted)
    result.warnings.push_back("interrupted before all costs were measured: the rest is guessed");
}

void fill_growth(const Growth& growth, OptimizeResult& result) {
  result.e_nodes = growth.e_nodes;
  result.e_classes = growth.e_classes;
  result.iterations = growth.iterations;
  result.stop_reason = to_string(growth.stop_reason);
}

void fill_found(const Candidates& found, OptimizeResult& result) {
  result.decision = found.why_none;
  if (!found.cheapest) return;
  result.cost_found = found.cheapest->cost;
  result.bound = found.cheapest->bound;
  result.optimal = found.cheapest->optimal;
}

void fill_timing(const std::optional<TimedPair::Figures>& figures, OptimizeResult& result) {
  if (!figures) return;
  result.latency_before_ms = figures->before_ms;
  result.latency_after_ms = figures->after_ms;
  result.speedup = figures->speedup;
  result.speedup_low = figures->low;
  result.speedup_high = figures->high;
}

void file_refusals(std::vector<RuntimeRefusal> refusals, OptimizeResult& result) {
  for (RuntimeRefusal& refused : refusals) result.refused_by_runtime.push_back(std::move(refused));
}

void fill_verified(Verified verified, OptimizeResult& result) {
  result.verified = verified.failure.empty();  // or nothing is written
  result.verification = std::move(verified.how);
  if (!verified.decision.empty()) result.decision = std::move(verified.decision);
  result.max_relative_error = verified.in_runtime.max_relative_error;
  result.not_compared = std::move(verified.in_runtime.not_compared);
  result.verified_sizes = std::move(verified.in_runtime.sizes);
  result.rules_arithmetic = std::move(verified.arithmetic);
  for (std::string& warning : verified.warnings) result.warnings.push_back(std::move(warning));
  file_refusals(std::move(verified.refused), result);
}

void fill_after(const ProgramSize& size, OptimizeResult& result) {
  result.nodes_after = size.operators;
  result.macs_after = size.macs;
  result.weight_bytes_after = size.weight_bytes;
}

}  // namespace isomer::recipes
