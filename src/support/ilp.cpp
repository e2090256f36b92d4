#include "support/ilp.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <interfaces/highs_c_api.h>

#include "support/errors.h"

namespace isomer::ilp {

int32_t Model::add_column(double column_cost, double column_lower, double column_upper, bool is_integer) {
  cost.push_back(column_cost);
  lower.push_back(column_lower);
  upper.push_back(column_upper);
  integer.push_back(is_integer ? 1 : 0);
  return columns() - 1;
}

void Model::add_row(double at_least, double at_most, std::span<const Entry> entries) {
  row_lower.push_back(at_least);
  row_upper.push_back(at_most);
  for (const Entry& e : entries) {
    REQUIRE(e.column >= 0 && e.column < columns(), "a row may only use columns of its model");
    entry_column.push_back(e.column);
    entry_value.push_back(e.coefficient);
  }
  row_first.push_back(static_cast<int32_t>(entry_column.size()));
}

struct Solver::State {
  void* highs = Highs_create();
  Model model;           // with all rows so far
  size_t rows_sent = 0;  // of these, those that the solver has
  StopToken stop;
  bool interrupted = false;
  double cpu_end = kInfinity;
  bool out_of_time = false;

  void begin(const Options& options, const StopToken& token) {
    stop = token;
    interrupted = out_of_time = false;
    cpu_end = options.cpu_clock ? thread_cpu_seconds() + options.seconds : kInfinity;
  }

  void send_rows();
  void bound(Relaxation& result, std::span<const double> row_duals) const;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { Highs_destroy(highs); }

  // Asked by the solver now and then, on its own threads.
  static void on_interrupt(int, const char*, const HighsCallbackDataOut*, HighsCallbackDataIn* in,
                           void* self) {
    State& state = *static_cast<State*>(self);
    if (in == nullptr) return;
    if (state.stop.requested()) {
      in->user_interrupt = 1;
      state.interrupted = true;
    } else if (thread_cpu_seconds() > state.cpu_end) {
      in->user_interrupt = 1;
      state.out_of_time = true;
    }
  }
};

namespace {

void expect_ok(HighsInt status, const char* what) {
  // 1 is a warning (a limit was reached, small coefficients were dropped).
  if (status == kHighsStatusError) throw std::logic_error(std::string("the ILP solver refused: ") + what);
}

void set_options(void* h, const Options& options) {
  expect_ok(Highs_setIntOptionValue(h, "threads", options.threads), "threads");
  // time_limit counts from the creation of the instance.
  const double limit =
      options.cpu_clock || std::isinf(options.seconds) ? kInfinity : Highs_getRunTime(h) + options.seconds;
  expect_ok(Highs_setDoubleOptionValue(h, "time_limit", limit), "time_limit");
  expect_ok(Highs_setDoubleOptionValue(h, "mip_rel_gap", options.relative_gap), "mip_rel_gap");
  expect_ok(Highs_setDoubleOptionValue(h, "mip_abs_gap", options.absolute_gap), "mip_abs_gap");
  expect_ok(Highs_setDoubleOptionValue(h, "mip_heuristic_effort", options.heuristics ? 0.05 : 0.0),
            "mip_heuristic_effort");
  expect_ok(Highs_setBoolOptionValue(h, "mip_heuristic_run_feasibility_jump", options.heuristics ? 1 : 0),
            "mip_heuristic_run_feasibility_jump");
  expect_ok(Highs_setIntOptionValue(h, "random_seed", static_cast<HighsInt>(options.seed & 0x7FFFFFFF)),
            "seed");
}

}  // namespace

void Solver::State::send_rows() {
  const auto rows = static_cast<size_t>(model.rows());
  if (rows_sent == rows) return;
  const int32_t first = model.row_first[rows_sent];
  std::vector<HighsInt> starts;
  for (size_t r = rows_sent; r < rows; ++r) starts.push_back(model.row_first[r] - first);
  expect_ok(Highs_addRows(highs, static_cast<HighsInt>(starts.size()), model.row_lower.data() + rows_sent,
                          model.row_upper.data() + rows_sent, model.row_first[rows] - first, starts.data(),
                          model.entry_column.data() + first, model.entry_value.data() + first),
            "more rows");
  rows_sent = rows;
}

// cost . x = y . A x + d . x with d = cost - y A, for any y; then each row and each column at its worst. A
// sum of n terms is wrong by at most n times 2^-53 of their sizes; the sum of all, d times columns, by that
// as well.
void Solver::State::bound(Relaxation& result, std::span<const double> row_duals) const {
  constexpr double kRounding = 1.2e-16;
  const auto columns = static_cast<size_t>(model.columns());
  std::vector<double>& d = result.reduced_costs;
  d = model.cost;
  std::vector<double> size(columns), terms(columns, 2);
  for (size_t c = 0; c < columns; ++c) size[c] = std::abs(model.cost[c]);
  double sum = 0, sum_of_sizes = 0, error = 0;
  size_t summands = 0;
  const auto add = [&](double term) {
    sum += term;
    sum_of_sizes += std::abs(term);
    ++summands;
  };
  for (size_t r = 0; r < row_duals.size(); ++r) {
    const double y = row_duals[r];
    const double side = y > 0 ? model.row_lower[r] : model.row_upper[r];
    if (y == 0 || std::isinf(side)) continue;
    if (side != 0) add(y * side);
    for (auto e = static_cast<size_t>(model.row_first[r]); e < static_cast<size_t>(model.row_first[r + 1]);
         ++e) {
      const auto c = static_cast<size_t>(model.entry_column[e]);
      const double term = y * model.entry_value[e];
      d[c] -= term;
      size[c] += std::abs(term);
      ++terms[c];
    }
  }
  for (size_t c = 0; c < columns; ++c) {
    const double at = d[c] > 0 ? model.lower[c] : model.upper[c];
    if (d[c] != 0 && at != 0) add(d[c] * at);
    if (size[c] > 0)
      error += kRounding * terms[c] * size[c] * std::max(std::abs(model.lower[c]), std::abs(model.upper[c]));
  }
  error += kRounding * static_cast<double>(summands + 2) * sum_of_sizes;
  result.bound = std::isfinite(sum) && std::isfinite(error) ? sum - 1.001 * error : -kInfinity;
}

Solver::Solver(const Model& model) : state_(std::make_unique<State>()) {
  void* h = state_->highs;
  state_->model = model;
  state_->rows_sent = static_cast<size_t>(model.rows());
  expect_ok(Highs_setBoolOptionValue(h, "output_flag", 0), "output_flag");
  expect_ok(Highs_passMip(h, model.columns(), model.rows(), static_cast<HighsInt>(model.entry_column.size()),
                          kHighsMatrixFormatRowwise, kHighsObjSenseMinimize, 0.0, model.cost.data(),
                          model.lower.data(), model.upper.data(), model.row_lower.data(),
                          model.row_upper.data(), model.row_first.data(), model.entry_column.data(),
                          model.entry_value.data(), model.integer.data()),
            "the model");
  expect_ok(Highs_setCallback(h, &State::on_interrupt, state_.get()), "the callback");
  for (HighsInt kind :
       {kHighsCallbackSimplexInterrupt, kHighsCallbackIpmInterrupt, kHighsCallbackMipInterrupt}) {
    expect_ok(Highs_startCallback(h, kind), "the callback");
  }
}

Solver::Solver(Solver&&) noexcept = default;
Solver& Solver::operator=(Solver&&) noexcept = default;
Solver::~Solver() = default;

void Solver::add_row(double at_least, double at_most, std::span<const Entry> entries) {
  state_->model.add_row(at_least, at_most, entries);
}

Result Solver::solve(const Options& options, const StopToken& stop, std::span<const double> start) {
  void* h = state_->highs;
  state_->begin(options, stop);
  Result result;
  if (stop.requested() || options.seconds <= 0) {
    result.stop_reason = stop.requested() ? StopReason::kInterrupted : StopReason::kTimeLimit;
    return result;
  }
  set_options(h, options);
  state_->send_rows();
  if (options.branch_nodes >= 0) {
    expect_ok(Highs_setIntOptionValue(h, "mip_max_nodes", static_cast<HighsInt>(options.branch_nodes)),
              "mip_max_nodes");
  }
  if (!start.empty()) {
    REQUIRE(start.size() == state_->model.cost.size(), "a start has one value a column");
    expect_ok(Highs_setSolution(h, start.data(), nullptr, nullptr, nullptr), "the start");
  }
  expect_ok(Highs_setBoolOptionValue(h, "solve_relaxation", 0), "solve_relaxation");
  expect_ok(Highs_run(h), "to run");

  HighsInt solution_status = 0;
  Highs_getIntInfoValue(h, "primal_solution_status", &solution_status);
  Highs_getDoubleInfoValue(h, "mip_dual_bound", &result.bound);
  Highs_getInt64InfoValue(h, "mip_node_count", &result.branch_nodes);
  if (solution_status == kHighsSolutionStatusFeasible) {
    result.feasible = true;
    Highs_getDoubleInfoValue(h, "objective_function_value", &result.objective);
    result.values.resize(state_->model.cost.size());
    Highs_getSolution(h, result.values.data(), nullptr, nullptr, nullptr);
  }
  const HighsInt status = Highs_getModelStatus(h);
  if (status == kHighsModelStatusOptimal) {
    result.optimal = true;
  } else if (status == kHighsModelStatusModelEmpty) {
    result.optimal = result.feasible = true;
    result.objective = result.bound = 0;
    result.values.assign(state_->model.cost.size(), 0);
  } else if (status == kHighsModelStatusInfeasible) {
    result.infeasible = true;
  } else if (state_->interrupted) {
    result.stop_reason = StopReason::kInterrupted;
  } else if (status == kHighsModelStatusTimeLimit || state_->out_of_time) {
    result.stop_reason = StopReason::kTimeLimit;
  } else if (status == kHighsModelStatusSolutionLimit || status == kHighsModelStatusIterationLimit) {
    result.stop_reason = StopReason::kNodeLimit;
  } else {
    result.stop_reason = StopReason::kInterrupted;
  }
  return result;
}

Relaxation Solver::relax(const Options& options, const StopToken& stop) {
  void* h = state_->highs;
  state_->begin(options, stop);
  Relaxation result;
  if (stop.requested() || options.seconds <= 0) return result;
  set_options(h, options);
  state_->send_rows();
  expect_ok(Highs_setBoolOptionValue(h, "solve_relaxation", 1), "solve_relaxation");
  expect_ok(Highs_run(h), "to run");
  const HighsInt status = Highs_getModelStatus(h);
  result.infeasible = status == kHighsModelStatusInfeasible;
  result.solved = status == kHighsModelStatusOptimal;
  if (!result.solved) return result;
  Highs_getDoubleInfoValue(h, "objective_function_value", &result.objective);
  result.values.resize(state_->model.cost.size());
  std::vector<double> row_duals(state_->rows_sent);
  Highs_getSolution(h, result.values.data(), nullptr, nullptr, row_duals.data());
  state_->bound(result, row_duals);
  return result;
}

}  // namespace isomer::ilp
