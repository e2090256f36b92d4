// Both sides are evaluated in float32, every scalar step rounded, and the left side in float64 on the same
// (float32) inputs; errors are relative to the largest element of the reference, with a floor of a few units
// in the last place. Ranges of inputs: one magnitude from 1e-4 to 1e4 for all tensors, signed or positive; a
// magnitude for each tensor; and near-cancellation, where the elements of a tensor hardly differ from each
// other (a mean that is large against the spread). For each instance and range the median over some draws
// decides, since a single unlucky sum says nothing about a rule: reordering loses as often as it gains.
// Unstable is what loses more than 8 times the left side's error on any of them, or has results that are not
// finite where the left side's are.
//
// Elements that nearly cancel between different tensors (x + a with x near -a) are not tried: every
// distributive law fails there, batch norm folded into a convolution among them, and every runtime does that.
#include "rewrite/rule_stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/float32.h"
#include "eval/interpreter.h"
#include "rewrite/rule_check.h"
#include "support/errors.h"

namespace isomer::rewrite {
namespace {

using Values = std::vector<eval::Value<double>>;

constexpr double kFloor = 0x1p-23;  // one unit in the last place of the largest element

struct Range {
  std::string_view name;
  double scale = 1;  ///< 0: drawn for each tensor
  bool positive = false;
  double spread = 1;     ///< below 1: elements are base * (1 + spread * u)
  bool special = false;  ///< an infinity or NaN among ordinary numbers
};
constexpr Range kRanges[] = {
    {"numbers around 1e-4", 1e-4},
    {"positive numbers around 1e-4", 1e-4, true},
    {"numbers around 1e-2", 1e-2},
    {"numbers around 1", 1},
    {"positive numbers around 1", 1, true},
    {"numbers around 100", 1e2},
    {"numbers around 1e4", 1e4},
    {"positive numbers around 1e4", 1e4, true},
    {"a magnitude from 1e-4 to 1e4 for each tensor", 0},
    {"positive, a magnitude from 1e-4 to 1e4 for each tensor", 0, true},
    {"near-cancellation: elements of a tensor that differ by 0.1 %", 0, false, 1e-3},
    {"near-cancellation: elements of a tensor that differ by 0.01 %", 0, true, 1e-4},
    {"an infinity or NaN among numbers around 1", 1, false, 1, true},
};

double magnitude(Rng& rng) { return std::pow(10, 8 * rng.uniform() - 4); }

Values draw_inputs(const ir::Graph& graph, const Range& range, int64_t integers, Rng& rng) {
  Values out;
  const size_t chosen = graph.inputs().empty() ? 0 : rng.below(graph.inputs().size());
  for (size_t n = 0; n < graph.inputs().size(); ++n) {
    const ir::Type& type = graph.type(graph.inputs()[n]);
    eval::Tensor<double> t{type.dtype, ir::sizes(type.shape), {}, {}};
    const int64_t count = t.count();
    if (!ir::is_float(type.dtype)) {
      for (int64_t i = 0; i < count; ++i)
        t.integers.push_back(type.dtype == ir::DType::kBool ? static_cast<int64_t>(rng.below(2))
                                                            : rng.between(0, integers - 1));
    } else {
      const double scale = range.scale > 0 ? range.scale : magnitude(rng);
      const double base = scale * (range.positive || rng.chance(0.5) ? 1 : -1);
      for (int64_t i = 0; i < count; ++i) {
        const double u = range.positive ? 0.1 + 0.9 * rng.uniform() : 2 * rng.uniform() - 1;
        t.numbers.push_back(
            eval::Float32::round(range.spread < 1 ? base * (1 + range.spread * u) : scale * u));
      }
      if (range.special && n == chosen && count > 0) {
        constexpr double kInfinity = std::numeric_limits<double>::infinity();
        static constexpr double kSpecial[] = {kInfinity, -kInfinity,
                                              std::numeric_limits<double>::quiet_NaN()};
        t.numbers[rng.below(static_cast<uint64_t>(count))] = kSpecial[rng.below(3)];
      }
    }
    out.push_back(eval::make_value(std::move(t)));
  }
  return out;
}

std::vector<const eval::Tensor<double>*> tensors(const Values& values) {
  std::vector<const eval::Tensor<double>*> out;
  const auto collect = [&](const auto& self, const eval::Value<double>& v) -> void {
    if (v.tensor) out.push_back(v.tensor.get());
    for (const auto& e : v.elements) self(self, e);
  };
  for (const auto& v : values) collect(collect, v);
  return out;
}

/// Of one draw.
struct Outcome {
  double ratio = 0;        ///< right error over left error
  bool overflows = false;  ///< the left side is finite, the right side is not
  bool identical = true;
  bool compared = false;
};

Outcome judge(const Values& reference, const Values& left, const Values& right) {
  const auto r = tensors(reference), a = tensors(left), b = tensors(right);
  Outcome out;
  for (size_t t = 0; t < r.size(); ++t) {
    if (a[t]->integers != b[t]->integers) out.identical = false;
    double scale = 0, left_error = 0, right_error = 0;
    for (size_t i = 0; i < r[t]->numbers.size(); ++i) {
      const double exact = r[t]->numbers[i], x = a[t]->numbers[i], y = b[t]->numbers[i];
      if (!std::isfinite(exact) || !std::isfinite(x)) continue;
      out.compared = true;
      out.identical &= x == y;
      if (!std::isfinite(y)) {
        out.overflows = true;
        continue;
      }
      scale = std::max(scale, std::abs(exact));
      left_error = std::max(left_error, std::abs(x - exact));
      right_error = std::max(right_error, std::abs(y - exact));
    }
    if (right_error > 0) out.ratio = std::max(out.ratio, right_error / std::max(left_error, kFloor * scale));
  }
  return out;
}

class Measurement {
 public:
  Measurement(ir::Context& ctx, const Rule& rule, const StabilityOptions& options)
      : ctx_(ctx),
        rule_(rule),
        options_(options),
        compiled_(compile(ctx, rule, 0)),
        rng_(hash_combine(options.seed, hash_string(rule.name))) {}

  StabilityReport run() {
    int found = 0;
    const bool single =
        rule_.dtypes.empty() || std::ranges::find(rule_.dtypes, ir::DType::kF32) != rule_.dtypes.end();
    const ir::DType dtype = single ? ir::DType::kF32 : ir::DType::kUndefined;
    for (int attempt = 0; attempt < options_.attempts && found < options_.instances; ++attempt) {
      RuleInstance instance;
      if (!instantiate(ctx_, compiled_, rng_, instance, dtype)) continue;
      generalise(ctx_, compiled_, instance);
      if (measure(instance)) ++found;
    }
    return std::move(report_);
  }

 private:
  bool measure(const RuleInstance& instance) {
    const auto [left, right] = as_programs(ctx_, compiled_, instance);
    bool some = false;
    for (const Range& range : kRanges) some |= measure(instance, left, right, range);
    return some;
  }

  bool measure(const RuleInstance& instance, const ir::Graph& left, const ir::Graph& right,
               const Range& range) {
    Drawn drawn = draw(left, right, range, options_.draws);
    if (range.special || !drawn.any) return range.special;
    if (drawn.overflows == 0 && drawn.median > options_.most_lost)  // bad luck, or the rule?
      drawn = draw(left, right, range, 5 * options_.draws);
    report_.worst = std::max(report_.worst, drawn.median);
    if (report_.measured != Stability::kUnstable &&
        (drawn.overflows > 0 || drawn.median > options_.most_lost)) {
      report_.measured = Stability::kUnstable;
      report_.reason =
          fmt::format("{} on {}, at {}",
                      drawn.overflows > 0 ? std::string("not finite where the left side is")
                                          : fmt::format("{:.3g} times the left side's error", drawn.median),
                      range.name, describe(ctx_, rule_, instance));
    }
    return true;
  }

  /// Several draws of one range.
  struct Drawn {
    bool any = false;
    int overflows = 0;
    double median = 0;
  };
  Drawn draw(const ir::Graph& left, const ir::Graph& right, const Range& range, int draws) {
    std::vector<double> ratios;
    Drawn out;
    for (int d = 0; d < draws; ++d) {
      const auto outcome = evaluate_draw(left, right, range);
      if (!outcome || !outcome->compared) continue;
      ++report_.evaluations;
      if (range.special) {
        report_.spreads_infinities |= outcome->overflows;
        continue;
      }
      out.overflows += outcome->overflows;
      ratios.push_back(outcome->ratio);
      if (!outcome->identical && report_.measured == Stability::kExact)
        report_.measured = Stability::kReassociates;
    }
    out.any = !ratios.empty();
    if (!out.any) return out;
    const auto middle = ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2);
    std::ranges::nth_element(ratios, middle);
    out.median = *middle;
    return out;
  }

  std::optional<Outcome> evaluate_draw(const ir::Graph& left, const ir::Graph& right, const Range& range) {
    const Rng before = rng_;
    for (const int64_t integers : {4, 2, 1}) {
      rng_ = before;
      const Values inputs = draw_inputs(left, range, integers, rng_);
      try {
        eval::Float64 wide;
        eval::Float32 narrow;
        return judge(eval::evaluate(wide, left, std::span<const eval::Value<double>>(inputs)),
                     eval::evaluate(narrow, left, std::span<const eval::Value<double>>(inputs)),
                     eval::evaluate(narrow, right, std::span<const eval::Value<double>>(inputs)));
      } catch (const InputError&) {
        // An index out of bounds, or what has no evaluation: fewer rows, or nothing.
      }
    }
    return std::nullopt;
  }

  ir::Context& ctx_;
  const Rule& rule_;
  const StabilityOptions& options_;
  CompiledRule compiled_;
  Rng rng_;
  StabilityReport report_;
};

}  // namespace

StabilityReport measure_stability(ir::Context& ctx, const Rule& rule, const StabilityOptions& options) {
  return Measurement(ctx, rule, options).run();
}

std::string_view to_string(Stability stability) {
  switch (stability) {
    case Stability::kExact: return "exact";
    case Stability::kReassociates: return "reassociates";
    case Stability::kUnstable: return "unstable";
  }
  return "?";
}

}  // namespace isomer::rewrite
