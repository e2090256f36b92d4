// Both sides are evaluated in float32, every scalar step rounded, and the left side in float64 on the same
// (float32) inputs; errors are relative to the largest element of the reference, with a floor of a few units
// in the last place. Ranges of inputs: one magnitude from 1e-4 to 1e4 for all tensors, signed or positive; a
// magnitude for each tensor; and near-cancellation, where the elements of a tensor hardly differ from each
// other (a mean that is large against the spread). For each instance and range the median over some draws
// decides, since a single unlucky sum says nothing about a rule: reordering loses as often as it gains.
// Unstable is what loses more than 8 times the left side's error on any of them, or has results that are not
// finite where the left side's are; of a rule with instances of wider types, what float16 alone makes
// infinite is an exception, since these ranges reach its end.
//
// Where floats of 16 bits become integers, or are compared, 2051 ones are counted along each axis, and 257:
// float16 holds no odd number beyond 2048, bfloat16 none beyond 256.
//
// An element that is nothing like what it should be, though the left side has it right, is small beside the
// others: it makes a rule no less stable, but is said. It is looked for where magnitudes differ within a
// tensor, next to nothing, and in the last digit beside a constant. So is what becomes of constants at the
// ends of their types, where conditions let them be there.
//
// Elements that nearly cancel between different tensors (x + a with x near -a) are not tried: every
// distributive law fails there, batch norm folded into a convolution among them, and every runtime does that.
#include "rewrite/rule_stability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/outcome.h"
#include "ir/constant_data.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_coverage.h"
#include "rewrite/rule_draws.h"
#include "rewrite/rule_mutation.h"
#include "rewrite/stability_draws.h"
#include "verify/draws.h"

namespace isomer::rewrite {
namespace {

using Values = std::vector<eval::Value<double>>;

/// One unit in the last place of the largest element.
double unit(ir::DType dtype) { return std::max(ir::spacing_at_one(dtype), 0x1p-23); }

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
  bool vanishes = false;   ///< the left side is not zero, the right side is
  bool apart = false;      ///< not the same infinities and NaN, or not the same integers
  bool signs = false;      ///< zeros of different signs
  bool lost = false;       ///< an element is nothing like what it is, and the left side has it right
  bool jumps = false;      ///< the same where it is 0
  bool identical = true;
  bool compared = false;
  bool differs = false;  ///< in double precision
};

/// Whether finite numbers of the two are apart by more than rounding to 16 bits can explain.
bool differ(const Values& left, const Values& right) {
  constexpr double kApart = 0.02;
  const auto a = tensors(left), b = tensors(right);
  for (size_t t = 0; t < a.size(); ++t) {
    double scale = 0, apart = 0;
    for (size_t i = 0; i < a[t]->numbers.size(); ++i) {
      const double x = a[t]->numbers[i], y = b[t]->numbers[i];
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      scale = std::max({scale, std::abs(x), std::abs(y)});
      apart = std::max(apart, std::abs(x - y));
    }
    if (apart > kApart * scale && apart > 1e-12) return true;
  }
  return false;
}

/// By at least half of either, where the left side is off by a few units in the last place.
bool is_lost(double exact, double left, double right, ir::DType dtype) {
  constexpr double kUnits = 4, kHalf = 0.5, kNormal = 0x1p-120;
  return std::abs(exact) > std::max(kNormal, 4 * ir::smallest_number(dtype)) &&
         std::abs(left - exact) <= kUnits * unit(dtype) * std::abs(exact) &&
         std::abs(right - exact) > kHalf * std::max(std::abs(exact), std::abs(right));
}

Outcome judge(const Values& reference, const Values& left, const Values& right) {
  const auto r = tensors(reference), a = tensors(left), b = tensors(right);
  Outcome out;
  for (size_t t = 0; t < r.size(); ++t) {
    if (a[t]->integers != b[t]->integers) {
      out.identical = false;
      out.apart = true;
    }
    if (!a[t]->integers.empty()) out.compared = true;
    double scale = 0, left_error = 0, right_error = 0;
    for (size_t i = 0; i < r[t]->numbers.size(); ++i) {
      const double exact = r[t]->numbers[i], x = a[t]->numbers[i], y = b[t]->numbers[i];
      out.apart |= std::isnan(x) != std::isnan(y) || ((std::isinf(x) || std::isinf(y)) && x != y);
      if (!std::isfinite(exact) || !std::isfinite(x)) continue;
      out.compared = true;
      out.identical &= x == y;
      out.signs |= x == 0 && y == 0 && std::signbit(x) != std::signbit(y);
      out.vanishes |= x != 0 && y == 0;
      if (!std::isfinite(y)) {
        out.overflows = true;
        continue;
      }
      constexpr double kJump = 1e-3;
      out.lost |= is_lost(exact, x, y, r[t]->dtype);
      out.jumps |= exact == 0 && x == 0 && std::abs(y) > kJump;
      scale = std::max(scale, std::abs(exact));
      left_error = std::max(left_error, std::abs(x - exact));
      right_error = std::max(right_error, std::abs(y - exact));
    }
    if (right_error > 0)
      out.ratio = std::max(out.ratio, right_error / std::max(left_error, unit(r[t]->dtype) * scale));
  }
  return out;
}

/// Whether all floats are of types that end before products of numbers around 1e4 do.
bool is_narrow(const ir::Context& ctx, const Instance& instance) {
  constexpr double kEnd = 1e9;
  bool some = false, wide = false;
  for (const TensorFacts& tensor : instance.tensors) {
    if (!tensor.type.valid()) continue;
    const ir::DType dtype = ctx.get(tensor.type).dtype;
    if (ir::is_float(dtype)) (ir::row(dtype).format.largest < kEnd ? some : wide) = true;
  }
  return some && !wide;
}

/// Whether floats of 16 bits become integers or bools there: what they count ends at 2048, of bfloat16 at
/// 256.
bool counts_in_16_bits(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::ValueId v(i);
    if (!graph.type(v).is_tensor() || ir::is_float(graph.type(v).dtype)) continue;
    const auto is_half = [&](ir::ValueId o) {
      return graph.type(o).is_tensor() && ir::is_half(graph.type(o).dtype);
    };
    if (std::ranges::any_of(graph.operands(v), is_half)) return true;
  }
  return false;
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
    const bool single = rule_.dtypes.empty() || std::ranges::count(rule_.dtypes, ir::DType::kF32) > 0;
    const ir::DType dtype = single ? ir::DType::kF32 : ir::DType::kUndefined;
    constexpr int kPool = 4;        // candidates for each that is chosen
    constexpr int64_t kMost = 512;  // elements: loss of digits shows in small tensors too
    const RuleHints hints = hints_of(rule_, ctx_.ops());
    std::vector<Instance> candidates;
    const auto draw_candidates = [&](ir::DType of) {
      for (int attempt = 0;
           attempt < options_.attempts && static_cast<int>(candidates.size()) < kPool * options_.instances;
           ++attempt) {
        if (options_.until.passed()) break;
        Instance instance;
        if (!instantiate(ctx_, compiled_, hints, rng_, instance, of) || !has_at_most(ctx_, instance, kMost))
          continue;
        generalise(ctx_, compiled_, instance);
        candidates.push_back(std::move(instance));
      }
    };
    draw_candidates(dtype);
    for (const ir::DType other : kOtherFloats)
      if (candidates.empty() && single) draw_candidates(other);  // conditions may ask for it
    int found = 0;
    wide_ = std::ranges::any_of(candidates, [&](const Instance& i) { return !is_narrow(ctx_, i); });
    for (const size_t c : choose_instances(ctx_, rule_, candidates, candidates.size()))
      if (found < options_.instances && !options_.until.passed() && measure(candidates[c])) ++found;
    return std::move(report_);
  }

 private:
  bool measure(const Instance& instance) {
    const auto [left, right] = as_programs(ctx_, compiled_, instance);
    bool some = false;
    for (const Range& range : kRanges) some |= measure(instance, left, right, range);
    std::vector<double> named = verify::thresholds_of(left, right);
    named.resize(std::min(named.size(), kMostNamed));
    for (const double x : named)
      measure(instance, left, right, {"numbers beside a constant", 1, false, 1, Edge::kBesideConstant, x});
    if (counts_in_16_bits(left) || counts_in_16_bits(right)) count(instance);
    for (size_t t = 0; t < instance.tensors.size(); ++t) at_the_ends(instance, t);
    return some;
  }

  /// The elements of a constant that conditions look at: as large or small as they may be.
  void at_the_ends(const Instance& instance, size_t tensor) {
    const TensorFacts& facts = instance.tensors[tensor];
    if (!facts.splat.valid() || !ir::is_float(ctx_.get(facts.type).dtype)) return;
    const ir::DType dtype = ctx_.get(facts.type).dtype;
    const double largest = 0.9 * ir::row(dtype).format.largest, least = 3 * ir::smallest_number(dtype);
    for (const double end : {largest, -largest, least, -least}) {
      Instance trial = instance;
      trial.tensors[tensor].splat = ctx_.intern(ir::AttrValue(ir::round_to(dtype, end)));
      if (!refit(ctx_, compiled_, trial)) continue;
      const auto [left, right] = as_programs(ctx_, compiled_, trial);
      for (int d = 0; d < options_.draws; ++d) {
        const auto outcome = evaluate_draw(left, right, {"numbers around 1", 1});
        if (!outcome) continue;
        const bool large = std::abs(end) == largest;
        if (outcome->overflows || outcome->apart)
          except(large ? Exception::kOverflow : Exception::kUnderflow);
        if (outcome->vanishes) except(Exception::kUnderflow);
      }
    }
  }

  /// Ones only, along each axis that may be longer than 16 bits count to; an odd number of them.
  void count(const Instance& instance) {
    for (size_t t = 0; t < instance.tensors.size(); ++t) {
      const ir::Type& type = ctx_.get(instance.tensors[t].type);
      const size_t rank = type.is_static_tensor() ? type.shape.size() : 0;
      for (size_t axis = 0; axis < rank; ++axis)
        for (const int64_t ones : {257, 2051}) count(instance, t, axis, ones);
    }
  }

  /// Where the rule takes no more elements, the other axes have one each.
  void count(const Instance& instance, size_t tensor, size_t axis, int64_t ones) {
    constexpr int64_t kMost = 1 << 16;
    for (const bool alone : {false, true}) {
      ir::Type longer = ctx_.get(instance.tensors[tensor].type);
      if (alone) std::ranges::fill(longer.shape, ir::Dim(1));
      longer.shape[axis] = ir::Dim(ones);
      Instance trial = instance;
      trial.tensors[tensor].type = ctx_.intern(longer);
      if (!refit(ctx_, compiled_, trial) || !has_at_most(ctx_, trial, kMost)) continue;
      const auto [left, right] = as_programs(ctx_, compiled_, trial);
      const auto outcome = evaluate_draw(left, right, {"ones", 1, true, 1, Edge::kOnes});
      if (outcome && outcome->apart) except(Exception::kCounts);
      return;
    }
  }

  bool measure(const Instance& instance, const ir::Graph& left, const ir::Graph& right, const Range& range) {
    const bool equal = report_.difference.empty();
    Drawn drawn = draw(left, right, range, options_.draws);
    if (equal && !report_.difference.empty())
      report_.difference =
          fmt::format("the sides differ on {}, at {}", range.name, describe(ctx_, rule_, instance));
    if (!drawn.any) return false;
    const bool suspect = drawn.overflows == 0 && drawn.median > options_.most_lost;
    if (suspect) drawn = draw(left, right, range, 5 * options_.draws);  // bad luck, or the rule?
    if (range.edge != Edge::kNone) {
      if (is_alike(range.edge) && drawn.median > options_.most_lost) except(Exception::kCancellation);
      return true;
    }
    report_.worst = std::max(report_.worst, drawn.median);
    if (drawn.overflows > 0 && wide_ && is_narrow(ctx_, instance)) {
      except(Exception::kOverflow);
      return true;
    }
    const double lost = drawn.overflows > 0 ? std::numeric_limits<double>::infinity() : drawn.median;
    if (lost > std::max(reason_lost_, options_.most_lost)) {  // the reason is the worst case
      reason_lost_ = lost;
      report_.measured = Stability::kUnstable;
      report_.reason =
          fmt::format("{} on {}, at {}",
                      drawn.overflows > 0 ? std::string("not finite where the left side is")
                                          : fmt::format("{:.3g} times the left side's error", drawn.median),
                      range.name, describe(ctx_, rule_, instance));
    }
    return true;
  }

  void except(Exception e) { report_.exceptions.set(static_cast<size_t>(e)); }

  /// What a draw at an edge tells.
  void note(Edge edge, const Outcome& outcome) {
    if (edge == Edge::kSpecials && outcome.apart) except(Exception::kSpecials);
    if (edge == Edge::kZeros && outcome.signs) except(Exception::kNegativeZero);
    if (edge == Edge::kZeros && outcome.apart) except(Exception::kZero);
    const bool extreme = edge == Edge::kExtremes || edge == Edge::kLargest || edge == Edge::kRoots;
    if (extreme && (outcome.overflows || outcome.apart)) except(Exception::kOverflow);
    if (edge == Edge::kExtremes && outcome.vanishes) except(Exception::kUnderflow);
    if (edge == Edge::kMagnitudes && outcome.lost) except(Exception::kCancellation);
    const bool other = outcome.lost || outcome.jumps || outcome.apart;
    if (edge == Edge::kNextToNothing && other) except(Exception::kNextToNothing);
    if (edge == Edge::kBesideConstant && other) except(Exception::kBesideConstant);
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
      if (!outcome) continue;
      note(range.edge, *outcome);
      if (outcome->differs && report_.difference.empty()) report_.difference = std::string(range.name);
      if (!outcome->compared) continue;
      ++report_.evaluations;
      if (range.edge != Edge::kNone && !is_alike(range.edge)) {
        out.any = true;
        continue;
      }
      out.overflows += outcome->overflows;
      ratios.push_back(outcome->ratio);
      if (!outcome->identical && range.edge == Edge::kNone && report_.measured == Stability::kExact)
        report_.measured = Stability::kReassociates;
    }
    if (ratios.empty()) return out;
    out.any = true;
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
      // An index out of bounds, or what has no evaluation: fewer rows, or nothing.
      const auto seen = eval::outcome_of([&] {
        eval::Float64 wide;
        eval::Float32 narrow;  // kernels for 16 bits compute in 32, and keep 16
        eval::EvalOptions<eval::Float32> stored;
        stored.round_results = true;
        const std::span<const eval::Value<double>> all(inputs);
        const Values reference = eval::evaluate(wide, left, all);
        Outcome out = judge(reference, eval::evaluate(narrow, left, all, stored),
                            eval::evaluate(narrow, right, all, stored));
        const bool plain = range.edge == Edge::kNone && range.spread == 1 && range.scale == 1;
        out.differs = plain && out.ratio > 1000 && differ(reference, eval::evaluate(wide, right, all));
        return out;
      });
      if (seen) return seen.value;
    }
    return std::nullopt;
  }

  static constexpr size_t kMostNamed = 4;  ///< numbers of a rule beside which others are tried

  ir::Context& ctx_;
  const Rule& rule_;
  const StabilityOptions& options_;
  CompiledRule compiled_;
  bool wide_ = false;  ///< some instances are of types that hold all these ranges
  Rng rng_;
  StabilityReport report_;
  double reason_lost_ = 0;
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

std::string_view to_string(Exception e) {
  switch (e) {
    case Exception::kSpecials: return "infinities and NaN";
    case Exception::kNegativeZero: return "-0";
    case Exception::kZero: return "zeros and ties, where one side is not finite";
    case Exception::kOverflow: return "the ends of the finite range (overflow)";
    case Exception::kUnderflow: return "the ends of the finite range (underflow)";
    case Exception::kCancellation: return "cancellation between operands";
    case Exception::kCounts: return "counts beyond what 16 bits hold (rounding)";
    case Exception::kNextToNothing: return "numbers next to nothing (precision)";
    case Exception::kBesideConstant: return "numbers in the last digit beside a constant (rounding)";
  }
  return "?";
}

bool is_bit_exact(const StabilityReport& report) {
  return report.evaluations > 0 && report.measured == Stability::kExact && report.exceptions.none();
}

std::string arithmetic_of(const StabilityReport& report) {
  if (report.evaluations == 0) return "not measured on floats";
  std::vector<std::string_view> where;
  for (int e = 0; e < kExceptions; ++e)
    if (report.exceptions.test(static_cast<size_t>(e))) where.push_back(to_string(static_cast<Exception>(e)));
  const std::string_view plain =
      report.measured == Stability::kExact ? "bit-exact" : "equal in exact arithmetic";
  return where.empty() ? std::string(plain) : fmt::format("{}, except at {}", plain, fmt::join(where, "; "));
}

}  // namespace isomer::rewrite
