#include "verify/digits_lost.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

#include "eval/float_domain.h"
#include "eval/interpreter.h"
#include "eval/outcome.h"
#include "ir/constant_data.h"
#include "meaning/nest.h"
#include "verify/degree.h"
#include "verify/random_leaves.h"

namespace isomer::verify {
namespace {

using Values = std::vector<eval::Value<double>>;

struct Magnitude {
  double base, spread;
};
constexpr std::array kMagnitudes = {Magnitude{1, 1e-2}, Magnitude{100, 1e-3}, Magnitude{1e4, 1e-4},
                                    Magnitude{1, 1e-4}};
constexpr int kDraws = 3;  // of each way: an unlucky sum says nothing of a program, one of all of them does

double share(uint64_t hash) { return static_cast<double>(mix64(hash) >> 11) * 0x1p-53; }

/// Largest errors of an output, relative to its largest element.
struct Errors {
  double first = 0, second = 0;
};

class Measured {
 public:
  Measured(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options)
      : a_(a), b_(b), options_(options), ranges_(index_ranges(a)) {}

  DigitsLost run() {
    const double work = larger_float_work(a_, b_);
    const double runs = static_cast<double>(kMagnitudes.size()) * kDraws * 4;
    if (work * runs > options_.full_float_work) return {};
    for (const Magnitude& way : kMagnitudes)
      if (const auto seen = eval::outcome_of([&] { measure(way); });
          !seen && seen.ended != eval::Ended::kOutOfBounds)  // then integers are no indices
        break;
    return std::move(out_);
  }

 private:
  /// What is lost in each of the draws is.
  void measure(const Magnitude& way) {
    std::vector<Errors> least;
    for (int d = 0; d < kDraws; ++d) {
      const std::vector<Errors> seen = errors(drawn(way, d));
      if (d == 0) least = seen;
      for (size_t o = 0; o < least.size(); ++o) {
        if (gains(least[o]) != gains(seen[o])) least[o] = {};
        least[o].first = std::min(least[o].first, seen[o].first);
        least[o].second = std::min(least[o].second, seen[o].second);
      }
      if (std::ranges::none_of(least, [&](const Errors& e) { return gains(e) != 0; })) return;
    }
    for (size_t o = 0; o < least.size(); ++o) {
      const int which = gains(least[o]);
      std::string& said = which == 1 ? out_.by_first : out_.by_second;
      if (which == 0 || !said.empty()) continue;
      if (which == 1 && options_.keep_inputs) out_.inputs = tensors_of(drawn(way, 0));
      const auto [lost, kept] = std::minmax(least[o].first, least[o].second, std::greater<>());
      said = fmt::format(
          "output {} is off by {:.2g} of its largest element, against {:.2g}, at numbers around {:g} "
          "that differ by {:g} %",
          o, lost, kept, way.base, 100 * way.spread);
    }
  }

  /// 1: the first program loses digits that the second keeps; 2: the other way round.
  int gains(const Errors& e) const {
    constexpr double kMany = 64;
    if (e.first > options_.tolerance && e.first > kMany * e.second) return 1;
    return e.second > options_.tolerance && e.second > kMany * e.first ? 2 : 0;
  }

  std::vector<Errors> errors(const Values& inputs) {
    const std::span<const eval::Value<double>> all(inputs);
    eval::Float64 wide;
    eval::Float32 narrow;
    eval::EvalOptions<eval::Float64> exactly;
    eval::EvalOptions<eval::Float32> stored;
    stored.round_results = true;
    exactly.until = stored.until = options_.until;
    const Values reference = eval::evaluate(wide, a_, all, exactly),
                 other = eval::evaluate(wide, b_, all, exactly);
    const Values x = eval::evaluate(narrow, a_, all, stored), y = eval::evaluate(narrow, b_, all, stored);
    std::vector<Errors> out(reference.size());
    for (size_t o = 0; o < out.size(); ++o)
      if (reference[o].tensor && other[o].tensor && x[o].tensor && y[o].tensor)
        out[o] = compared(*reference[o].tensor, *other[o].tensor, *x[o].tensor, *y[o].tensor);
    return out;
  }

  /// None where double precision does not tell what is right either.
  static Errors compared(const eval::Tensor<double>& reference, const eval::Tensor<double>& other,
                         const eval::Tensor<double>& x, const eval::Tensor<double>& y) {
    constexpr double kOfDouble = 1e-6;
    const size_t count = reference.numbers.size();
    if (other.numbers.size() != count || x.numbers.size() != count || y.numbers.size() != count) return {};
    double scale = 0, apart = 0;
    Errors out;
    for (size_t i = 0; i < count; ++i) {
      const double right = reference.numbers[i];
      if (!std::isfinite(right + other.numbers[i] + x.numbers[i] + y.numbers[i])) return {};
      scale = std::max(scale, std::abs(right));
      apart = std::max(apart, std::abs(right - other.numbers[i]));
      out.first = std::max(out.first, std::abs(right - x.numbers[i]));
      out.second = std::max(out.second, std::abs(right - y.numbers[i]));
    }
    if (scale == 0 || apart > kOfDouble * scale) return {};
    const double unit = std::max(ir::spacing_at_one(reference.dtype), 0x1p-23);
    return {std::max(out.first / scale, unit), std::max(out.second / scale, unit)};
  }

  Values drawn(const Magnitude& way, int number) const {
    const Draw draw{.seed = hash_combine(hash_combine(options_.seed, 5), static_cast<uint64_t>(number)),
                    .ranges = ranges_};
    Values out;
    for (size_t i = 0; i < a_.inputs().size(); ++i) {
      const ir::Type& type = a_.type(a_.inputs()[i]);
      const bool integers = meaning::sort_of(type.dtype) == meaning::Sort::kInteger;
      if (!type.is_static_tensor() || (!integers && !ir::is_float(type.dtype)))
        throw InputError("not static, or no numbers");
      eval::Tensor<double> tensor{type.dtype, ir::sizes(type.shape), {}, {}};
      // Tensors that cancel each other cost any distributive law its digits (rewrite/rule_stability.cpp).
      const double own = share(draw.hash(input_leaf(i), 1, 0));
      const double base = way.base * (1 + 2 * own) * (number % 2 == 1 && own < 0.5 ? -1 : 1);
      for (int64_t e = 0, count = tensor.count(); e < count; ++e) {
        if (integers) {
          tensor.integers.push_back(draw.integer(type.dtype, input_leaf(i), 0, e));
          continue;
        }
        const double x = base * (1 + way.spread * (2 * share(draw.hash(input_leaf(i), 0, e)) - 1));
        tensor.numbers.push_back(ir::round_to(type.dtype, ir::round_to(ir::DType::kF32, x)));
      }
      out.push_back(eval::make_value(std::move(tensor)));
    }
    return out;
  }

  const ir::Graph &a_, &b_;
  const EquivalenceOptions& options_;
  std::vector<LeafRange> ranges_;
  DigitsLost out_;
};

}  // namespace

DigitsLost digits_lost(const ir::Graph& a, const ir::Graph& b, const EquivalenceOptions& options) {
  return eval::outcome_of([&] { return Measured(a, b, options).run(); }).value.value_or(DigitsLost());
}

}  // namespace isomer::verify
