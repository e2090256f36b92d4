#include "support/ilp.h"

#include <gtest/gtest.h>

#include "support/rng.h"

namespace isomer::ilp {
namespace {

// max 5a + 4b + 3c, 2a + 3b + c <= 5, 4a + b + 2c <= 11, 3a + 4b + 2c <= 8 over non-negative integers.
Model small_model() {
  Model m;
  for (double gain : {5.0, 4.0, 3.0}) m.add_column(-gain, 0, kInfinity, true);
  m.add_row(-kInfinity, 5, std::vector<Entry>{{0, 2}, {1, 3}, {2, 1}});
  m.add_row(-kInfinity, 11, std::vector<Entry>{{0, 4}, {1, 1}, {2, 2}});
  m.add_row(-kInfinity, 8, std::vector<Entry>{{0, 3}, {1, 4}, {2, 2}});
  return m;
}

TEST(Ilp, SolvesAndTakesMoreRows) {
  Solver solver(small_model());
  Result result = solver.solve({}, {});
  EXPECT_TRUE(result.optimal);
  EXPECT_NEAR(result.objective, -13, 1e-6);
  EXPECT_NEAR(result.bound, -13, 1e-6);
  solver.add_row(-kInfinity, 1, std::vector<Entry>{{0, 1}});
  result = solver.solve({}, {});
  EXPECT_TRUE(result.optimal);
  EXPECT_NEAR(result.objective, -12, 1e-6);  // c = 4
  solver.add_row(4, kInfinity, std::vector<Entry>{{0, 1}});
  EXPECT_TRUE(solver.solve({}, {}).infeasible);
}

// Every feasible point keeps what the relaxation says of its cost, to the last digits; and the bound is as
// good as the solver's.
TEST(Ilp, ARelaxationBoundsEveryPoint) {
  Rng rng(11);
  int points = 0, cut = 0;
  for (int round = 0; round < 40; ++round) {
    constexpr size_t kColumns = 8;
    Model m;
    for (size_t c = 0; c < kColumns; ++c) m.add_binary(rng.uniform() - 0.2);
    const auto random_row = [&] {
      std::vector<Entry> row;
      for (int32_t c = 0; c < static_cast<int32_t>(kColumns); ++c)
        if (rng.chance(0.5)) row.push_back({c, rng.chance(0.7) ? 1.0 : -rng.uniform()});
      return row;
    };
    struct Row {
      double least, most;
      std::vector<Entry> entries;
    };
    std::vector<Row> rows;
    for (int r = 0; r < 6; ++r)
      rows.push_back(rng.chance(0.5) ? Row{0.7, kInfinity, random_row()}
                                     : Row{-kInfinity, 1.4, random_row()});
    for (size_t r = 0; r < 3; ++r) m.add_row(rows[r].least, rows[r].most, rows[r].entries);
    Solver solver(m);
    Relaxation relaxation = solver.relax({}, {});
    for (size_t r = 3; r < rows.size(); ++r) {
      const double before = relaxation.bound;
      solver.add_row(rows[r].least, rows[r].most, rows[r].entries);
      relaxation = solver.relax({}, {});
      if (!relaxation.solved) break;
      EXPECT_GE(relaxation.bound, before - 1e-9);
      cut += relaxation.bound > before + 1e-6;
    }
    if (!relaxation.solved) continue;
    EXPECT_NEAR(relaxation.bound, relaxation.objective, 1e-6);
    for (uint32_t bits = 0; bits < (1u << kColumns); ++bits) {
      const auto x = [&](size_t c) { return static_cast<double>(bits >> c & 1); };
      bool feasible = true;
      for (const Row& row : rows) {
        double sum = 0;
        for (const Entry& e : row.entries) sum += e.coefficient * x(static_cast<size_t>(e.column));
        feasible = feasible && sum >= row.least && sum <= row.most;
      }
      if (!feasible) continue;
      ++points;
      double cost = 0, told = relaxation.bound;
      for (size_t c = 0; c < kColumns; ++c) {
        const double d = relaxation.reduced_costs[c];
        cost += m.cost[c] * x(c);
        told += d > 0 ? d * x(c) : -d * (1 - x(c));
      }
      EXPECT_GE(cost, told - 1e-14);
    }
  }
  EXPECT_GT(points, 200);
  EXPECT_GT(cut, 20);
}

// Knapsacks with equality and equal weights are slow by branching; the start must survive the stop.
TEST(Ilp, AStopKeepsTheStart) {
  Rng rng(3);
  Model m;
  std::vector<std::vector<Entry>> rows(6);
  std::vector<double> start;
  std::vector<double> sums(6, 0);
  for (int32_t j = 0; j < 50; ++j) {
    m.add_binary(-1.0 - static_cast<double>(rng.below(3)));
    start.push_back(static_cast<double>(rng.below(2)));
    for (size_t i = 0; i < rows.size(); ++i) {
      const double weight = static_cast<double>(1 + rng.below(100));
      rows[i].push_back({j, weight});
      sums[i] += weight * start.back();
    }
  }
  for (size_t i = 0; i < rows.size(); ++i) m.add_row(sums[i], sums[i], rows[i]);
  Solver solver(m);
  Options options;
  options.branch_nodes = 0;
  const Result result = solver.solve(options, {}, start);
  ASSERT_TRUE(result.feasible);
  for (size_t i = 0; i < rows.size(); ++i) {
    double sum = 0;
    for (const Entry& e : rows[i]) sum += e.coefficient * result.values[static_cast<size_t>(e.column)];
    EXPECT_NEAR(sum, sums[i], 1e-5);
  }
  EXPECT_LE(result.bound, result.objective + 1e-9);
  StopToken stop;
  stop.request();
  EXPECT_EQ(solver.solve({}, stop, start).stop_reason, StopReason::kInterrupted);
}

}  // namespace
}  // namespace isomer::ilp
