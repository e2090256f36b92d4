#include "codegen/tile_plan.h"

#include <algorithm>
#include <utility>

namespace isomer::codegen {
namespace {

/// Cycles of a tile for each step of the reduction.
double tile_cycles(int64_t vectors, int64_t rows) {
  constexpr double kEach = 0.15,
                   kFromAfar =
                       0.05;  // of what the lanes' operand has in the nearest cache for the first time
  const auto sums = static_cast<double>(vectors * rows), loads = static_cast<double>(vectors + rows);
  return std::max({sums / kSumsAtOnce, loads / kLoadsAtOnce, kSumLatency, (sums + loads) / kIssuedAtOnce}) +
         kEach + kFromAfar * static_cast<double>(vectors);
}

}  // namespace

int64_t shortest_vector(int64_t count) {
  int64_t out = kShortestOverlap;
  while (out < count) out *= 2;
  return out;
}

std::vector<TilePlan::Run> runs_of(int64_t rows, int64_t groups) {
  const int64_t most = (rows + groups - 1) / groups, fewer = most * groups - rows;
  std::vector<TilePlan::Run> out = {{most, groups - fewer}};
  if (fewer > 0) out.push_back({most - 1, fewer});
  return out;
}

TilePlan plan_tiles(int64_t columns, int64_t rows, int64_t registers, const ScheduleOptions& options) {
  TilePlan best;
  const int64_t sums = 2 * options.rows;
  for (int64_t c = 1; c <= columns && c * registers <= sums; ++c) {
    const int64_t vectors = c * registers;
    const int64_t most = std::min(sums / vectors, (options.registers - vectors - 1) / vectors);
    if (most < 1) break;
    const int64_t fewest = (rows + most - 1) / most;
    for (int64_t groups = fewest; groups <= std::min(fewest + 2, rows); ++groups) {
      TilePlan plan{c, runs_of(rows, groups), 0};
      for (const int64_t at_once : {c, columns % c})
        for (const TilePlan::Run& run : plan.runs)
          plan.cycles += at_once == 0 ? 0
                                      : static_cast<double>((at_once == c ? columns / c : 1) * run.groups) *
                                            tile_cycles(at_once * registers, run.rows);
      if (best.runs.empty() || plan.cycles < best.cycles) best = std::move(plan);
    }
  }
  if (best.runs.empty()) best.runs = {{1, rows}};
  return best;
}

double vectors_for(int64_t count, const ScheduleOptions& options) {
  constexpr double kShort = 0.5;  // one register is as long under way as half of two
  constexpr double kSingle = 2;   // an element alone, for which the other operand is gathered
  double out = 0;
  int64_t left = count;
  for (int64_t lanes = options.lanes; lanes > 0; lanes /= 2) {
    const int64_t whole = left / lanes;
    out += static_cast<double>(whole) * (lanes == options.lanes ? 1 : lanes == 1 ? kSingle : kShort);
    left %= lanes;
    if (lanes == options.lanes || lanes < kShortestOverlap || whole == 0 || left == 0) continue;
    out += kShort;  // one that begins within the last (product_tiles.cpp)
    break;
  }
  return out * static_cast<double>(options.lanes) / static_cast<double>(count);
}

}  // namespace isomer::codegen
