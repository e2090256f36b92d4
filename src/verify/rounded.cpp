// Both programs are run on the same inputs (rounded_run.h). A difference needs no bound on rounding, since
// only what is far too large counts: a result that is not finite, or one that has lost most of its digits.
#include "verify/rounded.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "eval/interpreter.h"
#include "eval/outcome.h"
#include "ir/constant_data.h"
#include "meaning/nest.h"
#include "support/errors.h"
#include "verify/degree.h"
#include "verify/input_ranges.h"
#include "verify/only_casts.h"
#include "verify/random_leaves.h"
#include "verify/rounded_run.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

constexpr int kMostTests = 64, kFewestTests = 8;
constexpr double kOfItself = 0.25, kOfUsual = 0.05;

/// How the elements of one test are drawn.
struct Way {
  enum class Kind : uint8_t { kDrawn, kFilled, kHundreds, kTies };
  Kind kind;
  Floats floats;      ///< kDrawn
  Integers integers;  ///< kDrawn, kHundreds
  int number;         ///< of its kind
  /// Numbers up to about 2: what is far off was lost by rounding.
  bool ordinary() const {
    return kind == Kind::kDrawn && integers == Integers::kRange &&
           (floats == Floats::kSigned || floats == Floats::kPositive || floats == Floats::kCoarse);
  }
  std::string_view name() const {
    return kind == Kind::kFilled     ? "filled"
           : kind == Kind::kHundreds ? "hundreds"
           : kind == Kind::kTies     ? "nearly equal"
                                     : name_of(floats);
  }
};

Way way_of(int test) {
  const int number = test / 4;
  const Integers integers = number % 2 == 0 ? Integers::kExtremes : Integers::kRange;
  switch (test % 4) {
    case 0: return {Way::Kind::kDrawn, floats_of(number), Integers::kRange, number};
    case 1: return {Way::Kind::kFilled, Floats::kSigned, integers, number};
    case 2: return {Way::Kind::kHundreds, Floats::kSigned, integers, number};
    default: return {Way::Kind::kDrawn, Floats::kLarge, integers, number};
  }
}

/// Numbers one of which rounding makes another: all of a test near one, or those of equal places.
double nearly_equal(const Draw& draw, int number, uint64_t leaf, int64_t element) {
  constexpr int kLeastBits = 9, kWays = 5;  // from the half of bfloat16's last digit to that of float16's
  const uint64_t place = mix64(draw.hash(0, 0, number % 2 == 0 ? element : 0));
  const uint64_t own = mix64(draw.hash(leaf, 1, element));
  const size_t known = draw.thresholds.size();
  const bool named = known > 0 && place % 2 == 0;
  const double base =
      named ? draw.thresholds[(place >> 8) % known] : 4 * static_cast<double>(place >> 11) * 0x1p-53 - 2;
  return base + base * std::ldexp(static_cast<double>(own % 5) - 2, -kLeastBits - number % kWays);
}

/// What all elements of a tensor are.
double filling(int number) {
  static constexpr std::array kFloats = {300.0, -300.0, 1.0, 60000.0, 2000.0, -60000.0, 0.01, 20.0};
  return kFloats[static_cast<size_t>(number) % kFloats.size()];
}

/// The same of integers: the ends of the type, 1 and 0.
int64_t integer_filling(ir::DType dtype, int number) {
  if (dtype == ir::DType::kBool) return number % 2 == 0;
  const std::array all = {Draw::end_of(dtype, true), Draw::end_of(dtype, false), int64_t{1}, int64_t{0}};
  return all[static_cast<size_t>(number) % all.size()];
}

class Rounded {
 public:
  Rounded(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options)
      : a_(a),
        b_(b),
        options_(options),
        thresholds_(thresholds_of(a, b)),
        ranges_(index_ranges(a)),
        known_(infer_input_ranges(a)),
        exact_(only_casts_round(a) && only_casts_round(b)) {}

  Rounding run() {
    const double work = larger_float_work(a_, b_);
    const int tests =
        static_cast<int>(std::min<double>(kMostTests, options_.full_float_work / std::max(work, 1.0)));
    for (int test = 0; tests >= kFewestTests && test < tests && out_.different.empty(); ++test) {
      const auto seen = eval::outcome_of([&] { once(test); });
      if (!seen && seen.ended != eval::Ended::kOutOfBounds) break;  // there integers are no indices
    }
    return std::move(out_);
  }

 private:
  void once(int test) {
    Way way = way_of(test);
    if (exact_ && way.kind == Way::Kind::kHundreds) way.kind = Way::Kind::kTies;
    const Draw draw{hash_combine(hash_combine(options_.seed, 3), static_cast<uint64_t>(test)),
                    way.floats,
                    0,
                    2,
                    way.integers,
                    ranges_,
                    thresholds_};
    const Values inputs = drawn(draw, way);
    const RoundedRun x = run_rounded(a_, inputs, options_.until);
    if (x.undefined) return;  // what the first one has no value for may be anything
    const RoundedRun y = run_rounded(b_, inputs, options_.until);
    for (size_t o = 0; o < x.outputs.size() && out_.different.empty(); ++o) {
      const auto &left = x.outputs[o].tensor, &right = y.outputs[o].tensor;
      if (left && right && left->numbers.size() == right->numbers.size())
        compare(left->numbers, right->numbers, o, way, x, y);
      if (left && right && exact_ && !y.undefined) compare(left->integers, right->integers, o, way);
    }
    const bool said = !out_.different.empty() || (!out_.first_overflows.empty() && out_.inputs.empty());
    if (said && options_.keep_inputs) out_.inputs = tensors_of(inputs);
  }

  Values drawn(const Draw& draw, const Way& way) const {
    Values out;
    for (size_t i = 0; i < a_.inputs().size(); ++i) {
      const ir::Type& type = a_.type(a_.inputs()[i]);
      if (!type.is_static_tensor()) throw InputError("not static");
      eval::Tensor<double> tensor{type.dtype, ir::sizes(type.shape), {}, {}};
      const bool integers = meaning::sort_of(type.dtype) == meaning::Sort::kInteger;
      for (int64_t e = 0, count = tensor.count(); e < count; ++e) {
        if (integers)
          tensor.integers.push_back(integer(type.dtype, i, e, draw, way));
        else
          tensor.numbers.push_back(number(type.dtype, i, e, draw, way));
      }
      out.push_back(eval::make_value(std::move(tensor)));
    }
    return out;
  }

  int64_t integer(ir::DType dtype, size_t input, int64_t element, const Draw& draw, const Way& way) const {
    if (is_a_mask(input, way)) return static_cast<int64_t>(of_a_mask(input, element, draw));
    const bool index =
        std::ranges::any_of(ranges_, [&](const LeafRange& r) { return r.leaf == input_leaf(input); });
    return way.kind == Way::Kind::kFilled && !index ? integer_filling(dtype, way.number)
                                                    : draw.integer(dtype, input_leaf(input), 0, element);
  }

  /// What looks like one is taken for one in every other test: a factor of 100 makes no mask.
  bool is_a_mask(size_t input, const Way& way) const {
    return !known_[input].values.empty() && way.number % 2 == 0;
  }

  /// One of the values that are meant.
  double of_a_mask(size_t input, int64_t element, const Draw& draw) const {
    const std::vector<double>& values = known_[input].values;
    return values[mix64(draw.hash(input_leaf(input), 0, element)) % values.size()];
  }

  double number(ir::DType dtype, size_t input, int64_t element, const Draw& draw, const Way& way) const {
    if (is_a_mask(input, way)) return of_a_mask(input, element, draw);
    if (way.kind == Way::Kind::kFilled) return ir::round_to(dtype, filling(way.number));
    if (way.kind == Way::Kind::kTies)
      return ir::round_to(dtype, nearly_equal(draw, way.number, input_leaf(input), element));
    double x = 0;
    draw.number(dtype, input_leaf(input), 0, element, x);
    if (way.kind != Way::Kind::kHundreds) return x;
    // All of them, positive ones, and some among ordinary ones.
    const uint64_t h = mix64(draw.hash(input_leaf(input), 1, element));
    const double size = 100 + 900 * static_cast<double>(h >> 11) * 0x1p-53;
    if (way.number % 3 == 2 && (h & 7) != 0) return x;
    return ir::round_to(dtype, way.number % 3 != 1 && x < 0 ? -size : size);
  }

  /// What is chosen or compared, where that is decided: by casts as ONNX says them, and nothing else.
  void compare(const std::vector<int64_t>& x, const std::vector<int64_t>& y, size_t output, const Way& way) {
    const auto [at, other] = std::ranges::mismatch(x, y);
    if (at == x.end() || other == y.end() || !out_.different.empty()) return;
    out_.different = fmt::format("output {} at element {}: {} against {} ({} inputs)", output, at - x.begin(),
                                 *at, *other, way.name());
  }

  void compare(const std::vector<double>& x, const std::vector<double>& y, size_t output, const Way& way,
               const RoundedRun& a, const RoundedRun& b) {
    usual_.resize(std::max(usual_.size(), output + 1));
    double largest = 0;
    for (double v : x)
      if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
    if (way.ordinary()) usual_[output] = std::max(usual_[output], largest);
    // Beyond ordinary inputs what is off may have cancelled; it tells only where one side alone overflows.
    const bool one_alone = a.overflows != b.overflows && !b.undefined;
    const double usual = way.ordinary() ? usual_[output] : largest;
    for (size_t i = 0; i < x.size(); ++i) {
      const bool fx = std::isfinite(x[i]), fy = std::isfinite(y[i]);
      const double gap = fx && fy ? std::abs(x[i] - y[i]) : 0;
      const bool off = (way.ordinary() || one_alone) &&
                       gap > kOfItself * std::max(std::abs(x[i]), std::abs(y[i])) && gap > kOfUsual * usual;
      const bool made = (!fx && fy) || (off && !way.ordinary() && a.overflows);
      if (made && way.floats == Floats::kSpecials) continue;  // of infinities, not of rounding
      if (!made && !off && !(fx && !fy)) continue;
      // Where nothing but casts rounds, what is not finite is no accident of an order of operations.
      const bool undecided = made && !exact_;
      std::string& said = undecided ? out_.first_overflows : out_.different;
      if (said.empty())
        said = fmt::format("output {} at element {}: {} against {} ({} inputs)", output, i, x[i], y[i],
                           way.name());
      if (!undecided) return;
    }
  }

  const ir::Graph &a_, &b_;
  const EquivalenceOptions& options_;
  std::vector<double> thresholds_;
  std::vector<LeafRange> ranges_;
  std::vector<InputRange> known_;
  bool exact_;                 // only_casts_round
  std::vector<double> usual_;  // of each output, on ordinary inputs
  Rounding out_;
};

}  // namespace

bool computes_in_16_bits(const ir::Graph& graph) {
  for (size_t i = 0; i < graph.size(); ++i) {
    const ir::Type& type = graph.type(ir::ValueId(i));
    if (type.is_tensor() && ir::is_half(type.dtype)) return true;
  }
  return false;
}

Rounding when_rounded(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options) {
  if (!computes_in_16_bits(a) && !computes_in_16_bits(b)) return {};
  return eval::outcome_of([&] { return Rounded(a, b, options).run(); }).value.value_or(Rounding());
}

}  // namespace isomer::verify
