// Layers as Sugiyama, Tagawa and Toda (1981) have them: a row for each class's longest way down from the
// results (edges that would close a cycle do not count), so that weights stand just below what reads them,
// then sweeps that put each class at the mean of its neighbours in the row before. Rows that are too wide are
// broken; where there are many short ones, as in a network of many layers, they go on at the top of a further
// column.
#include "report/egraph_layout.h"

#include <algorithm>
#include <cmath>

namespace isomer::report {
namespace {

struct Neighbours {
  std::vector<std::vector<uint32_t>> below, above;  ///< classes, by class
};

Neighbours neighbours(const EGraphPicture& picture) {
  Neighbours out{std::vector<std::vector<uint32_t>>(picture.classes),
                 std::vector<std::vector<uint32_t>>(picture.classes)};
  for (const EGraphPicture::Node& node : picture.nodes)
    for (const uint32_t c : node.children)
      if (c != node.of_class) out.below[node.of_class].push_back(c);
  for (uint32_t c = 0; c < picture.classes; ++c) {
    std::ranges::sort(out.below[c]);
    out.below[c].erase(std::unique(out.below[c].begin(), out.below[c].end()), out.below[c].end());
    for (const uint32_t d : out.below[c]) out.above[d].push_back(c);
  }
  return out;
}

/// Longest way down to a class from those that nothing reads, without the edges that lead back.
std::vector<uint32_t> depths(const Neighbours& graph) {
  const auto n = static_cast<uint32_t>(graph.below.size());
  constexpr uint32_t kNone = 0xFFFFFFFFu;
  std::vector<uint32_t> finished(n, kNone), order;  // children before those that read them
  std::vector<bool> seen(n);
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t root = 0; root < n; ++root) {
    if (seen[root]) continue;
    stack.assign(1, {root, 0});
    seen[root] = true;
    while (!stack.empty()) {
      auto& [c, next] = stack.back();
      if (next == graph.below[c].size()) {
        finished[c] = static_cast<uint32_t>(order.size());
        order.push_back(c);
        stack.pop_back();
        continue;
      }
      const uint32_t d = graph.below[c][next++];
      if (seen[d]) continue;
      seen[d] = true;
      stack.emplace_back(d, 0);
    }
  }
  std::vector<uint32_t> depth(n, 0);
  for (auto c = order.rbegin(); c != order.rend(); ++c)
    for (const uint32_t d : graph.below[*c])
      if (finished[d] < finished[*c]) depth[d] = std::max(depth[d], depth[*c] + 1);
  return depth;
}

/// Boxes of the sizes of their classes, nowhere yet.
std::vector<ClassBox> sized_boxes(const EGraphPicture& picture) {
  std::vector<ClassBox> boxes(picture.classes);
  std::vector<uint32_t> sizes(picture.classes, 0);
  for (const EGraphPicture::Node& node : picture.nodes) ++sizes[node.of_class];
  for (uint32_t c = 0; c < picture.classes; ++c) {
    boxes[c].columns = std::max(1u, static_cast<uint32_t>(std::ceil(std::sqrt(2.0 * sizes[c]))));
    if (sizes[c] < 5) boxes[c].columns = std::max(1u, sizes[c]);
    boxes[c].rows = std::max(1u, (sizes[c] + boxes[c].columns - 1) / boxes[c].columns);
  }
  return boxes;
}

using Rows = std::vector<std::vector<uint32_t>>;

/// Classes by depth, neighbours near each other.
Rows ordered_rows(const Neighbours& graph, uint32_t classes) {
  const std::vector<uint32_t> depth = depths(graph);
  Rows rows(*std::ranges::max_element(depth) + 1);
  for (uint32_t c = 0; c < classes; ++c) rows[depth[c]].push_back(c);
  std::vector<double> place(classes, 0);
  const auto number = [&](const std::vector<uint32_t>& row) {
    for (size_t i = 0; i < row.size(); ++i)
      place[row[i]] = (static_cast<double>(i) + 0.5) / static_cast<double>(row.size());
  };
  for (const auto& row : rows) number(row);
  const auto sweep = [&](auto first, const auto& last, const Rows& towards) {
    for (; first != last; ++first) {
      std::vector<std::pair<double, uint32_t>> order;
      for (const uint32_t c : *first) {
        double mean = place[c];
        if (!towards[c].empty()) {
          mean = 0;
          for (const uint32_t d : towards[c]) mean += place[d] / static_cast<double>(towards[c].size());
        }
        order.emplace_back(mean, c);
      }
      std::ranges::stable_sort(order, {}, &std::pair<double, uint32_t>::first);
      for (size_t i = 0; i < order.size(); ++i) (*first)[i] = order[i].second;
      number(*first);
    }
  };
  for (int round = 0; round < 4; ++round) {
    sweep(rows.begin(), rows.end(), graph.above);
    sweep(rows.rbegin(), rows.rend(), graph.below);
  }
  return rows;
}

constexpr double kGap = 1, kBetween = 2.5;  // between boxes of a line, between lines

struct Line {
  std::vector<uint32_t> classes;
  double width = 0, height = 0;
};

/// Rows, broken where they are too wide.
std::vector<Line> lines_of(const Rows& rows, const std::vector<ClassBox>& boxes) {
  double area = 0;
  for (const ClassBox& b : boxes) area += (b.columns + kGap) * (b.rows + kBetween);
  const double widest = std::max(40.0, 2 * std::sqrt(area));
  std::vector<Line> lines;
  for (const auto& row : rows) {
    for (size_t i = 0; i < row.size();) {
      Line line;
      while (i < row.size() && (line.classes.empty() || line.width + boxes[row[i]].columns <= widest)) {
        line.classes.push_back(row[i]);
        line.width += boxes[row[i]].columns + kGap;
        line.height = std::max(line.height, boxes[row[i]].rows + kBetween);
        ++i;
      }
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

/// In as many columns as make the whole about twice as wide as high.
void place(const std::vector<Line>& lines, std::vector<ClassBox>& boxes) {
  constexpr double kMargin = 6, kMostColumns = 24, kHigh = 40;
  double columns = 1, total = 0, width = 0;
  for (const Line& line : lines) {
    total += line.height;
    width = std::max(width, line.width);
  }
  const auto away = [&](double n) { return std::abs(std::log(n * (width + kMargin) / (total / n) / 2)); };
  for (double n = 2; total > kHigh && n <= kMostColumns; ++n)
    if (away(n) < away(columns)) columns = n;
  double x = 0, y = 0;
  for (const Line& line : lines) {
    if (y + line.height > total / columns + kBetween && y > 0) {
      y = 0;
      x += width + kMargin;
    }
    double at = x - line.width / 2;
    for (const uint32_t c : line.classes) {
      boxes[c].x = at;
      boxes[c].y = y;
      at += boxes[c].columns + kGap;
    }
    y += line.height;
  }
}

}  // namespace

std::vector<ClassBox> layout(const EGraphPicture& picture) {
  std::vector<ClassBox> boxes = sized_boxes(picture);
  if (picture.classes == 0) return boxes;
  place(lines_of(ordered_rows(neighbours(picture), picture.classes), boxes), boxes);
  return boxes;
}

}  // namespace isomer::report
