#include "recipes/result_of.h"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "recipes/refusals.h"

namespace isomer::recipes {
namespace {

using steps::Work;

void append(std::vector<std::string> lines, std::vector<std::string>& to) {
  to.insert(to.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
}

/// Where the runtime runs the model at none of the sizes that were tried.
std::vector<std::string> refused_sizes(const ChosenSizes& sizes) {
  if (sizes.first.empty() || sizes.runs || sizes.refusal.empty()) return {};
  return {
      fmt::format("the runtime runs the model at none of the sizes that were tried ({} sets; --measure-dim "
                  "gives others): {}",
                  sizes.tries, sizes.refusal)};
}

/// Where costs are not those of the model's name.
std::vector<std::string> guessed_costs(const std::optional<PricingReport>& report) {
  if (!report) return {};
  if (report->stop_reason == StopReason::kTimeLimit)
    return {"no time was left to measure all costs: the rest is guessed"};
  if (report->stop_reason == StopReason::kInterrupted)
    return {"interrupted before all costs were measured: the rest is guessed"};
  if (!report->complete && !report->hopeless())
    return {
        fmt::format("{} rounds of measuring did not reach all costs: the rest is guessed", report->rounds)};
  return {};
}

/// Where the provider that was named takes nothing of the model.
std::vector<std::string> idle_provider(const std::string& provider, const Counts& computed_by) {
  if (computed_by.empty() || computed_by.contains(provider)) return {};
  return {
      fmt::format("{} computes no operator of this model: {} does", provider, computed_by.begin()->first)};
}

/// In the order of the steps.
std::vector<std::string> warnings_of(const OptimizeOptions& options, const Work& work) {
  std::vector<std::string> out;
  if (work.read) append(work.read->program.notes, out);
  append(refused_sizes(work.sizes.chosen), out);
  if (const std::string& note = work.priced.costs.note; !note.empty()) out.push_back(note);
  append(guessed_costs(work.priced.report), out);
  append(work.bodies.found.bodies.warnings(), out);
  append(idle_provider(options.provider, work.computed_by), out);
  if (work.entrants.late) out.push_back(*work.entrants.late);
  for (const RuntimeRefusal& r : work.measured.refused) out.push_back(describe(r, work.runtime));
  if (work.verified) append(work.verified->warnings, out);
  return out;
}

void fill_read(const Work& work, OptimizeResult& out) {
  if (!work.read) return;
  out.types_inferred = work.read->program.types_inferred;
  out.opaque_operators = work.read->opaque;
  out.first_cause = work.read->program.first_cause;
  out.nodes_before = work.read->size.operators;
  out.macs_before = macs_before(*work.read, work.sizes);
  out.weight_bytes_before = work.read->size.weight_bytes;
  out.sizes = work.sizes.chosen.first;
}

void fill_found(const Work& work, OptimizeResult& out) {
  out.rules_used = work.explored.rules_used;
  out.rules_left_out = work.explored.rules_left_out;
  const Growth& growth =
      work.searched.grown.rewriting ? work.searched.grown.growth : work.explored.grown.growth;
  out.e_nodes = growth.e_nodes;
  out.e_classes = growth.e_classes;
  out.iterations = growth.iterations;
  if (growth.stop_reason != StopReason::kRunning) out.stop_reason = to_string(growth.stop_reason);
  if (work.priced.costs.model) out.cost_model = work.priced.costs.model->name();
  out.cost_before = out.cost_after =
      work.searched.grown.rewriting ? work.searched.original : work.priced.original;
  if (const std::optional<Cheapest>& cheapest = work.candidates.cheapest) {
    out.cost_found = cheapest->cost;
    out.bound = cheapest->bound;
    out.optimal = cheapest->optimal;
  }
}

void fill_measured(const Work& work, OptimizeResult& out) {
  out.runtime = work.runtime;
  out.no_runtime = work.no_runtime;
  out.computed_by = work.computed_by;
  if (const std::optional<TimedPair::Figures>& figures = work.measured.figures) {
    out.latency_before_ms = figures->before_ms;
    out.latency_after_ms = figures->after_ms;
    out.speedup = figures->speedup;
    out.speedup_low = figures->low;
    out.speedup_high = figures->high;
  }
  if (work.measured.speedup_all_cores) out.speedup_all_cores = *work.measured.speedup_all_cores;
  out.refused_by_runtime = work.measured.refused;
  out.cost_candidate = work.settled.cost;
}

void fill_verified(const Work& work, OptimizeResult& out) {
  if (!work.verified) return;
  const Verified& verified = *work.verified;
  out.verified = verified.failure.empty();  // or nothing is written
  out.verification = verified.how;
  out.max_relative_error = verified.in_runtime.max_relative_error;
  out.not_compared = verified.in_runtime.not_compared;
  out.verified_sizes = verified.in_runtime.sizes;
  out.rules_arithmetic = verified.arithmetic;
  out.refused_by_runtime.insert(out.refused_by_runtime.end(), verified.refused.begin(),
                                verified.refused.end());
}

void fill_size_after(const ProgramSize& size, OptimizeResult& out) {
  out.nodes_after = size.operators;
  out.macs_after = size.macs;
  out.weight_bytes_after = size.weight_bytes;
}

void fill_end(const Work& work, OptimizeResult& out) {
  if (work.shown) {
    fill_size_after(work.shown->size, out);
    if (work.shown->cost) out.cost_after = out.cost_candidate = *work.shown->cost;
  }
  out.written = work.written.has_value();
  if (!out.written) return;
  fill_size_after(*work.written, out);
  out.changed = work.chosen().changed;
  if (out.changed)
    out.cost_after = out.cost_candidate;
  else
    out.latency_after_ms = out.latency_before_ms;
}

}  // namespace

OptimizeResult decided(OptimizeResult result, Decision decision) {
  result.decision = std::move(decision.words);
  result.why_original = std::move(decision.why_original);
  result.rules_unchecked = decision.rules_unchecked;
  return result;
}

OptimizeResult result_of(const OptimizeOptions& options, const RunRecord& record, const Work& work) {
  OptimizeResult out;
  out.input = options.input;
  out.output = options.output;
  out.cost_model = options.cost;
  out.float_promise = options.float_promise;
  fill_read(work, out);
  fill_found(work, out);
  fill_measured(work, out);
  fill_verified(work, out);
  fill_end(work, out);
  out.rules_applied = record.rules_applied;
  out.warnings = warnings_of(options, work);
  return decided(std::move(out), decision_of(work));
}

}  // namespace isomer::recipes
