#include "verify/lost_digits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/float_domain.h"
#include "eval/outcome.h"
#include "verify/rounded_run.h"

namespace isomer::verify {

template <class D>
std::vector<double> LostDigits::numbers_of(D domain, const ir::Graph& side, const Draw& draw,
                                           size_t output) const {
  TestLeaves<double> leaves;
  auto out = eval::outcome_of<eval::Ended::kOutOfBounds, eval::Ended::kBudget, eval::Ended::kNoMeaning>(
      [&] { return std::move(program_outputs(domain, side, draw, leaves, request_)[output].numbers); });
  return out ? *std::move(out.value) : std::vector<double>();
}

double LostDigits::single_gap(const Draw& draw, size_t output) {
  const auto [known, fresh] = single_gap_.try_emplace({draw.seed, output}, 0.0);
  if (!fresh) return known->second;
  const std::vector<double> a = numbers_of(eval::Float32(), a_, draw, output);
  const std::vector<double> b = numbers_of(eval::Float32(), b_, draw, output);  // NaN is no difference
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    known->second = std::max(known->second, std::abs(a[i] - b[i]));
  return known->second;
}

double LostDigits::own_gap(const Draw& draw, size_t output, size_t element) {
  constexpr uint64_t kNudges = 16;
  const auto [known, fresh] = own_gaps_.try_emplace({draw.seed, output});
  std::vector<double>& gaps = known->second;
  if (!fresh) return element < gaps.size() ? gaps[element] : 0;
  const std::vector<double> plain = numbers_of(eval::Float64(), a_, draw, output);
  gaps.resize(plain.size());
  for (uint64_t n = 1; n <= kNudges; ++n) {
    Draw aside = draw;
    aside.nudged = n;
    eval::Float64 domain;
    domain.nudged = n;
    const std::vector<double> moved = numbers_of(domain, a_, aside, output);
    for (size_t i = 0; i < std::min(plain.size(), moved.size()); ++i)
      if (const double gap = std::abs(plain[i] - moved[i]); !std::isnan(plain[i]) && plain[i] != moved[i])
        gaps[i] = std::isnan(gap) ? std::numeric_limits<double>::infinity() : std::max(gaps[i], gap);
  }
  return element < gaps.size() ? gaps[element] : 0;
}

/// Each element moves by what is exceeded in three runs of four: where rounding breaks a tie on the way, or
/// two values meet at a threshold, it jumps in half of them.
const std::vector<std::vector<double>>& LostDigits::rounding(const Draw& draw) {
  constexpr uint64_t kRuns = 16;
  constexpr size_t kQuarter = 3;
  const auto [known, fresh] = roundings_.try_emplace(draw.seed);
  std::vector<std::vector<double>>& out = known->second;
  if (!fresh || !request_.whole) return out;
  eval::outcome_of<eval::Ended::kOutOfBounds, eval::Ended::kNoMeaning>([&] {
    std::vector<eval::Value<double>> inputs;
    for (eval::Tensor<double>& input : drawn_inputs(a_, draw))
      inputs.push_back(eval::make_value(std::move(input)));
    if (inputs.size() != a_.inputs().size()) return;
    const auto values = [&](uint64_t seed) {
      return run_off_by_chance(a_, inputs, seed, request_.nests, request_.until);
    };
    const std::vector<eval::Value<double>> exact = values(0);
    std::vector<std::vector<std::vector<double>>> gaps(exact.size());
    for (uint64_t run = 1; run <= kRuns; ++run) {
      const std::vector<eval::Value<double>> moved = values(run);
      for (size_t o = 0; o < exact.size(); ++o) {
        if (!exact[o].tensor) continue;
        const std::vector<double>&of = exact[o].tensor->numbers, &to = moved[o].tensor->numbers;
        gaps[o].resize(of.size());
        for (size_t i = 0; i < of.size(); ++i) {
          const double gap = std::abs(to[i] - of[i]);
          gaps[o][i].push_back(std::isnan(gap) ? std::numeric_limits<double>::infinity() : gap);
        }
      }
    }
    out.resize(exact.size());
    for (size_t o = 0; o < exact.size(); ++o)
      for (std::vector<double>& of : gaps[o]) {
        std::ranges::sort(of);
        out[o].push_back(of[kQuarter]);
      }
  });
  return out;
}

bool LostDigits::rounds(const Draw& draw, size_t output, size_t element, double x, double y) {
  constexpr double kTimes = 32;
  if (!std::isfinite(x) || !std::isfinite(y)) return false;
  const std::vector<std::vector<double>>& moves = rounding(draw);
  if (output >= moves.size() || element >= moves[output].size()) return false;
  const double most = kTimes * moves[output][element];
  return std::isfinite(most) && std::abs(x - y) <= most;
}

bool LostDigits::explain(const Draw& draw, size_t output, size_t element, double x, double y, bool jumps) {
  constexpr double kLarger = 0x1p9, kShare = 0.125, kPart = 0x1p-7, kDigitOfLarge = 1e6 * 0x1p-50;
  if (!std::isfinite(x) || !std::isfinite(y)) {
    const double moved = jumps ? 0 : own_gap(draw, output, element);  // 0: a sum of nothing, say
    return moved > 0 && moved >= 0.5 * std::abs(x);
  }
  const double difference = std::abs(x - y), all = std::max(std::abs(x), std::abs(y));
  if (draw.floats == Floats::kLarge && difference <= kDigitOfLarge) return true;
  const double in_single = single_gap(draw, output);
  return in_single >= kLarger * difference || (in_single >= 0.5 * all && difference <= kPart * all) ||
         (!jumps && own_gap(draw, output, element) >= kShare * difference);
}

}  // namespace isomer::verify
