#include "extract/exact.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "extract/blocks.h"
#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/ilp.h"
#include "extract/local_search.h"
#include "extract/near_start.h"
#include "extract/reduce.h"
#include "extract/separation.h"

namespace isomer::extract {

namespace {

constexpr int kMostDepth = 12;

// One block: its incumbent, and the relaxation that proves or improves it. Selections that cost `enough` or
// more are of no use to whoever asks.
class Exact {
 public:
  Exact(const Problem& problem, Selection start, double enough, const Deadline& deadline,
        ExactOutcome& totals)
      : problem_(problem),
        enough_(enough),
        best_(std::move(start)),
        cost_(check(problem, best_).dag_cost),
        bound_(problem.least_possible()),
        step_(cost_step(problem)),
        deadline_(deadline),
        totals_(totals) {}

  void run(int depth);

  const Selection& best() const { return best_; }
  double cost() const { return cost_; }
  double bound() const { return closed() ? useful() : std::min(bound_, cost_); }
  // Nothing of use is cheaper than the incumbent.
  bool closed() const { return useful() - bound_ <= slack(); }
  StopReason stop_reason() const { return closed() ? StopReason::kSaturated : stop_reason_; }

 private:
  double slack() const { return 1e-9 * std::max(1.0, std::abs(cost_)); }
  double useful() const { return std::min(cost_, enough_); }
  // What a useful selection, cheaper than the incumbent, costs at most.
  double target() const { return std::min(cost_ - std::max(0.999 * step_, slack()), enough_); }
  void raise_bound(double bound) {
    if (step_ > 0) bound = step_ * std::ceil(bound / step_ - 1e-5);
    bound_ = std::max(bound_, bound);
  }
  void offer(const Selection& candidate) {
    const Verdict verdict = check(problem_, candidate);
    if (!verdict.valid || verdict.dag_cost >= cost_ - slack()) return;
    cost_ = verdict.dag_cost;
    best_ = candidate;
  }

  void relax(const CoverModel& model, ilp::Solver& solver);
  void round_up(const CoverModel& model, const ilp::Relaxation& relaxation);
  void fix(const CoverModel& model, const ilp::Relaxation& relaxation);
  bool shrink(int depth);
  void branch(const CoverModel& model, ilp::Solver& solver);

  const Problem& problem_;
  const double enough_;
  Selection best_;
  double cost_;
  double bound_;
  double step_;
  const Deadline& deadline_;
  ExactOutcome& totals_;
  StopReason stop_reason_ = StopReason::kTimeLimit;
  std::vector<bool> keep_;    // by node: a selection cheaper than the incumbent may pick it
  std::vector<bool> forced_;  // by class: such a selection needs it
};

void solve_parts(const Problem& problem, Selection& best, const Deadline& deadline, int depth,
                 ExactOutcome& totals, double& bound, StopReason& stop_reason,
                 double enough = std::numeric_limits<double>::infinity()) {
  constexpr int kMostPasses = 3;
  struct Open {
    const Block* block;
    double bound;
  };
  const std::vector<Block> parts = blocks(problem);
  std::vector<Open> open;
  bound = 0;
  for (const Block& block : parts) {
    if (block.decided()) {
      bound += check(block.problem, block.restrict(best)).dag_cost;
      continue;
    }
    open.push_back({&block, block.problem.least_possible()});
    if (depth > 0) continue;
    ++totals.blocks;
    totals.largest_block = std::max(totals.largest_block, block.problem.nodes());
  }
  // Each gets a share of the time by size, small ones first, so that what they do not need is left to the
  // large ones; what is still open afterwards shares what is left of all.
  for (int pass = 0; pass < kMostPasses && !open.empty(); ++pass) {
    size_t undecided = 0;
    for (const Open& o : open) undecided += o.block->problem.nodes();
    for (Open& o : open) {
      const size_t size = o.block->problem.nodes();
      const Deadline own = deadline.part(static_cast<double>(size) / static_cast<double>(undecided));
      undecided -= size;
      double others = bound;
      for (const Open& other : open)
        if (&other != &o) others += other.bound;
      Exact exact(o.block->problem, o.block->restrict(best), enough - others, own, totals);
      exact.run(depth);
      o.block->write_back(exact.best(), best);
      o.bound = std::max(o.bound, exact.bound());
      if (exact.closed()) {
        bound += o.bound;
        o = {nullptr, 0};
      } else {
        stop_reason = exact.stop_reason();
      }
    }
    std::erase_if(open, [](const Open& o) { return o.block == nullptr; });
    if (deadline.over() || open.size() == 1) break;  // one alone had all the time there was
  }
  for (const Open& o : open) bound += o.bound;
}

void Exact::run(int depth) {
  if (closed()) return;
  if (deadline_.over()) {
    stop_reason_ = deadline_.reason();
    return;
  }
  const CoverModel model(problem_);
  ilp::Solver solver(model.model());
  keep_.assign(problem_.nodes(), true);
  forced_.assign(problem_.classes(), false);
  for (ClassId root : problem_.roots()) forced_[root.index()] = true;
  relax(model, solver);
  if (closed() || deadline_.over() || shrink(depth)) {
    if (!closed() && deadline_.over()) stop_reason_ = deadline_.reason();
    return;
  }
  branch(model, solver);
}

void Exact::relax(const CoverModel& model, ilp::Solver& solver) {
  // Rounds in which a fiftieth of the gap must be closed. Small gaps are for branching.
  const auto patience = [&] { return useful() - bound_ < 0.05 * std::abs(cost_) ? 3 : 12; };
  Necessary necessary;
  const bool known = necessary.compute(choices_of(problem_));
  const Deadline own = deadline_.part(0.7);
  double last = bound_;
  int standing = 0;
  const int before = totals_.relaxations;
  while (!own.over()) {
    // The first one is worth all the time there is: branching begins with it as well.
    const Deadline& until = totals_.relaxations == before ? deadline_ : own;
    const ilp::Relaxation relaxation = solver.relax(until.options(), deadline_.stop());
    ++totals_.relaxations;
    if (relaxation.infeasible) raise_bound(useful());
    if (!relaxation.solved) return;
    raise_bound(relaxation.bound);
    if (standing % 4 == 0) round_up(model, relaxation);
    if (closed()) return;
    fix(model, relaxation);
    if (std::ranges::count(keep_, true) < 0.6 * static_cast<double>(keep_.size())) return;
    standing = relaxation.objective - last > 0.02 * (useful() - last) ? 0 : standing + 1;
    if (standing == 0) last = relaxation.objective;
    if (standing > patience()) return;
    std::vector<Cut> cuts;
    if (known) cuts = necessity_cuts(model, necessary, relaxation.values, 500);
    for (Cut& cut : loop_cuts(model, relaxation.values, 200)) cuts.push_back(std::move(cut));
    if (cuts.empty()) return;
    for (const Cut& cut : cuts) solver.add_row(-ilp::kInfinity, cut.at_most, cut.entries);
    totals_.cuts += static_cast<int>(cuts.size());
  }
}

// What the relaxation likes is cheap for the greedy extractor.
void Exact::round_up(const CoverModel& model, const ilp::Relaxation& relaxation) {
  std::vector<double> costs(problem_.nodes());
  for (uint32_t n = 0; n < problem_.nodes(); ++n) {
    const double x = relaxation.values[static_cast<size_t>(model.column(NodeId(n)))];
    costs[n] = (1.001 - std::clamp(x, 0.0, 1.0)) * std::abs(problem_.cost(NodeId(n))) + 1e-9;
  }
  offer(local_search(problem_, dag_greedy(problem_, costs), 200'000));
}

void Exact::fix(const CoverModel& model, const ilp::Relaxation& relaxation) {
  // The incumbent stays, for the solver to begin from.
  const double room = (enough_ < cost_ || step_ > 0 ? target() : cost_ + slack()) - relaxation.bound;
  const auto reduced = [&](int32_t column) { return relaxation.reduced_costs[static_cast<size_t>(column)]; };
  const auto value = [&](int32_t column) { return relaxation.values[static_cast<size_t>(column)]; };
  for (uint32_t n = 0; n < problem_.nodes(); ++n) {
    const int32_t column = model.column(NodeId(n));
    const ClassId c = problem_.class_of(NodeId(n));
    if (value(column) < 1e-9 && reduced(column) > room) keep_[n] = false;
    if (value(column) > 1 - 1e-9 && -reduced(column) > room) {
      forced_[c.index()] = true;
      for (NodeId other : problem_.nodes_of(c)) {
        if (other != NodeId(n)) keep_[other.index()] = false;
      }
    }
  }
  for (uint32_t c = 0; c < problem_.classes(); ++c) {
    const int32_t column = model.column(ClassId(c));
    if (value(column) > 1 - 1e-9 && -reduced(column) > room) forced_[c] = true;
    if (value(column) < 1e-9 && reduced(column) > room) {
      for (NodeId n : problem_.nodes_of(ClassId(c))) keep_[n.index()] = false;
    }
  }
}

// True if a smaller problem was solved in place of this one.
bool Exact::shrink(int depth) {
  if (depth >= kMostDepth) return false;
  std::vector<ClassId> roots;
  for (uint32_t c = 0; c < problem_.classes(); ++c) {
    if (forced_[c]) roots.push_back(ClassId(c));
  }
  const Block rest = restricted(problem_, keep_, roots);
  const Reduced reduced = reduce(rest.problem);
  if (!reduced.feasible) {
    raise_bound(useful());
    return true;
  }
  if (static_cast<double>(reduced.problem.nodes()) > 0.8 * static_cast<double>(problem_.nodes()) ||
      reduced.problem.roots().empty()) {
    return false;
  }
  // As near to the incumbent as what is left allows.
  Selection start = near_start(problem_, best_, rest, reduced, 2'000'000);
  const auto lift = [&](const Selection& selection) {
    Selection whole = best_;
    rest.write_back(reduced.lift(rest.problem, selection), whole);
    offer(whole);
  };
  lift(start);
  double bound = 0;
  StopReason why = StopReason::kSaturated;
  solve_parts(reduced.problem, start, deadline_, depth + 1, totals_, bound, why, useful());
  lift(start);
  // Everything useful that is cheaper than the incumbent of before is in the smaller problem.
  raise_bound(std::min(bound, useful()));
  stop_reason_ = why;
  return true;
}

void Exact::branch(const CoverModel& model, ilp::Solver& solver) {
  while (true) {
    ++totals_.rounds;
    ilp::Options options = deadline_.options();
    options.heuristics = false;  // the incumbent is good; what is missing is the proof
    options.absolute_gap = std::max(0.999 * step_, slack());
    const ilp::Result result = solver.solve(options, deadline_.stop(), model.values(best_));
    stop_reason_ = result.stop_reason;
    // Fewer rows allow more, so every solve's bound is one for the whole problem.
    raise_bound(result.bound);
    if (result.infeasible || !result.feasible) return;
    const Selection picks = model.picks(result.values);
    const std::vector<std::vector<ClassId>> loops = cycles(problem_, picks);
    if (loops.empty()) {
      offer(picks);
      if (result.optimal) raise_bound(cost_);
      return;
    }
    std::vector<double> cheap(problem_.nodes());
    for (uint32_t n = 0; n < problem_.nodes(); ++n) {
      const bool picked = picks[problem_.class_of(NodeId(n))] == NodeId(n);
      cheap[n] = picked ? 1e-3 * problem_.cost(NodeId(n)) : problem_.cost(NodeId(n));
    }
    offer(local_search(problem_, dag_greedy(problem_, cheap), 200'000));
    std::vector<Cut> cuts = loop_cuts(model, result.values, 200);
    for (const std::vector<ClassId>& loop : loops) cuts.push_back(model.cycle_cut(loop));
    for (const Cut& cut : cuts) solver.add_row(-ilp::kInfinity, cut.at_most, cut.entries);
    totals_.cuts += static_cast<int>(cuts.size());
    if (closed() || !result.optimal) return;
  }
}

}  // namespace

double cost_step(const Problem& problem) {
  constexpr double kScale = 1000;
  int64_t divisor = 0;
  for (uint32_t n = 0; n < problem.nodes(); ++n) {
    const double scaled = problem.cost(NodeId(n)) * kScale;
    if (std::abs(scaled) > 1e15 || std::abs(scaled - std::round(scaled)) > 1e-9 * std::abs(scaled)) return 0;
    divisor = std::gcd(divisor, static_cast<int64_t>(std::llround(scaled)));
  }
  return static_cast<double>(divisor) / kScale;
}

ExactOutcome solve_exactly(const Problem& problem, const Selection& start, const Deadline& deadline) {
  ExactOutcome outcome;
  outcome.selection = start;
  solve_parts(problem, outcome.selection, deadline, 0, outcome, outcome.bound, outcome.stop_reason);
  outcome.cost = check(problem, outcome.selection).dag_cost;
  outcome.conclude();
  return outcome;
}

}  // namespace isomer::extract
