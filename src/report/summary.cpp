#include "report/summary.h"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "support/errors.h"
#include "support/float_promise.h"
#include "support/limits.h"
#include "support/units.h"

namespace isomer::report {
namespace {

std::string ratio(double before, double after) {
  return std::isfinite(before) && std::isfinite(after) && after > 0 ? fmt::format("{:.3f}x", before / after)
                                                                    : "";
}

std::string time_of(double ms) { return std::isfinite(ms) ? format_seconds(ms * 1e-3) : "-"; }

std::string interval(const OptimizeResult& r) {
  return fmt::format("95 % interval {:.3f} to {:.3f}", r.speedup_low, r.speedup_high);
}

/// A cost as its model counts it: a time, but for the model that counts operators.
std::string cost_text(const OptimizeResult& r, double cost) {
  if (r.cost_model != "ast-size") return time_of(cost);
  return std::isfinite(cost) ? fmt::format("{:.5g}", cost) : "-";
}

/// Something cheaper than the input was found, by the cost model.
bool found_cheaper(const OptimizeResult& r) { return r.cost_found < r.cost_before; }

/// What stays as it is: "3 operators have no meaning here and stay as they are: Loop x2, Scan; the first
/// cause ...".
std::string kept(const OptimizeResult& r) {
  if (r.opaque_operators.empty()) return {};
  uint64_t all = 0;
  std::string names;
  for (const auto& [name, count] : r.opaque_operators) {
    all += count;
    names +=
        fmt::format("{}{}{}", names.empty() ? "" : ", ", name, count > 1 ? fmt::format(" x{}", count) : "");
  }
  const std::string out = fmt::format("{} of the operators cannot be rewritten and {} as {}: {}", all,
                                      all == 1 ? "stays" : "stay", all == 1 ? "it is" : "they are", names);
  return r.first_cause.empty() ? out : fmt::format("{} (the first cause: {})", out, r.first_cause);
}

/// Whether a limit that the user can move ended the growth of the e-graph.
bool met_a_limit(const OptimizeResult& r) {
  return r.e_nodes > 0 && r.stop_reason != to_string(StopReason::kSaturated) && r.interrupted.empty();
}

/// What gives a search more that a limit ended.
std::string more_of(const std::string& reason) {
  const bool iterations = reason == to_string(StopReason::kIterationLimit);
  const bool may_go_on = iterations || reason == to_string(StopReason::kNodeLimit);
  return fmt::format("--{} gives it more{}", iterations ? "iterations" : reason,
                     may_go_on ? ", and --search portfolio goes on from there" : "");
}

/// Options that let more be rewritten, for whom they suit: those that this run did not have.
std::string more_rules(const OptimizeResult& r) {
  std::string out;
  if (r.rules_left_out.contains(kNotForOnnx))
    out = "--target onnxruntime (if nothing else will run the result)";
  if (const auto promise = parse_float_promise(r.float_promise); promise && *promise != FloatPromise::kFast)
    out +=
        fmt::format("{}--float fast (if the model's numbers are never extreme)", out.empty() ? "" : " or ");
  return out;
}

/// The best candidate was faster by its median, but the timings do not prove it.
bool almost_certain(const OptimizeResult& r) {
  constexpr double kWorthAnotherTry = 1.02;
  return !r.changed && r.speedup >= kWorthAnotherTry && r.speedup_low <= 1;
}

/// The best candidate was surely faster, and something else spoke against it.
bool faster_and_dropped(const OptimizeResult& r) { return !r.changed && r.speedup_low > 1; }

std::vector<std::string> to_try(const OptimizeResult& r) {
  std::vector<std::string> out;
  if (faster_and_dropped(r) && r.rules_unchecked)
    out.emplace_back(
        "a longer --time-limit; verdicts on rules are remembered, so that the next run needs less");
  if (almost_certain(r))
    out.emplace_back("time it again while the machine does nothing else: these timings lie too far apart");
  if (!std::isfinite(r.latency_before_ms) && !r.no_runtime.empty())
    out.emplace_back(
        "install ONNX Runtime (pip install onnxruntime), so that results are timed and compared by running "
        "them");
  if (!r.sizes.empty()) {
    std::string dims;
    for (const auto& [name, size] : r.sizes) dims += fmt::format(" --dim {}={}", name, size);
    out.push_back("if the model always runs at one size, say so: more can be rewritten then (for example" +
                  dims + ")");
  }
  if (met_a_limit(r))
    out.push_back(fmt::format("the search ended by a limit ({}): {}", r.stop_reason, more_of(r.stop_reason)));
  if (const std::string rules = more_rules(r);
      r.e_nodes > 0 && !r.changed && !found_cheaper(r) && !rules.empty())
    out.push_back("more may be rewritten with " + rules);
  return out;
}

std::string promise_text(const std::string& promise) {
  const auto known = parse_float_promise(promise);
  REQUIRE(known.has_value(), "a promise of floats");
  switch (*known) {
    case FloatPromise::kStrict: return promise + ": the same bits, operator by operator (--float)";
    case FloatPromise::kFinite: return promise + ": may round otherwise; what is finite stays so (--float)";
    case FloatPromise::kFast: return promise + ": equal in exact arithmetic (--float)";
  }
  return promise;
}

/// "batch=2, seq=64 (the model stays dynamic); also verified at batch=3, seq=40".
std::string sizes_text(const OptimizeResult& r) {
  const auto text = [](const std::map<std::string, int64_t>& sizes) {
    std::string out;
    for (const auto& [name, size] : sizes) out += fmt::format("{}{}={}", out.empty() ? "" : ", ", name, size);
    return out;
  };
  std::string out = text(r.sizes) + " (the model stays dynamic)";
  for (size_t i = 1; i < r.verified_sizes.size(); ++i)
    out += (i == 1 ? "; also verified at " : " and ") + text(r.verified_sizes[i]);
  return out;
}

}  // namespace

std::string left_out(uint64_t used, const std::map<std::string, std::vector<std::string>>& others) {
  size_t count = 0;
  std::string reasons;
  for (const auto& [reason, rules] : others) {
    count += rules.size();
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", rules.size(), reason);
  }
  return count == 0 ? "" : fmt::format("{} of {} rules ({})", count, used + count, reasons);
}

std::string gained(const OptimizeResult& r) {
  const bool timed = std::isfinite(r.speedup);
  if (!r.failure.empty()) return "Nothing was written: what was found does not compute what the input does";
  if (r.changed && timed)
    return fmt::format("The result runs {:.3f} times as fast ({}) in {}", r.speedup, interval(r), r.runtime);
  if (r.changed)
    return fmt::format("The result is cheaper, {} to {} ({}) by the cost model {}; it was not timed",
                       cost_text(r, r.cost_before), cost_text(r, r.cost_candidate),
                       ratio(r.cost_before, r.cost_candidate), r.cost_model);
  if (!r.written)
    return found_cheaper(r)
               ? fmt::format("A cheaper program was found ({} by the cost model {}); nothing was written",
                             ratio(r.cost_before, r.cost_found), r.cost_model)
               : "No cheaper program was found; nothing was written";
  if (faster_and_dropped(r))
    return fmt::format(
        "The model was written as it was, although what was found ran {:.3f} times as fast ({}): {}",
        r.speedup, interval(r), r.why_original);
  if (timed)
    return fmt::format(
        "No gain is certain, and the model was written as it was: the best that was found ran {:.3f} times "
        "as fast ({})",
        r.speedup, interval(r));
  if (found_cheaper(r)) return "The model was written as it was, although something cheaper was found";
  return "Nothing to gain was found, and the model was written as it was";
}

std::string summary(const OptimizeResult& r) {
  const auto row = [](std::string_view label, const std::string& before, const std::string& after,
                      const std::string& gain = {}) {
    return fmt::format("  {:<14}{:>14} {:>14}  {}\n", label, before, after, gain);
  };
  const auto cost = [&](double v) { return cost_text(r, v); };
  const auto macs = [](int64_t v) {
    return v < 0 ? std::string("-") : fmt::format("{:.4g} M", static_cast<double>(v) / 1e6);
  };

  std::string out = fmt::format("{} -> {}\n{}.\n", r.input, r.output, gained(r));
  if (!r.why.empty()) out += fmt::format("{}: {}.\n", r.changed ? "Why" : "What was found", r.why);
  if (const std::string stays = kept(r); !stays.empty()) out += stays + ".\n";
  for (const std::string& hint : to_try(r)) out += fmt::format("To try: {}.\n", hint);
  out += "\n";
  out += row("", "before", "after");
  out += row("operators", std::to_string(r.nodes_before), std::to_string(r.nodes_after));
  out += row("multiply-adds", macs(r.macs_before), macs(r.macs_after));
  out += row("weights", format_bytes(r.weight_bytes_before), format_bytes(r.weight_bytes_after));
  out += row("cost", cost(r.cost_before), cost(r.cost_after),
             ratio(r.cost_before, r.cost_after) + " by " + r.cost_model);
  if (std::isfinite(r.latency_before_ms))
    out += row("latency", time_of(r.latency_before_ms), time_of(r.latency_after_ms),
               fmt::format("{}{:.3f}x (95 %: {:.3f} to {:.3f}) in {}", r.changed ? "" : "best candidate ",
                           r.speedup, r.speedup_low, r.speedup_high, r.runtime));
  if (r.changed && r.cost_candidate > r.cost_found)
    out += row("cheapest", "", cost(r.cost_found), "by that cost; what was written is faster as a whole");
  if (!r.sizes.empty()) out += fmt::format("  sizes:   {}\n", sizes_text(r));
  out += fmt::format("  written: {}\n", r.decision);
  if (!r.interrupted.empty())
    out +=
        fmt::format("  interrupted in the step `{}`: the rest is done with what there was\n", r.interrupted);
  if (!r.verification.empty()) out += fmt::format("  checked: {}\n", r.verification);
  if (!r.float_promise.empty()) out += fmt::format("  floats:  {}\n", promise_text(r.float_promise));
  if (r.e_nodes > 0)
    out += fmt::format("  e-graph: {} e-nodes, {} e-classes, {} iterations, {}; extraction {}\n", r.e_nodes,
                       r.e_classes, r.iterations, r.stop_reason,
                       r.optimal ? "proved optimal" : "bound " + cost(r.bound));
  if (!r.rules_applied.empty()) {
    out += "  rules:   ";
    for (const auto& [name, n] : r.rules_applied) out += fmt::format(" {} x{}", name, n);
    out += "\n";
  }
  if (const std::string without = left_out(r.rules_used, r.rules_left_out); !without.empty())
    out += fmt::format("  without: {}\n", without);
  for (const std::string& w : r.warnings) out += "  warning: " + w + "\n";
  if (!r.report.empty()) out += fmt::format("  report:  {}\n", r.report);
  out += fmt::format("  in {}\n", format_seconds(r.seconds));
  return out;
}

}  // namespace isomer::report
