// Mixed integer linear programs behind one header; the solver is HiGHS. A solve that is stopped returns its
// incumbent and its bound: limits are results.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "support/limits.h"

namespace isomer::ilp {

struct Entry {
  int32_t column;
  double coefficient;
};

/// minimise cost . x, with row_lower <= A x <= row_upper and lower <= x <= upper.
struct Model {
  std::vector<double> cost, lower, upper;
  std::vector<int32_t> integer;  ///< 1 where the column must be an integer
  std::vector<double> row_lower, row_upper;
  std::vector<int32_t> row_first{0};
  std::vector<int32_t> entry_column;
  std::vector<double> entry_value;

  int32_t columns() const { return static_cast<int32_t>(cost.size()); }
  int32_t rows() const { return static_cast<int32_t>(row_lower.size()); }
  int32_t add_column(double column_cost, double column_lower, double column_upper, bool is_integer);
  int32_t add_binary(double column_cost) { return add_column(column_cost, 0, 1, true); }
  /// No column may occur twice in a row.
  void add_row(double at_least, double at_most, std::span<const Entry> entries);
};

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Options {
  double seconds = kInfinity;  ///< wall time
  bool cpu_clock = false;      ///< `seconds` are CPU time of the calling thread
  int64_t branch_nodes = -1;   ///< at most so many, for runs that must not depend on the clock; -1: no limit
  double relative_gap = 1e-9;  ///< proved optimal within this
  double absolute_gap = 1e-9;  ///< or within this
  bool heuristics = true;      ///< false: leave finding solutions to the start that is given
  int threads = 1;             ///< the first solve on a thread fixes it for the later ones
  uint32_t seed = 0;
};

struct Result {
  bool feasible = false;    ///< `values` holds an incumbent
  bool infeasible = false;  ///< proved: there is none
  bool optimal = false;     ///< proved within the gap
  StopReason stop_reason = StopReason::kSaturated;
  double objective = kInfinity;  ///< of the incumbent
  double bound = -kInfinity;     ///< no solution is below this
  int64_t branch_nodes = 0;
  std::vector<double> values;
};

/// The linear relaxation: the same with integrality forgotten.
struct Relaxation {
  bool solved = false;      ///< to optimality; else nothing below means anything
  bool infeasible = false;  ///< proved
  double objective = 0;     ///< within the solver's tolerances
  std::vector<double> values;
  /// No feasible point costs less. Computed from the duals, whatever they are, rounding allowed for (Neumaier
  /// and Shcherbina, Safe bounds in linear and mixed-integer linear programming, 2004); -infinity where an
  /// unbounded column is in the way.
  double bound = -kInfinity;
  /// Of the columns, as that bound has them: feasible points with a column one above its lower bound cost at
  /// least bound + d if d > 0, one below its upper bound at least bound - d if d < 0.
  std::vector<double> reduced_costs;
};

/// A model in the solver, which can be solved, given more rows, and solved again.
class Solver {
 public:
  explicit Solver(const Model& model);
  Solver(Solver&&) noexcept;
  Solver& operator=(Solver&&) noexcept;
  ~Solver();

  void add_row(double at_least, double at_most, std::span<const Entry> entries);
  /// `start`: a feasible point to begin from (one value a column), or empty.
  Result solve(const Options& options, const StopToken& stop, std::span<const double> start = {});
  /// Begins from where the last relaxation ended.
  Relaxation relax(const Options& options, const StopToken& stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isomer::ilp
