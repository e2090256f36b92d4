#include "extract/bounded.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "extract/blocks.h"
#include "extract/check.h"
#include "extract/cover_model.h"
#include "extract/dag_greedy.h"
#include "extract/from_roots.h"
#include "extract/local_search.h"
#include "extract/separation.h"
#include "support/errors.h"

namespace isomer::extract {

namespace {

using Kind = Resource::Kind;

// The classes in use, children first. `first` says which child of two goes first.
std::vector<ClassId> scheduled(const Problem& problem, const Selection& selection, auto&& first) {
  struct Frame {
    std::vector<ClassId> children;
    ClassId c;
    size_t next = 0;
  };
  std::vector<ClassId> order;
  std::vector<bool> seen(problem.classes(), false);
  std::vector<Frame> path;
  const auto enter = [&](ClassId c) {
    seen[c.index()] = true;
    const auto children = problem.children(selection[c]);
    path.push_back({{children.begin(), children.end()}, c});
    std::ranges::stable_sort(path.back().children, first);
  };
  for (ClassId root : problem.roots()) {
    if (!seen[root.index()]) enter(root);
    while (!path.empty()) {
      Frame& f = path.back();
      if (f.next == f.children.size()) {
        order.push_back(f.c);
        path.pop_back();
        continue;
      }
      const ClassId child = f.children[f.next++];
      if (!seen[child.index()]) enter(child);
    }
  }
  return order;
}

double peak(const Problem& problem, const Selection& selection, const std::vector<double>& use) {
  // What each class needs while it is computed as a tree, by Sethi and Ullman (1970): the operand whose need
  // most exceeds what it leaves behind goes first.
  std::vector<double> need(problem.classes(), 0);
  const auto own = [&](ClassId c) { return use[selection[c].index()]; };
  const auto first = [&](ClassId a, ClassId b) {
    return need[a.index()] - own(a) > need[b.index()] - own(b);
  };
  for (ClassId c : scheduled(problem, selection, [](ClassId, ClassId) { return false; })) {
    const auto all = problem.children(selection[c]);
    std::vector<ClassId> children(all.begin(), all.end());
    std::ranges::stable_sort(children, first);
    double held = 0;
    double most = 0;
    for (ClassId m : children) {
      most = std::max(most, held + need[m.index()]);
      held += own(m);
    }
    need[c.index()] = std::max(most, held + own(c));
  }
  const std::vector<ClassId> order = scheduled(problem, selection, first);
  std::vector<uint32_t> users(problem.classes(), 0);
  for (ClassId root : problem.roots()) ++users[root.index()];
  for (ClassId c : order) {
    for (ClassId m : problem.children(selection[c])) ++users[m.index()];
  }
  double held = 0;
  double most = 0;
  for (ClassId c : order) {
    held += own(c);
    most = std::max(most, held);
    for (ClassId m : problem.children(selection[c])) {
      if (--users[m.index()] == 0) held -= own(m);
    }
  }
  return most;
}

class Bounded {
 public:
  Bounded(const Problem& problem, const Resource& resource, const Deadline& deadline)
      : problem_(problem), resource_(resource), deadline_(deadline) {}

  BoundedOutcome run() {
    sweep();
    solve();
    const double slack = 1e-9 * std::max(1.0, std::abs(outcome_.cost));
    if (outcome_.found && outcome_.bound >= outcome_.cost - slack) {
      outcome_.optimal = true;
      outcome_.bound = outcome_.cost;
      outcome_.stop_reason = StopReason::kSaturated;
    }
    return std::move(outcome_);
  }

 private:
  bool fits(double use) const { return use <= resource_.most * (1 + 1e-12); }

  void offer(const Selection& candidate) {
    const Verdict verdict = check(problem_, candidate);
    if (!verdict.valid || verdict.dag_cost >= outcome_.cost) return;
    const double use = resource_use(problem_, candidate, resource_);
    if (!fits(use)) return;
    outcome_.found = true;
    outcome_.cost = verdict.dag_cost;
    outcome_.use = use;
    outcome_.selection = candidate;
  }

  // Prices from nothing to where only the use counts.
  void sweep() {
    double costs = 0;
    double uses = 0;
    for (uint32_t n = 0; n < problem_.nodes(); ++n) {
      costs += std::abs(problem_.cost(NodeId(n)));
      uses += resource_.use[n];
    }
    const double unit = uses > 0 ? std::max(costs, 1e-9) / uses : 0;
    for (int step = -1; step <= 24 && !deadline_.over(); ++step) {
      const double price = step < 0 ? 0 : unit * std::exp2(step - 12);
      ProblemBuilder builder;
      for (size_t c = 0; c < problem_.classes(); ++c) builder.add_class();
      for (uint32_t n = 0; n < problem_.nodes(); ++n) {
        const NodeId id(n);
        const double priced = problem_.cost(id) + price * resource_.use[n];
        builder.add_node(problem_.class_of(id), std::min(priced, std::numeric_limits<double>::max()),
                         problem_.children(id));
      }
      for (ClassId root : problem_.roots()) builder.add_root(root);
      const Problem priced = builder.build();
      const Selection greedy = dag_greedy(priced);
      offer(greedy);
      if (check(priced, greedy).valid) offer(local_search(priced, greedy, 200'000));
      if (unit == 0) break;
    }
  }

  void solve() {
    const CoverModel model(problem_);
    ilp::Solver solver(model.model());
    if (resource_.kind == Kind::kSum) {
      std::vector<ilp::Entry> row;
      for (uint32_t n = 0; n < problem_.nodes(); ++n) {
        if (resource_.use[n] > 0) row.push_back({model.column(NodeId(n)), resource_.use[n]});
      }
      if (std::isfinite(resource_.most)) solver.add_row(-ilp::kInfinity, resource_.most, row);
    }
    while (!deadline_.over()) {
      const std::vector<double> start =
          outcome_.found ? model.values(outcome_.selection) : std::vector<double>();
      const ilp::Result result = solver.solve(deadline_.options(), deadline_.stop(), start);
      outcome_.stop_reason = result.stop_reason;
      outcome_.bound = std::max(outcome_.bound, result.bound);
      if (result.infeasible) {
        // Nothing is left but what was forbidden because it does not fit.
        outcome_.infeasible = !outcome_.found;
        outcome_.bound = outcome_.cost;
        return;
      }
      if (!result.feasible) return;
      const Selection picks = model.picks(result.values);
      const std::vector<std::vector<ClassId>> loops = cycles(problem_, picks);
      for (const std::vector<ClassId>& loop : loops) {
        const Cut cut = model.cycle_cut(loop);
        solver.add_row(-ilp::kInfinity, cut.at_most, cut.entries);
      }
      if (loops.empty()) {
        offer(picks);
        const double cost = check(problem_, picks).dag_cost;
        if (outcome_.found && outcome_.cost <= cost + 1e-9 * std::max(1.0, std::abs(cost))) return;
        forbid(model, solver, picks);
      }
      if (!result.optimal) return;
    }
    outcome_.stop_reason = deadline_.reason();
  }

  // Not all of these at once.
  void forbid(const CoverModel& model, ilp::Solver& solver, const Selection& picks) const {
    std::vector<int32_t> columns;
    for (uint32_t c = 0; c < picks.classes(); ++c) {
      if (picks[ClassId(c)].valid()) columns.push_back(model.column(picks[ClassId(c)]));
    }
    std::vector<ilp::Entry> row;
    for (int32_t column : columns) row.push_back({column, 1});
    solver.add_row(-ilp::kInfinity, static_cast<double>(columns.size()) - 1, row);
  }

  const Problem& problem_;
  const Resource& resource_;
  const Deadline& deadline_;
  BoundedOutcome outcome_;
};

}  // namespace

double resource_use(const Problem& problem, const Selection& selection, const Resource& resource) {
  if (resource.kind == Kind::kPeak) return peak(problem, selection, resource.use);
  double sum = 0;
  for (ClassId c : scheduled(problem, selection, [](ClassId, ClassId) { return false; }))
    sum += resource.use[selection[c].index()];
  return sum;
}

BoundedOutcome extract_within(const Problem& problem, const Resource& resource, const Deadline& deadline) {
  REQUIRE(resource.use.size() == problem.nodes(), "a use for each node");
  // Nodes without a finite term, and those that can never fit.
  std::vector<double> least(problem.classes(), std::numeric_limits<double>::infinity());
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    double& known = least[problem.class_of(NodeId(n)).index()];
    known = std::min(known, resource.use[n]);
  }
  std::vector<bool> keep(problem.nodes());
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    double held = resource.use[n];
    std::vector<ClassId> seen;
    for (ClassId m : problem.children(NodeId(n))) {
      if (resource.kind == Kind::kSum || std::ranges::find(seen, m) != seen.end()) continue;
      seen.push_back(m);
      held += least[m.index()];
    }
    keep[n] = held <= resource.most * (1 + 1e-12);
  }
  const Block within = restricted(problem, keep, problem.roots());
  const Selection derivable = dag_greedy(within.problem);
  for (uint32_t n = 0; n < within.problem.nodes(); ++n) {
    const auto children = within.problem.children(NodeId(n));
    if (std::ranges::any_of(children, [&](ClassId m) {
          return !derivable[m].valid() || m == within.problem.class_of(NodeId(n));
        }))
      keep[within.node_of[n].index()] = false;
  }
  BoundedOutcome outcome;
  const bool complete =
      std::ranges::all_of(within.problem.roots(), [&](ClassId root) { return derivable[root].valid(); });
  if (!complete) {
    outcome.infeasible = true;
    return outcome;
  }
  const Block part = restricted(problem, keep, problem.roots());
  Resource own = resource;
  own.use.clear();
  for (NodeId n : part.node_of) own.use.push_back(resource.use[n.index()]);
  outcome = Bounded(part.problem, own, deadline).run();
  if (!outcome.found) return outcome;
  const Selection needed = from_roots(part.problem, outcome.selection);
  Selection whole(problem.classes());
  for (uint32_t c = 0; c < needed.classes(); ++c)
    if (const NodeId n = needed[ClassId(c)]; n.valid()) whole.pick(part.class_of[c], part.node_of[n.index()]);
  outcome.selection = std::move(whole);
  return outcome;
}

}  // namespace isomer::extract
