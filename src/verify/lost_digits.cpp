#include "verify/lost_digits.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "eval/float32.h"
#include "eval/float64.h"
#include "support/errors.h"

namespace isomer::verify {

template <class D>
std::vector<double> LostDigits::numbers_of(D domain, const ir::Graph& side, const Draw& draw,
                                           size_t output) const {
  TestLeaves<double> leaves;
  try {
    return program_outputs(domain, side, draw, leaves, request_)[output].numbers;
  } catch (const InputError&) {
    return {};
  }
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

}  // namespace isomer::verify
