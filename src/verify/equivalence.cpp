#include "verify/equivalence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>

#include "eval/float_domain.h"
#include "eval/outcome.h"
#include "eval/random_interpretation.h"
#include "ir/same_structure.h"
#include "ir/scalar_table.h"
#include "meaning/flatten.h"
#include "support/errors.h"
#include "verify/cut.h"
#include "verify/degree.h"
#include "verify/function_names.h"
#include "verify/lost_digits.h"
#include "verify/one_arithmetic.h"
#include "verify/preimages.h"
#include "verify/program_outputs.h"
#include "verify/rounded_constants.h"
#include "verify/signature.h"

namespace isomer::verify {
namespace {

class Comparison {
 public:
  Comparison(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options)
      : a_(meaning::flatten(a).graph),
        b_(meaning::flatten(b).graph),
        options_(options),
        on_field_(options.field),
        lost_(a_, b_, request_) {
    const Analysis left = analyse(a_), right = analyse(b_);
    log2_degree_ = std::log2(std::exp2(left.log2_degree) + std::exp2(right.log2_degree));
    field_whole_ = std::max(left.work, right.work) <= options.full_work;
    float_work_ = std::max(left.float_work, right.float_work);
    rounded_ = !same_tensors_of_constants(a, b);
    rounded_types_ = rounded_types(a_, b_);
    if (options.thorough)  // where other types tell more
      for (const Analysis* side : {&left, &right})
        rounded_types_.insert(side->halves.begin(), side->halves.end());
    tolerance_ = rounded_ || options.rounded_results ? std::max(options.tolerance, options.rounded_tolerance)
                                                     : options.tolerance;
    request_.rounded = options.rounded_results;
    request_.samples = options.samples;
    request_.budget = options.sample_budget;
    request_.until = options.until;
    request_.nests = &nests_;
    integer_leaves_ = left.integer_leaves || right.integer_leaves;
    of_nothing_ = left.of_nothing;
    beyond_types_ = options.thorough && made_numbers_beyond_types(a, b);
    thresholds_ = thresholds_of(a, b);
    if (integer_leaves_) special_ = preimages(a_, b_);
    index_ranges_ = index_ranges(a);
    unread_ = unread_indices(a_);
    jumps_ = left.jumps || right.jumps;
    two_arithmetics_ = options.thorough && jumps_ && (casts_round(a_) || casts_round(b_));
    signs_of_zero_ = left.signs_of_zero || right.signs_of_zero;
    if (signs_of_zero_) thresholds_.push_back(0);  // -0, too: times a number below 0
    obstacle_ = left.obstacle.empty() ? right.obstacle : left.obstacle;
    if ((left.procedures || right.procedures) && (!field_whole_ || float_work_ > options.full_float_work))
      obstacle_ = "too large for all its elements, which what sorts or repeats needs";
  }

  Verdict run() {
    if (!obstacle_.empty()) return unknown(obstacle_);
    if (options_.thorough && unread_.out_of_bounds)
      return unknown("indices out of bounds, into slices of no elements", true);
    const Verdict out = at_integers();
    if (!out.vacuous || out.kind != VerdictKind::kUnknown || !jumps_ || !std::exchange(on_field_, false))
      return out;
    return at_integers();  // what the field makes of a root, or of a cast, is no place
  }

 private:
  Verdict at_integers() {
    // Integers may be indices: the widest range that keeps both programs in bounds.
    constexpr int64_t kWide = 1 << 20;
    static constexpr std::pair<int64_t, int64_t> kRanges[] = {
        {-kWide, kWide}, {-4, 4}, {-3, 3}, {-2, 2}, {0, 8}, {0, 3}, {0, 2}, {-1, 1}, {0, 1}};
    bool first = true;
    for (const auto& [low, high] : kRanges) {
      integer_low_ = low;
      integer_high_ = high;
      if (!first) index_ranges_.clear();  // what is known of single inputs did not suffice
      first = false;
      auto seen = eval::outcome_of([&] { return attempt(); });
      if (seen) return *std::move(seen.value);
      // Out of bounds: of the first side, whatever the integers.
      verdict_ = unknown(seen.why, seen.ended == eval::Ended::kOutOfBounds);
      if (!integer_leaves_ || seen.ended == eval::Ended::kBudget || seen.ended == eval::Ended::kTime) break;
    }
    return verdict_;
  }

  static constexpr double kLeastScale = 1e-6;           ///< of outputs that are zero but for what cancels
  static constexpr double kLeastScaleOfDoubles = 1e-3;  ///< sums of thousands that cancel: 1e-13 is left
  static constexpr double kBitsOfField = eval::RandomInterpretation::kNumberBits;
  /// Log of the degree from which on powers of small integers overflow.
  static constexpr double kOverflows = 9;

  Draw draw(int test, uint64_t kind) const {
    return {hash_combine(hash_combine(options_.seed, kind), static_cast<uint64_t>(test)),
            floats_of(test),
            integer_low_,
            integer_high_,
            Integers::kRange,
            index_ranges_,
            thresholds_,
            special_};
  }

  /// Of floats: of rules, which have many tests, some whole tensors are arranged.
  Draw float_draw(int test) const {
    Draw out = draw(test, 2);
    if (options_.thorough && request_.whole) out.arrangement = arrangement_of(out.floats, out.seed);
    return out;
  }

  /// The bound is about uniform field elements; integers come from a small range and are no polynomials.
  std::string why_not_proved() const {
    if (integer_leaves_) return fmt::format("integer inputs from [{}, {})", integer_low_, integer_high_);
    if (signs_of_zero_) return "the sign of a zero is told, of which the field has one";
    if (!may_prove() || whatever_is_chosen_) return {};
    if (too_many_.empty()) return "not proved for every way that values are chosen or compared";
    return fmt::format("more than {} {}, which a proof would have to tell apart",
                       eval::RandomInterpretation::kMostKept, too_many_);
  }

  Verdict attempt() {
    verdict_ = {};
    informative_ = one_sided_ = of_zeros_ = identity_ = whatever_is_chosen_ = ordered_ = false;
    too_many_ = {};
    bits_of_test_ = kBitsOfField;
    lost_.forget();
    std::string field_note = "not an identity over the field";
    request_.whole = field_whole_;
    const auto over_field = eval::outcome_of<eval::Ended::kBudget>([&] {
      // Rounded constants make no identity over the field: not worth a long test.
      const bool hopeless = rounded_ && !field_whole_;
      if (hopeless) field_note = "constants were rounded: not compared over the field";
      if (on_field_ && options_.field_tests > 0 && !hopeless) {
        whatever_is_chosen_ = !options_.thorough && may_prove() && agrees_whatever_is_chosen();
        identity_ = whatever_is_chosen_ || field_agrees<eval::PrimeField>();
        if (options_.thorough && identity_ && decides() && may_prove())
          whatever_is_chosen_ = agrees_whatever_is_chosen();
        const bool everywhere =
            !signs_of_zero_ && (whatever_is_chosen_ || !(jumps_ || ordered_ || integer_leaves_));
        verdict_.on_field = !identity_                   ? OnField::kOther
                            : field_whole_ && everywhere ? OnField::kSame
                                                         : OnField::kSameWhereSampled;
      }
    });
    if (!over_field) field_note = "over the field " + over_field.why;
    if (one_sided_) {
      verdict_.kind = VerdictKind::kRefuted;
      verdict_.method = "field";
      return verdict_;
    }
    verdict_.counterexample.clear();
    verdict_.inputs.clear();
    const int64_t compared = verdict_.elements_compared;
    request_.whole = float_work_ <= options_.full_float_work;
    const bool heavy = float_work_ > options_.full_float_work / 10;
    bool floats = true;
    const auto on_floats = eval::outcome_of<eval::Ended::kBudget>([&] {
      const bool few = identity_ && !integer_leaves_ && !options_.thorough && !signs_of_zero_;
      const int tests = heavy ? std::min(options_.float_tests, few ? 1 : 2)
                        : few ? std::min(options_.float_tests, 3)
                              : options_.float_tests;
      floats = (options_.rounded_results ? floats_agree<eval::Float32>(tests)
                                         : floats_agree<eval::Float64>(tests)) &&
               (heavy || !options_.thorough || strays_agree());
    });
    if (!on_floats && !identity_) return unknown(on_floats.why);
    verdict_.on_floats = informative_;
    const double bound = std::min(0.0, field_tests() * (log2_degree_ - bits_of_test_));
    if (identity_ && floats) {
      const bool proved = field_whole_ && bound <= options_.log2_error_goal && !integer_leaves_ &&
                          !signs_of_zero_ && (whatever_is_chosen_ || (options_.thorough && !decides()));
      verdict_.kind = proved ? VerdictKind::kProved : VerdictKind::kSampled;
      verdict_.note = why_not_proved();
      if (ordered_ && !whatever_is_chosen_)
        std::erase(verdict_.uninterpreted, *ir::row(ir::ScalarOp::kLess).arbitrary);
      verdict_.method = field_whole_ ? "field" : "field, sampled";
      verdict_.log2_error = proved ? bound : 0;
      verdict_.elements_compared = compared;
      return verdict_;
    }
    verdict_.uninterpreted.clear();
    verdict_.method = request_.whole ? "floats" : "floats, sampled";
    if (!floats) {
      verdict_.kind = VerdictKind::kRefuted;
      if (identity_) verdict_.note = "an identity over the field, but not on floats";
    } else if (!informative_) {
      verdict_.kind = VerdictKind::kUnknown;
      verdict_.note = "no finite element to compare";
      verdict_.vacuous = true;
    } else {
      verdict_.kind = VerdictKind::kTested;
      if (options_.field) verdict_.note = field_note;
    }
    return verdict_;
  }

  bool decides() const { return ordered_ || jumps_; }
  /// Whether a proof would be said, in every way of what decides: a random order shows none of many.
  bool may_prove() const { return field_whole_ && !integer_leaves_ && (!options_.thorough || decides()); }

  /// Enough for the error probability that is asked for, where enough tests can give it.
  int field_tests() const {
    constexpr double kMost = 8;
    const double bits = bits_of_test_ - log2_degree_;
    if (!field_whole_ || integer_leaves_ || bits <= 0) return options_.field_tests;
    const double needed = std::ceil(-options_.log2_error_goal / bits);
    return std::max(options_.field_tests, needed <= kMost ? static_cast<int>(needed) : 0);
  }

  /// Over the field, with arbitrary functions for what decides: the order of numbers that are drawn shows one
  /// way of many. That they differ does not refute: the order itself may be what makes them equal.
  bool agrees_whatever_is_chosen() {
    const bool of_zeros = of_zeros_;  // No meaning, below: an index that is not known.
    const auto seen =
        eval::outcome_of<eval::Ended::kOutOfBounds, eval::Ended::kBudget, eval::Ended::kNoMeaning>(
            [&] { return field_agrees<eval::RandomInterpretation>(); });
    if (seen && *seen) return true;
    one_sided_ = false;
    of_zeros_ = of_zeros;
    bits_of_test_ = kBitsOfField;
    return false;
  }

  template <class Domain>
  static std::unordered_set<uint64_t> divisors_of(Domain& domain) {
    if constexpr (eval::HasTokens<Domain>) return domain.divisors();
    return {};
  }

  template <class Domain>
  bool field_agrees() {
    uint64_t inexact = 0;
    for (int test = 0; test < field_tests(); ++test) {
      Draw d = draw(test, 1);
      Domain domain(d.seed);
      TestLeaves<eval::FieldValue> leaves;
      request_.sample_seed = d.seed;
      const auto left = left_outputs(domain, d, leaves, {Integers::kRange, Integers::kNonzero});
      if (!left || (options_.thorough && is_empty(*left))) return false;
      const bool zero = domain.divided_by_zero();  // then the first side may have no value either
      of_zeros_ |= zero;
      const auto divisors = divisors_of(domain);
      const auto right = right_outputs(domain, d, leaves);
      if (one_sided_ &= !zero; !right) return false;
      inexact |= domain.inexact();
      if constexpr (eval::HasTokens<Domain>) {
        if (too_many_.empty()) too_many_ = domain.too_many();
        if (domain.refused() || (domain.decided() && divisors != divisors_of(domain))) return false;
        bits_of_test_ = std::min(bits_of_test_, domain.bits());
      }
      count(*left);
      if (!same_values(*left, *right)) return false;
    }
    verdict_.uninterpreted = function_names(inexact);
    ordered_ = (inexact >> static_cast<int>(ir::ScalarOp::kLess) & 1) != 0;
    return true;
  }

  template <class Domain>
  bool floats_agree(int tests) {
    const int first = options_.first_float_test, after = first + tests;
    const bool ends = options_.thorough && integer_leaves_ && after == kFirstOfEnds;
    for (int test = first; test < (ends ? after + kTestsOfEnds : after); ++test) {
      Draw d = float_draw(test);
      Domain domain;
      TestLeaves<double> leaves;
      request_.sample_seed = d.seed;
      const auto left = left_outputs(
          domain, d, leaves,
          {integer_leaves_ ? integers_of(test) : Integers::kRange,
           integers_of(test) == Integers::kExtremes ? Integers::kNonzeroExtremes : Integers::kRange,
           Integers::kRange, Integers::kNonzero});
      if (!left) continue;  // what the first side has no value for may be anything
      if (options_.thorough && is_empty(*left)) continue;  // and of nothing there is nothing to say
      const auto right = right_outputs(domain, d, leaves);
      if (!right) return false;
      if (d.floats == Floats::kSpecials) continue;  // what they make of each other is rule_stability.h's
      if (d.floats == Floats::kLarge && domain.vanished > 0) {
        verdict_.limits |= kAtOverflow;
        continue;
      }
      count(*left);
      for (size_t o = 0; o < left->size(); ++o)
        if (!compare((*left)[o], (*right)[o], o, d)) return false;
    }
    return true;
  }

  /// Indices out of bounds that only the second side reads.
  bool strays_agree() {
    if (!integer_leaves_ || unread_.some) return true;
    for (int test = 0; test < options_.stray_tests; ++test) {
      Draw d = draw(test, 3);
      d.floats = Floats::kSigned;
      eval::Float64 domain;
      TestLeaves<double> leaves;
      request_.sample_seed = d.seed;
      const auto left = left_outputs(domain, d, leaves, {Integers::kStray});
      if (left && !right_outputs(domain, d, leaves)) return false;
    }
    return true;
  }

  /// Of the first of these ways for which every element of `a` has a value; nothing if there is none. Throws
  /// InputError if integers of the test's range are out of bounds.
  template <class D>
  std::optional<std::vector<OutputElements<typename D::Number>>> left_outputs(
      D& domain, Draw& d, TestLeaves<typename D::Number>& leaves, std::initializer_list<Integers> ways) {
    for (const Integers way : ways) {
      if (way != Integers::kRange && !integer_leaves_) continue;
      d.integers = way;
      leaves = {};
      domain.undefined = 0;
      const auto evaluated = [&] { return program_outputs(domain, a_, d, leaves, request_); };
      if (way == Integers::kRange || way == Integers::kNonzero) {
        auto out = evaluated();
        if (domain.undefined == 0) return out;
      } else if (auto out = eval::outcome_of<eval::Ended::kOutOfBounds>(evaluated);
                 out && domain.undefined == 0) {
        return std::move(out.value);
      }
    }
    return std::nullopt;
  }

  /// Nothing when an element of `b` has no value on elements that `a` has been evaluated on.
  template <class D>
  std::optional<std::vector<OutputElements<typename D::Number>>> right_outputs(
      D& domain, const Draw& d, TestLeaves<typename D::Number>& leaves) {
    std::string what = "an integer is divided by zero, or a number cast out of the integer's range";
    auto out = eval::outcome_of<eval::Ended::kOutOfBounds>(
        [&] { return program_outputs(domain, b_, d, leaves, request_); });
    if (out && domain.undefined == 0) return std::move(out.value);
    if (!out) {
      if (has_opaque_integers(b_))
        throw InputError("an index may be what an operator without a meaning gives");
      what = out.why;
    }
    verdict_.counterexample = fmt::format("only the second side fails: {} (seed {})", what, d.seed);
    keep_inputs(d);  // over the field too: integers, which decide that, are the same there
    one_sided_ = true;
    return std::nullopt;
  }

  void keep_inputs(const Draw& d) {
    if (options_.keep_inputs) verdict_.inputs = drawn_inputs(a_, d);
  }

  bool compare(const OutputElements<double>& a, const OutputElements<double>& b, size_t output,
               const Draw& d) {
    const auto differ = [&](size_t i, auto x, auto y) {
      verdict_.counterexample = fmt::format("output {} at [{}]: {} against {} (seed {}, {} inputs)", output,
                                            fmt::join(a.index_of(i), ","), x, y, d.seed, name_of(d.floats));
      keep_inputs(d);
      return false;
    };
    informative_ |= !a.integers.empty();
    for (size_t i = 0; i < a.integers.size(); ++i) {
      if (a.integers[i] == b.integers[i]) continue;
      if (two_arithmetics_ && !integers_part(a_, b_, d, options_.until)) break;
      return differ(i, a.integers[i], b.integers[i]);
    }
    const ir::DType dtype = b.dtype;
    constexpr double kDouble = 1e-9;   // a cast to float32 and back is seen
    constexpr double kRounded = 0.25;  // constants of 8 bits, where terms cancel: other types tell more
    const double tolerance =
        dtype == ir::DType::kF64 && options_.thorough && !rounded_ && d.floats != Floats::kLarge
            ? std::min(tolerance_, kDouble)
        : !rounded_types_.contains(dtype) ? tolerance_
                                          : kRounded;
    verdict_.granted = std::max(verdict_.granted, tolerance);
    double scale = tolerance <= kDouble ? kLeastScaleOfDoubles : kLeastScale;
    for (size_t i = 0; i < a.numbers.size(); ++i)
      for (double x : {a.numbers[i], b.numbers[i]})
        if (std::isfinite(x)) scale = std::max(scale, std::abs(x));
    // A constant may make a rule's first side infinite everywhere (x * 0 / 0): it may hold elsewhere.
    const bool never =
        options_.thorough && std::ranges::none_of(a.numbers, [](double x) { return std::isfinite(x); });
    for (size_t i = 0; i < a.numbers.size(); ++i) {
      const double x = a.numbers[i], y = b.numbers[i];
      if (std::isfinite(x) && std::isfinite(y)) {
        informative_ = true;
        verdict_.max_relative_error = std::max(verdict_.max_relative_error, std::abs(x - y) / scale);
      }
      if (agree(x, y, tolerance, scale)) continue;
      // Results of 16 bits: what both are once they are stored.
      if (ir::bit_width(dtype) == 16 &&
          agree(ir::round_to(dtype, x), ir::round_to(dtype, y), tolerance, scale))
        continue;
      const bool made = std::isfinite(x) && !std::isfinite(y);                  // by the second side
      if (made && (beyond_types_ || !std::isfinite(ir::round_to(dtype, x)))) {  // its type holds neither
        verdict_.limits |= kAtOverflow;
        continue;
      }
      // Of large or equal numbers, what overflows or divides by zero says how far the equality reaches.
      const bool ordinary = d.floats == Floats::kSigned || d.floats == Floats::kPositive;
      const bool zeros = d.floats == Floats::kCoarse && d.arrangement != Arrangement::kInOrder;
      const bool by_zero = made && zeros && log2_degree_ < kOverflows;
      const bool mended =
          !of_nothing_ && (never || (options_.thorough && !std::isfinite(x) && !std::isfinite(y)));
      const bool refutes = !mended && (ordinary || (std::isfinite(x) && std::isfinite(y)) || by_zero);
      if (refutes && !rounding_explains(d, output, i, x, y)) return differ(i, x, y);
      verdict_.limits |= refutes ? kCancels : mended || zeros ? kAtZero : kAtOverflow;
    }
    if (a.numbers.empty() && a.integers.empty()) informative_ = true;  // nothing that could differ
    return true;
  }

  /// Of results that were rounded; of the sides of a rule that are equal over the field.
  bool rounding_explains(const Draw& d, size_t output, size_t element, double x, double y) {
    if (options_.rounded_results) return lost_.rounds(d, output, element, x, y);
    if (!identity_ || !options_.thorough) return false;
    if (of_zeros_ && std::isfinite(x) && !std::isfinite(y)) return true;
    return lost_.explain(d, output, element, x, y, jumps_);
  }

  template <class Number>
  void count(const std::vector<OutputElements<Number>>& outputs) {
    verdict_.elements_compared = verdict_.elements_total = 0;
    for (const auto& o : outputs) {
      int64_t total = 1;
      for (int64_t s : o.sizes) total *= s;
      verdict_.elements_total += total;
      verdict_.elements_compared += static_cast<int64_t>(o.places.size());
    }
  }

  ir::Graph a_, b_;
  const EquivalenceOptions& options_;
  bool on_field_;
  meaning::KnownNests nests_;
  OutputRequest request_;
  bool field_whole_ = true;
  double float_work_ = 0, tolerance_ = 0;
  bool rounded_ = false, beyond_types_ = false;  ///< numbers of the second program are beyond their types
  std::set<ir::DType> rounded_types_;
  std::vector<double> thresholds_;
  std::vector<int64_t> special_;  ///< at which one side is what it is compared with
  bool identity_ = false;         ///< over the field
  LostDigits lost_;
  std::vector<LeafRange> index_ranges_;
  UnreadIndices unread_;
  double log2_degree_ = 0;
  std::string obstacle_;
  int64_t integer_low_ = 0, integer_high_ = 4;
  bool integer_leaves_ = false, jumps_ = false, informative_ = false, signs_of_zero_ = false;
  bool two_arithmetics_ = false;     ///< casts round, other steps do not, and what jumps is behind them
  bool ordered_ = false;             ///< over the field, by one random order in each test
  bool one_sided_ = false;           ///< only the second side failed
  bool whatever_is_chosen_ = false;  ///< over the field, with arbitrary functions for what decides
  std::string_view too_many_;        ///< what there was no room for when that was tried
  double bits_of_test_ = kBitsOfField;
  bool of_zeros_ = false;    ///< over the field the first side divides by zero: it has no value of its own
  bool of_nothing_ = false;  ///< an input has no elements: infinities are what nothing is reduced to
  Verdict verdict_;
};

Verdict checked(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options) {
  if (std::string difference = signature_difference(a, b); !difference.empty())
    return refuted_by_signature(std::move(difference));
  if (ir::same_structure(a, b)) return proved_by_structure("structure");
  if (same_at_every_size(a, b)) return proved_by_structure("the same elements at every size");
  if (const auto cut = cut_shared(a, b)) {
    Verdict v = Comparison(cut->first, cut->second, options).run();
    // On floats agreement for arbitrary shared values says more than for those that occur; a proof may still
    // need to know what they are, unless constants were rounded.
    const bool rounded = !same_tensors_of_constants(cut->first, cut->second);
    if (v.kind <= (rounded ? VerdictKind::kTested : VerdictKind::kSampled)) return v;
  }
  return Comparison(a, b, options).run();
}

}  // namespace

Verdict check_equivalent(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options) {
  REQUIRE(&a.context() == &b.context(), "graphs of one context");
  auto seen = eval::outcome_of([&] { return checked(a, b, options); });  // sizes may be beyond 64 bits
  return seen ? *std::move(seen.value) : unknown(std::move(seen.why));
}

}  // namespace isomer::verify
