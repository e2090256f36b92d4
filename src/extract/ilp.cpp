#include "extract/ilp.h"

#include <algorithm>
#include <cmath>

#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/separation.h"

namespace isomer::extract {

IlpOutcome solve_ilp(const Problem& problem, const Selection& start, const Deadline& deadline,
                     const Formulation& formulation) {
  const CoverModel model(problem, formulation);
  ilp::Solver solver(model.model());
  IlpOutcome outcome;
  outcome.selection = start;
  outcome.cost = check(problem, start).dag_cost;
  outcome.columns = model.model().columns();
  outcome.rows = model.model().rows();

  const auto offer = [&](const Selection& candidate) {
    const Verdict verdict = check(problem, candidate);
    if (!verdict.valid || verdict.dag_cost >= outcome.cost) return;
    outcome.cost = verdict.dag_cost;
    outcome.selection = candidate;
  };
  while (true) {
    ++outcome.rounds;
    const ilp::Result result =
        solver.solve(deadline.options(), deadline.stop(), model.values(outcome.selection));
    outcome.stop_reason = result.stop_reason;
    // Fewer rows allow more, so every solve's bound is one for the whole problem.
    outcome.bound = std::max(outcome.bound, result.bound);
    if (result.infeasible || !result.feasible) break;
    const Selection picks = model.picks(result.values);
    const std::vector<std::vector<ClassId>> loops = cycles(problem, picks);
    if (loops.empty()) {
      offer(picks);
      outcome.optimal = result.optimal;
      break;
    }
    std::vector<double> cheap(problem.nodes());
    for (uint32_t n = 0; n < problem.nodes(); ++n) {
      const bool picked = picks[problem.class_of(NodeId(n))] == NodeId(n);
      cheap[n] = picked ? 1e-3 * problem.cost(NodeId(n)) : problem.cost(NodeId(n));
    }
    offer(dag_greedy(problem, cheap));
    for (const std::vector<ClassId>& loop : loops) {
      const Cut cut = model.cycle_cut(loop);
      solver.add_row(-ilp::kInfinity, cut.at_most, cut.entries);
    }
    outcome.cycle_cuts += static_cast<int>(loops.size());
    outcome.rows += static_cast<int>(loops.size());
    if (!result.optimal) break;
  }
  outcome.conclude();
  return outcome;
}

}  // namespace isomer::extract
