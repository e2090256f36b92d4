#include "support/ilp.h"

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
  int columns = 0;
  StopToken stop;
  bool interrupted = false;
  double cpu_end = kInfinity;
  bool out_of_time = false;

  void begin(const Options& options, const StopToken& token) {
    stop = token;
    interrupted = out_of_time = false;
    cpu_end = options.cpu_clock ? thread_cpu_seconds() + options.seconds : kInfinity;
  }

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

Solver::Solver(const Model& model) : state_(std::make_unique<State>()) {
  void* h = state_->highs;
  state_->columns = model.columns();
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
  std::vector<HighsInt> columns;
  std::vector<double> values;
  for (const Entry& e : entries) {
    columns.push_back(e.column);
    values.push_back(e.coefficient);
  }
  expect_ok(Highs_addRow(state_->highs, at_least, at_most, static_cast<HighsInt>(columns.size()),
                         columns.data(), values.data()),
            "a row");
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
  if (options.branch_nodes >= 0) {
    expect_ok(Highs_setIntOptionValue(h, "mip_max_nodes", static_cast<HighsInt>(options.branch_nodes)),
              "mip_max_nodes");
  }
  if (!start.empty()) {
    REQUIRE(start.size() == static_cast<size_t>(state_->columns), "a start has one value a column");
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
    result.values.resize(static_cast<size_t>(state_->columns));
    Highs_getSolution(h, result.values.data(), nullptr, nullptr, nullptr);
  }
  const HighsInt status = Highs_getModelStatus(h);
  if (status == kHighsModelStatusOptimal) {
    result.optimal = true;
  } else if (status == kHighsModelStatusModelEmpty) {
    result.optimal = result.feasible = true;
    result.objective = result.bound = 0;
    result.values.assign(static_cast<size_t>(state_->columns), 0);
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
  expect_ok(Highs_setBoolOptionValue(h, "solve_relaxation", 1), "solve_relaxation");
  expect_ok(Highs_run(h), "to run");
  const HighsInt status = Highs_getModelStatus(h);
  result.infeasible = status == kHighsModelStatusInfeasible;
  result.solved = status == kHighsModelStatusOptimal;
  if (!result.solved) return result;
  Highs_getDoubleInfoValue(h, "objective_function_value", &result.objective);
  result.values.resize(static_cast<size_t>(state_->columns));
  result.reduced_costs.resize(static_cast<size_t>(state_->columns));
  Highs_getSolution(h, result.values.data(), result.reduced_costs.data(), nullptr, nullptr);
  return result;
}

}  // namespace isomer::ilp
