#include "extract/cover_model.h"

#include <algorithm>
#include <map>
#include <set>

#include "extract/from_roots.h"

namespace isomer::extract {

using ilp::Entry;

CoverModel::CoverModel(const Problem& problem, const Formulation& formulation)
    : problem_(problem), formulation_(formulation), parts_(strong_components(choices_of(problem))) {
  node_column_.resize(problem.nodes());
  class_column_.resize(problem.classes());
  is_root_.assign(problem.classes(), false);
  for (ClassId r : problem.roots()) is_root_[r.index()] = true;
  for (uint32_t n = 0; n < problem.nodes(); ++n) negative_ = negative_ || problem.cost(NodeId(n)) < 0;
  const auto classes = static_cast<uint32_t>(problem.classes());
  for (uint32_t c = 0; c < classes; ++c) add_class(ClassId(c));
  for (uint32_t c = 0; c < classes; ++c) add_child_rows(ClassId(c));
  if (formulation.ordering == Ordering::kCuts) {
    for (uint32_t c = 0; c < classes; ++c) forbid_pairs(ClassId(c));
    for (uint32_t size : parts_.size) cycles_possible_ = cycles_possible_ || size > 1;
  } else {
    add_positions();
  }
  if (negative_) forbid_unused();
}

void CoverModel::add_class(ClassId c) {
  const auto nodes = problem_.nodes_of(c);
  const double least = is_root_[c.index()] ? 1 : 0;
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

// Columns of the nodes of c that need m; the class's own column when all do.
std::vector<int32_t> CoverModel::needing(ClassId c, ClassId m) const {
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

void CoverModel::add_child_rows(ClassId c) {
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
    const int32_t y = class_column_[m.index()];
    if (!formulation_.aggregated) {
      for (int32_t column : columns) {
        model_.add_row(-ilp::kInfinity, 0, std::vector<Entry>{{y, -1}, {column, 1}});
      }
      continue;
    }
    if (columns.size() == nodes.size()) columns.assign(1, class_column_[c.index()]);
    std::vector<Entry> row{{y, -1}};
    for (int32_t column : columns) row.push_back({column, 1});
    model_.add_row(-ilp::kInfinity, 0, row);
  }
}

void CoverModel::forbid_pairs(ClassId c) {
  if (parts_.size[parts_.of[c.index()]] < 2) return;
  std::set<ClassId> partners;
  for (NodeId n : problem_.nodes_of(c)) {
    for (ClassId m : problem_.children(n)) {
      if (c < m && parts_.of[c.index()] == parts_.of[m.index()]) partners.insert(m);
    }
  }
  for (ClassId m : partners) {
    if (needing(m, c).empty()) continue;
    const Cut cut = cycle_cut(std::vector{c, m});
    model_.add_row(-ilp::kInfinity, cut.at_most, cut.entries);
  }
}

// With negative costs a class could be picked although nobody needs it.
void CoverModel::forbid_unused() {
  std::vector<std::vector<Entry>> rows(problem_.classes());
  for (uint32_t n = 0; n < problem_.nodes(); ++n) {
    for (ClassId m : problem_.children(NodeId(n))) {
      auto& row = rows[m.index()];
      if (row.empty() || row.back().column != node_column_[n]) row.push_back({node_column_[n], -1});
    }
  }
  for (uint32_t c = 0; c < problem_.classes(); ++c) {
    if (is_root_[c]) continue;
    rows[c].push_back({class_column_[c], 1});
    model_.add_row(-ilp::kInfinity, 0, rows[c]);
  }
}

// A child stands at least one step behind every node that is picked and needs it:
// t_c + step <= t_m + big (1 - sum of x over the nodes of c that need m).
void CoverModel::add_positions() {
  const bool integer = formulation_.ordering == Ordering::kInteger;
  const auto classes = static_cast<double>(problem_.classes());
  const double last = integer ? classes - 1 : 1;
  const double step = integer ? 1 : 1 / (10 * classes);
  const double big = last + step;
  position_.assign(problem_.classes(), -1);
  const auto ordered = [&](ClassId c, ClassId m) {
    return formulation_.order_everywhere || parts_.of[c.index()] == parts_.of[m.index()];
  };
  const auto position = [&](ClassId c) {
    int32_t& column = position_[c.index()];
    if (column < 0) column = model_.add_column(0, 0, last, integer);
    return column;
  };
  for (uint32_t i = 0; i < problem_.classes(); ++i) {
    const ClassId c(i);
    std::set<ClassId> children;
    for (NodeId n : problem_.nodes_of(c)) {
      for (ClassId m : problem_.children(n)) {
        if (ordered(c, m)) children.insert(m);
      }
    }
    for (ClassId m : children) {
      const int32_t own = position(c);
      const int32_t below = position(m);
      for (int32_t column : needing(c, m)) {
        if (formulation_.aggregated) break;
        model_.add_row(-ilp::kInfinity, big - step, std::vector<Entry>{{own, 1}, {below, -1}, {column, big}});
      }
      if (!formulation_.aggregated) continue;
      std::vector<Entry> row{{own, 1}, {below, -1}};
      for (int32_t column : needing(c, m)) row.push_back({column, big});
      model_.add_row(-ilp::kInfinity, big - step, row);
    }
  }
}

std::vector<double> CoverModel::values(const Selection& selection) const {
  std::vector<double> x(static_cast<size_t>(model_.columns()), 0);
  // Depth first, so that positions can be given in reverse order of leaving.
  struct Frame {
    ClassId c;
    size_t next;
  };
  std::vector<Frame> path;
  std::vector<ClassId> left;
  const auto enter = [&](ClassId c) {
    double& taken = x[static_cast<size_t>(class_column_[c.index()])];
    if (taken == 1) return;
    taken = 1;
    x[static_cast<size_t>(node_column_[selection[c].index()])] = 1;
    path.push_back({c, 0});
  };
  for (ClassId root : problem_.roots()) {
    enter(root);
    while (!path.empty()) {
      Frame& f = path.back();
      const auto children = problem_.children(selection[f.c]);
      if (f.next == children.size()) {
        left.push_back(f.c);
        path.pop_back();
      } else {
        enter(children[f.next++]);
      }
    }
  }
  if (position_.empty()) return x;
  const bool integer = formulation_.ordering == Ordering::kInteger;
  const double step = integer ? 1 : 1 / (10 * static_cast<double>(problem_.classes()));
  for (size_t i = 0; i < left.size(); ++i) {
    const int32_t column = position_[left[i].index()];
    if (column >= 0) x[static_cast<size_t>(column)] = step * static_cast<double>(left.size() - 1 - i);
  }
  return x;
}

Selection CoverModel::picks(std::span<const double> x) const {
  return from_roots(problem_, [&](ClassId c) {
    return std::ranges::max(problem_.nodes_of(c), {},
                            [&](NodeId n) { return x[static_cast<size_t>(column(n))]; });
  });
}

Cut CoverModel::cycle_cut(std::span<const ClassId> cycle) const {
  std::map<int32_t, double> row;
  for (size_t i = 0; i < cycle.size(); ++i) {
    for (int32_t column : needing(cycle[i], cycle[(i + 1) % cycle.size()])) row[column] += 1;
    if (i > 0) row[class_column_[cycle[i].index()]] -= 1;
  }
  Cut cut;
  for (const auto& [column, value] : row) {
    if (value != 0) cut.entries.push_back({column, value});
  }
  return cut;
}

}  // namespace isomer::extract
