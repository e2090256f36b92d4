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
// What computes a function of several steps (softplus) is run step by step, and as one function, whose kernel
// keeps the digits that the steps lose (eval/whole_functions.h): the sides may part either way.
//
// Beside that an element tells of the reals where the sides have it apart by more than rounding to 16 bits
// can explain, and both stay where they are when every result is off by chance: then the rule is wrong,
// however small the element is beside the others.
//
// Each experiment draws from a stream of its own, so that a further one changes nothing that another sees.
// Beyond the instances whose errors are measured, others have one draw of each range: they may show other
// bits, or an exception.
//
// Elements that nearly cancel between different tensors (x + a with x near -a) are not tried: every
// distributive law fails there, batch norm folded into a convolution among them, and every runtime does that.
#include "rewrite/rule_stability.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/outcome.h"
#include "eval/whole_functions.h"
#include "ir/constant_data.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_coverage.h"
#include "rewrite/rule_draws.h"
#include "rewrite/rule_mutation.h"
#include "rewrite/stability_draws.h"
#include "rewrite/stability_sides.h"
#include "verify/draws.h"

namespace isomer::rewrite {
namespace {

/// Nothing where numbers cancel, or are at the ends of their types.
Tells told_by(const Range& range) {
  switch (range.edge) {
    case Edge::kNone:
      return range.spread < 1 ? Tells::kNothing : range.scale == 1 ? Tells::kEachAndAll : Tells::kEach;
    case Edge::kSpecials:
    case Edge::kZeros:
    case Edge::kMagnitudes:
    case Edge::kNextToNothing:
    case Edge::kReciprocal:
    case Edge::kBesideConstant: return Tells::kEach;
    default: return Tells::kNothing;
  }
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
        seed_(hash_combine(options.seed, hash_string(rule.name))) {}

  StabilityReport run() {
    const bool single = rule_.dtypes.empty() || std::ranges::count(rule_.dtypes, ir::DType::kF32) > 0;
    const ir::DType dtype = single ? ir::DType::kF32 : ir::DType::kUndefined;
    constexpr int kPool = 4;        // candidates for each that is chosen
    constexpr int64_t kMost = 512;  // elements: loss of digits shows in small tensors too
    const RuleHints hints = hints_of(rule_, ctx_.ops());
    std::vector<Instance> candidates;
    Rng rng = stream("instances");
    const auto draw_candidates = [&](ir::DType of) {
      for (int attempt = 0;
           attempt < options_.attempts && static_cast<int>(candidates.size()) < kPool * options_.instances;
           ++attempt) {
        if (options_.until.passed()) break;
        Instance instance;
        if (!instantiate(ctx_, compiled_, hints, rng, instance, of) || !has_at_most(ctx_, instance, kMost))
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
      if (!options_.until.passed()) {
        instance_ = c;
        if (found < options_.instances)
          found += measure(candidates[c]);
        else
          glance(candidates[c]);
      }
    return std::move(report_);
  }

 private:
  Sides sides_of(const Instance& instance) {
    auto [left, right] = as_programs(ctx_, compiled_, instance);
    const bool of_functions = eval::has_whole_functions(left) || eval::has_whole_functions(right);
    return {std::move(left), std::move(right), of_functions};
  }

  /// The numbers of one experiment at the instance at hand.
  Rng stream(std::string_view experiment) const {
    return Rng(hash_combine(hash_combine(seed_, instance_), hash_string(experiment)));
  }

  bool measure(const Instance& instance) {
    const Sides sides = sides_of(instance);
    bool some = false;
    for (const Range& range : kRanges) some |= measure(instance, sides, range);
    std::vector<double> named = verify::thresholds_of(sides.left, sides.right);
    named.resize(std::min(named.size(), kMostNamed));
    for (const double x : named)
      measure(instance, sides, {"numbers beside a constant", 1, false, 1, Edge::kBesideConstant, x});
    for (const double x : named)
      if (std::abs(x) > kFar)
        measure(
            instance, sides,
            {"numbers around the reciprocal of a constant", 1 / std::abs(x), false, 1, Edge::kReciprocal});
    if (counts_in_16_bits(sides.left) || counts_in_16_bits(sides.right)) count(instance);
    for (size_t t = 0; t < instance.tensors.size(); ++t) at_the_ends(instance, t);
    return some;
  }

  /// At further instances: whether the bits are the same, and what the edges tell, by a draw of each range.
  void glance(const Instance& instance) {
    const Sides sides = sides_of(instance);
    for (const Range& range : kRanges)
      if (!is_alike(range.edge)) draw(instance, sides, range, 1);
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
      const Sides sides = sides_of(trial);
      Rng rng = stream(fmt::format("constant {} of {}", tensor, end));
      for (int d = 0; d < options_.draws; ++d) {
        const auto outcome = evaluate_draw(sides, {"numbers around 1", 1}, rng);
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
      Rng rng = stream("ones");
      const auto outcome = evaluate_draw(sides_of(trial), {"ones", 1, true, 1, Edge::kOnes}, rng);
      if (outcome && outcome->apart) except(Exception::kCounts);
      return;
    }
  }

  bool measure(const Instance& instance, const Sides& sides, const Range& range) {
    const bool tells = range.edge != Edge::kNone && !is_alike(range.edge);
    Drawn drawn = draw(instance, sides, range, tells ? kMoreAtEdges * options_.draws : options_.draws);
    if (!drawn.any) return false;
    const bool suspect = drawn.overflows == 0 && drawn.median > options_.most_lost;
    if (suspect) drawn = draw(instance, sides, range, 5 * options_.draws);  // bad luck, or the rule?
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

  /// Whether all that draws at an edge may tell is known.
  bool is_told(Edge edge) const {
    const auto known = [&](Exception e) { return report_.exceptions.test(static_cast<size_t>(e)); };
    switch (edge) {
      case Edge::kSpecials: return known(Exception::kSpecials);
      case Edge::kZeros: return known(Exception::kNegativeZero) && known(Exception::kZero);
      case Edge::kExtremes: return known(Exception::kOverflow) && known(Exception::kUnderflow);
      case Edge::kLargest:
      case Edge::kRoots: return known(Exception::kOverflow);
      case Edge::kMagnitudes: return known(Exception::kCancellation);
      case Edge::kNextToNothing: return known(Exception::kNextToNothing);
      case Edge::kBesideConstant: return known(Exception::kBesideConstant);
      default: return false;
    }
  }

  void except(Exception e) { report_.exceptions.set(static_cast<size_t>(e)); }

  /// What a draw at an edge tells.
  void note(Edge edge, const SidesSeen& outcome) {
    if (edge == Edge::kSpecials && (outcome.apart || outcome.differs)) except(Exception::kSpecials);
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
  Drawn draw(const Instance& instance, const Sides& sides, const Range& range, int draws) {
    std::vector<double> ratios;
    Drawn out;
    Rng rng = stream(fmt::format("{} {} {}", range.name, range.scale, range.constant));
    for (int d = 0; d < draws && !is_told(range.edge); ++d) {
      const auto outcome = evaluate_draw(sides, range, rng);
      if (!outcome) continue;
      note(range.edge, *outcome);
      if (outcome->differs && range.edge != Edge::kSpecials && report_.difference.empty())
        report_.difference =
            fmt::format("the sides differ on {}, at {}", range.name, describe(ctx_, rule_, instance));
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

  std::optional<SidesSeen> evaluate_draw(const Sides& sides, const Range& range, Rng& rng) {
    const Rng before = rng;
    for (const int64_t integers : {4, 2, 1}) {
      rng = before;
      const std::vector<eval::Value<double>> inputs = draw_inputs(sides.left, range, integers, rng);
      // An index out of bounds, or what has no evaluation: fewer rows, or nothing.
      const auto seen = eval::outcome_of([&] { return seen_on(sides, inputs, told_by(range)); });
      if (seen) return seen.value;
    }
    return std::nullopt;
  }

  static constexpr int kMoreAtEdges = 2;   ///< times the draws: one of them tells, and may be rare
  static constexpr double kFar = 1e4;      ///< numbers that make much of next to nothing
  static constexpr size_t kMostNamed = 4;  ///< numbers of a rule beside which others are tried

  ir::Context& ctx_;
  const Rule& rule_;
  const StabilityOptions& options_;
  CompiledRule compiled_;
  bool wide_ = false;  ///< some instances are of types that hold all these ranges
  uint64_t seed_;
  size_t instance_ = 0;  ///< the one that is measured, among the candidates
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
