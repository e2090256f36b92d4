#include "extract/ilp.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "extract/check.h"
#include "extract/components.h"
#include "extract/dag_greedy.h"
#include "support/ilp.h"

namespace isomer::extract {

namespace {

using ilp::Entry;

class CoverModel {
 public:
  explicit CoverModel(const Problem& problem)
      : problem_(problem), parts_(strong_components(choices_of(problem))) {
    node_column_.resize(problem.nodes());
    class_column_.resize(problem.classes());
    std::vector<bool> is_root(problem.classes(), false);
    for (ClassId r : problem.roots()) is_root[r.index()] = true;
    bool negative = false;
    for (uint32_t c = 0; c < problem.classes(); ++c) add_class(ClassId(c), is_root[c], negative);
    for (uint32_t c = 0; c < problem.classes(); ++c) add_child_rows(ClassId(c));
    for (uint32_t c = 0; c < problem.classes(); ++c) forbid_pairs(ClassId(c));
    if (negative) forbid_unused(is_root);
  }

  const ilp::Model& model() const { return model_; }

  std::vector<double> values(const Selection& selection) const {
    std::vector<double> x(static_cast<size_t>(model_.columns()), 0);
    std::vector<ClassId> work(problem_.roots().begin(), problem_.roots().end());
    while (!work.empty()) {
      const ClassId c = work.back();
      work.pop_back();
      const NodeId n = selection[c];
      double& taken = x[static_cast<size_t>(class_column_[c.index()])];
      if (taken == 1) continue;
      taken = 1;
      x[static_cast<size_t>(node_column_[n.index()])] = 1;
      const auto children = problem_.children(n);
      work.insert(work.end(), children.begin(), children.end());
    }
    return x;
  }

  /// The heaviest node of each class that the roots lead to; may be cyclic.
  Selection picks(const std::vector<double>& x) const {
    Selection selection(problem_.classes());
    std::vector<ClassId> work(problem_.roots().begin(), problem_.roots().end());
    while (!work.empty()) {
      const ClassId c = work.back();
      work.pop_back();
      if (selection[c].valid()) continue;
      const auto weight = [&](NodeId n) { return x[static_cast<size_t>(node_column_[n.index()])]; };
      const NodeId n = std::ranges::max(problem_.nodes_of(c), {}, weight);
      selection.pick(c, n);
      const auto children = problem_.children(n);
      work.insert(work.end(), children.begin(), children.end());
    }
    return selection;
  }

  /// Cycles in a selection, each as its classes in order: one for each back edge of a depth-first walk.
  std::vector<std::vector<ClassId>> cycles(const Selection& selection) const {
    std::vector<std::vector<ClassId>> found;
    enum : uint8_t { kNew, kOpen, kDone };
    std::vector<uint8_t> state(problem_.classes(), kNew);
    struct Frame {
      ClassId c;
      size_t next;
    };
    std::vector<Frame> path;
    for (ClassId root : problem_.roots()) {
      if (state[root.index()] == kNew) path.push_back({root, 0});
      while (!path.empty()) {
        Frame& f = path.back();
        state[f.c.index()] = kOpen;
        const auto children = problem_.children(selection[f.c]);
        if (f.next == children.size()) {
          state[f.c.index()] = kDone;
          path.pop_back();
          continue;
        }
        const ClassId child = children[f.next++];
        if (state[child.index()] == kNew) {
          path.push_back({child, 0});
        } else if (state[child.index()] == kOpen) {
          auto from = std::ranges::find(path, child, &Frame::c);
          std::vector<ClassId> cycle;
          for (; from != path.end(); ++from) cycle.push_back(from->c);
          found.push_back(std::move(cycle));
        }
      }
    }
    return found;
  }

  std::vector<Entry> cycle_cut(const std::vector<ClassId>& cycle) const {
    std::map<int32_t, double> row;
    for (size_t i = 0; i < cycle.size(); ++i) {
      for (int32_t column : needing(cycle[i], cycle[(i + 1) % cycle.size()])) row[column] += 1;
      if (i > 0) row[class_column_[cycle[i].index()]] -= 1;
    }
    std::vector<Entry> entries;
    for (const auto& [column, value] : row) {
      if (value != 0) entries.push_back({column, value});
    }
    return entries;
  }

 private:
  void add_class(ClassId c, bool is_root, bool& negative) {
    const auto nodes = problem_.nodes_of(c);
    const double least = is_root ? 1 : 0;
    for (NodeId n : nodes) negative = negative || problem_.cost(n) < 0;
    if (nodes.size() == 1) {
      node_column_[nodes[0].index()] = class_column_[c.index()] =
          model_.add_column(problem_.cost(nodes[0]), least, 1, true);
      return;
    }
    const int32_t y = class_column_[c.index()] = model_.add_column(0, least, 1, false);
    std::vector<Entry> sum{{y, -1}};
    for (NodeId n : nodes) {
      node_column_[n.index()] = model_.add_binary(problem_.cost(n));
      sum.push_back({node_column_[n.index()], 1});
    }
    model_.add_row(0, 0, sum);
  }

  /// Columns of the nodes of c that need m; the class's own column when all do.
  std::vector<int32_t> needing(ClassId c, ClassId m) const {
    std::vector<int32_t> columns;
    const auto nodes = problem_.nodes_of(c);
    for (NodeId n : nodes) {
      if (std::ranges::find(problem_.children(n), m) != problem_.children(n).end()) {
        columns.push_back(node_column_[n.index()]);
      }
    }
    if (columns.size() == nodes.size()) columns.assign(1, class_column_[c.index()]);
    return columns;
  }

  void add_child_rows(ClassId c) {
    const auto nodes = problem_.nodes_of(c);
    std::map<ClassId, std::vector<int32_t>> users;
    for (NodeId n : nodes) {
      for (ClassId m : problem_.children(n)) {
        std::vector<int32_t>& columns = users[m];
        const int32_t column = node_column_[n.index()];
        if (columns.empty() || columns.back() != column) columns.push_back(column);
      }
    }
    for (auto& [m, columns] : users) {
      if (columns.size() == nodes.size()) columns.assign(1, class_column_[c.index()]);
      std::vector<Entry> row{{class_column_[m.index()], -1}};
      for (int32_t column : columns) row.push_back({column, 1});
      model_.add_row(-ilp::kInfinity, 0, row);
    }
  }

  void forbid_pairs(ClassId c) {
    if (parts_.size[parts_.of[c.index()]] < 2) return;
    std::set<ClassId> partners;
    for (NodeId n : problem_.nodes_of(c)) {
      for (ClassId m : problem_.children(n)) {
        if (c < m && parts_.of[c.index()] == parts_.of[m.index()]) partners.insert(m);
      }
    }
    for (ClassId m : partners) {
      if (needing(m, c).empty()) continue;
      model_.add_row(-ilp::kInfinity, 0, cycle_cut({c, m}));
    }
  }

  // With negative costs a class could be picked although nobody needs it.
  void forbid_unused(const std::vector<bool>& is_root) {
    std::vector<std::vector<Entry>> rows(problem_.classes());
    for (uint32_t n = 0; n < problem_.nodes(); ++n) {
      for (ClassId m : problem_.children(NodeId(n))) {
        auto& row = rows[m.index()];
        if (row.empty() || row.back().column != node_column_[n]) row.push_back({node_column_[n], -1});
      }
    }
    for (uint32_t c = 0; c < problem_.classes(); ++c) {
      if (is_root[c]) continue;
      rows[c].push_back({class_column_[c], 1});
      model_.add_row(-ilp::kInfinity, 0, rows[c]);
    }
  }

  const Problem& problem_;
  Components parts_;
  ilp::Model model_;
  std::vector<int32_t> node_column_;
  std::vector<int32_t> class_column_;
};

}  // namespace

IlpOutcome solve_ilp(const Problem& problem, const Selection& start, const Limits& limits) {
  LimitWatch watch(limits);
  CoverModel cover(problem);
  ilp::Solver solver(cover.model());
  IlpOutcome outcome;
  outcome.selection = start;
  outcome.cost = check(problem, start).dag_cost;
  outcome.columns = cover.model().columns();
  outcome.rows = cover.model().rows();

  const auto offer = [&](const Selection& candidate) {
    const Verdict verdict = check(problem, candidate);
    if (!verdict.valid || verdict.dag_cost >= outcome.cost) return;
    outcome.cost = verdict.dag_cost;
    outcome.selection = candidate;
  };
  while (true) {
    ++outcome.rounds;
    ilp::Options options;
    options.seconds = watch.remaining();
    if (limits.nodes < uint64_t{1} << 31) options.branch_nodes = static_cast<int64_t>(limits.nodes);
    const ilp::Result result = solver.solve(options, limits.stop, cover.values(outcome.selection));
    outcome.stop_reason = result.stop_reason;
    // Fewer rows allow more, so every solve's bound is one for the whole problem.
    outcome.bound = std::max(outcome.bound, result.bound);
    if (result.infeasible || !result.feasible) break;
    const Selection picks = cover.picks(result.values);
    const std::vector<std::vector<ClassId>> cycles = cover.cycles(picks);
    if (cycles.empty()) {
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
    for (const std::vector<ClassId>& cycle : cycles)
      solver.add_row(-ilp::kInfinity, 0, cover.cycle_cut(cycle));
    outcome.cycle_cuts += static_cast<int>(cycles.size());
    outcome.rows += static_cast<int>(cycles.size());
    if (!result.optimal) break;
  }
  // An incumbent that meets a bound is optimal however the bound was found.
  const double slack = 1e-9 * std::max(1.0, std::abs(outcome.cost));
  outcome.optimal = outcome.optimal || outcome.cost <= outcome.bound + slack;
  if (outcome.optimal) {
    outcome.bound = outcome.cost;
    outcome.stop_reason = StopReason::kSaturated;
  }
  return outcome;
}

}  // namespace isomer::extract
