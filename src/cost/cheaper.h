// When one program counts as cheaper than another.
#pragma once

namespace isomer::cost {

/// Smaller relative gains are rounding: costs are sums, and equal programs are summed in different orders.
inline constexpr double kLeastGain = 1e-9;

/// What is cheaper than `cost` costs less than this.
constexpr double surely_below(double cost) { return cost * (1 - kLeastGain); }
constexpr bool is_cheaper(double cost, double than) { return cost < surely_below(than); }

}  // namespace isomer::cost
