#include "recipes/doubts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "eval/tensor.h"
#include "recipes/compare_defined.h"
#include "recipes/conditions.h"
#include "support/clock.h"
#include "support/deadline.h"

namespace isomer::recipes {
namespace {

using Tensors = std::vector<eval::Tensor<double>>;

enum class Relation : uint8_t { kSame, kNoDigits, kApart };

/// Whether it is what numbers around 1 leave of each other: nothing below their last digit.
bool is_left_of_one(double x) { return std::trunc(std::ldexp(x, 54)) == std::ldexp(x, 54); }

/// Of one output's numbers: each off by a share of itself, or of the largest. A share that double precision
/// has no digits of tells nothing.
Relation relate(const std::vector<double>& x, const std::vector<double>& y, double tolerance, bool own_size) {
  constexpr double kOfOne = 1e-13;
  if (x.size() != y.size()) return Relation::kApart;
  double largest = 0;
  for (const double v : x)
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  Relation out = Relation::kSame;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i]))) continue;
    const double gap = std::abs(x[i] - y[i]);
    if (gap <= tolerance * (own_size ? std::max(std::abs(x[i]), std::abs(y[i])) : largest)) continue;
    if (!own_size || !(gap <= kOfOne) || !(is_left_of_one(x[i]) || is_left_of_one(y[i])))
      return Relation::kApart;
    out = Relation::kNoDigits;
  }
  return out;
}

Relation relate(const Tensors& x, const Tensors& y, const runtime::Doubt& doubt,
                const std::vector<double>& tolerances) {
  if (x.size() != y.size() || x.size() != tolerances.size()) return Relation::kApart;
  Relation out = Relation::kSame;
  for (size_t o = 0; o < x.size(); ++o) {
    if (doubt.of_a_share() && doubt.output != static_cast<int64_t>(o)) continue;
    if (x[o].integers != y[o].integers) return Relation::kApart;
    out = std::max(out, relate(x[o].numbers, y[o].numbers, tolerances[o], doubt.of_a_share()));
  }
  return out;
}

class Settling {
 public:
  Settling(ir::Context& ctx, const RunsAsked& models)
      : ctx_(ctx),
        models_(models),
        tolerances_(tolerances_of(models.a, models.b, models.tolerance)),
        until_(kSeconds, steady_clock(), models.stop) {}

  /// Nothing where the interpreter has no value of one, or none that tells.
  std::optional<bool> agree(const runtime::Doubt& doubt) {
    if (doubt.sizes.empty()) return agree(models_.a.graph, models_.b.graph, doubt);
    const std::optional<Two>& read = at(doubt.sizes);
    return read ? agree(read->first.graph, read->second.graph, doubt) : std::nullopt;
  }

 private:
  using Two = std::pair<Program, Program>;

  std::optional<bool> agree(const ir::Graph& a, const ir::Graph& b, const runtime::Doubt& doubt) const {
    if (until_.passed()) return std::nullopt;
    // A share of its own size needs more digits than its type has.
    const Arithmetic how = doubt.of_a_share() ? Arithmetic::kDouble : Arithmetic::kRounded;
    const auto x = defined_outputs(a, doubt.inputs, how, until_);
    const auto y = x ? defined_outputs(b, doubt.inputs, how, until_) : std::nullopt;
    if (!x || !y) return std::nullopt;
    const Relation seen = relate(*x, *y, doubt, tolerances_);
    return seen == Relation::kNoDigits ? std::nullopt : std::optional(seen == Relation::kSame);
  }

  /// Both at these sizes; nothing where they cannot be read so.
  const std::optional<Two>& at(const Sizes& sizes) {
    const auto [known, fresh] = read_.try_emplace(sizes);
    if (!fresh) return known->second;
    auto a = try_load_program(ctx_, models_.path_a, sizes), b = try_load_program(ctx_, models_.path_b, sizes);
    if (a && b) known->second = Two{*std::move(a.value), *std::move(b.value)};
    return known->second;
  }

  static constexpr double kSeconds = 20;
  ir::Context& ctx_;
  const RunsAsked& models_;
  const std::vector<double> tolerances_;
  const Deadline until_;
  std::map<Sizes, std::optional<Two>> read_;
};

}  // namespace

Settled settle(ir::Context& ctx, const RunsAsked& asked, const runtime::TrialReport& report) {
  Settled out;
  Settling settling(ctx, asked);
  for (const runtime::Doubt& doubt : report.doubts) {
    const std::optional<bool> agree = settling.agree(doubt);
    if (agree.value_or(false))
      ++out.agreed;
    else if (!doubt.of_a_share())
      out.denied = doubt.what;
    else if (agree)
      out.shares_apart = true;
    else
      out.unknown = doubt.what;
  }
  if (!report.doubt_left_out.empty()) out.unknown = report.doubt_left_out;
  return out;
}

std::string say_unsettled(const Settled& settled, const std::string& runtime) {
  if (!settled.denied.empty())
    return fmt::format(
        "{} tells them apart and departs from ONNX: by its reference evaluator both have the same outputs, "
        "not {}",
        runtime, settled.denied);
  if (!settled.unknown.empty())
    return fmt::format(
        "{} may tell them apart by what its kernels round, and the interpreter does not decide it: {}",
        runtime, settled.unknown);
  return {};
}

namespace {

/// Whether the runtime ended by too many inputs at which ONNX and the interpreter have the same of both.
bool departs_from_onnx(const runtime::TrialReport& report, const Settled& settled) {
  return !report.evaluated && !report.found && !report.doubt_left_out.empty() && settled.denied.empty() &&
         std::cmp_equal(settled.agreed, report.doubts.size()) &&
         std::ranges::none_of(report.doubts, [](const runtime::Doubt& d) { return d.of_a_share(); });
}

/// The evaluator shows no inner values: what a condition guards is not looked for with it.
bool has_conditions(const RunsAsked& asked) {
  const auto has = [](const std::string& path, const ir::Graph& graph) {
    return !conditions_of(path, graph).empty() || !rounds_of(path, graph).empty();
  };
  return has(asked.path_a, asked.a.graph) || has(asked.path_b, asked.b.graph);
}

}  // namespace

SettledRuns run_and_settle(ir::Context& ctx, runtime::OnnxRuntime& runtime, RunsAsked asked) {
  constexpr double kLeastShare = 0.25;
  const double begin = steady_clock().seconds();
  auto outcome = run_both(runtime, asked);
  if (!outcome || (outcome->found && !outcome->evaluated)) return {std::move(outcome), {}};
  Settled settled = settle(ctx, asked, *outcome);
  const bool departs = departs_from_onnx(*outcome, settled) && !has_conditions(asked);
  if (outcome->found || !(settled.shares_apart || departs)) return {std::move(outcome), std::move(settled)};
  asked.seconds = std::max(asked.seconds - (steady_clock().seconds() - begin), kLeastShare * asked.seconds);
  if (departs) {
    asked.evaluated = true;
    SettledRuns defined = run_and_settle(ctx, runtime, asked);
    if (!defined.outcome) return {std::move(outcome), std::move(settled)};  // it does not know some operator
    defined.departed = settled.agreed;
    return defined;
  }
  asked.shares.clear();
  SettledRuns again = run_and_settle(ctx, runtime, std::move(asked));
  if (again.settled.denied.empty() && again.settled.unknown.empty())
    again.settled.unknown = "its shares are apart by their own size at inputs that were not met again";
  return again;
}

}  // namespace isomer::recipes
