#include "mugraph/drawing.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "support/errors.h"
#include "support/markup.h"

namespace isomer::mugraph {
namespace {

constexpr double kGap = 22, kRowGap = 46, kLine = 16, kCharacter = 6.7;

struct Placed {
  double width = 0, height = 0, x = 0, y = 0;  // x: of the middle
};

}  // namespace

Drawn draw(const Drawing& drawing) {
  // An edge over several rows has a place in each.
  std::vector<DrawnBox> boxes = drawing.boxes;
  struct Piece {
    size_t from, to;
  };
  std::vector<Piece> pieces;
  size_t rows = 0;
  for (const DrawnBox& b : boxes) rows = std::max(rows, b.row + 1);
  for (const auto& [from, to] : drawing.edges) {
    REQUIRE(boxes[from].row < boxes[to].row, "edges lead to later rows");
    size_t at = from;
    for (size_t r = boxes[from].row + 1; r < boxes[to].row; ++r) {
      boxes.push_back({{}, r, ""});
      pieces.push_back({at, boxes.size() - 1});
      at = boxes.size() - 1;
    }
    pieces.push_back({at, to});
  }
  std::vector<Placed> placed(boxes.size());
  std::vector<std::vector<size_t>> row(rows);
  for (size_t i = 0; i < boxes.size(); ++i) {
    size_t longest = 0;
    for (const std::string& l : boxes[i].lines) longest = std::max(longest, l.size());
    placed[i].width = boxes[i].lines.empty() ? 4 : static_cast<double>(longest) * kCharacter + 22;
    placed[i].height = boxes[i].lines.empty() ? 0 : static_cast<double>(boxes[i].lines.size()) * kLine + 12;
    row[boxes[i].row].push_back(i);
  }
  const auto spread = [&](const std::vector<size_t>& r) {
    double sum = -kGap;
    for (size_t i : r) sum += placed[i].width + kGap;
    double x = -sum / 2;
    for (size_t i : r) {
      placed[i].x = x + placed[i].width / 2;
      x += placed[i].width + kGap;
    }
    return sum;
  };
  // Each where what it is connected with is, on the average; down, up and down again.
  double width = 0;
  for (const auto& r : row) width = std::max(width, spread(r));
  for (int sweep = 0; sweep < 5; ++sweep) {
    const bool down = sweep % 2 == 0;
    for (size_t k = 1; k < rows; ++k) {
      auto& r = row[down ? k : rows - 1 - k];
      std::vector<double> wanted(boxes.size());
      for (size_t i : r) {
        double sum = 0, n = 0;
        for (const Piece& p : pieces)
          if ((down ? p.to : p.from) == i) {
            sum += placed[down ? p.from : p.to].x;
            ++n;
          }
        wanted[i] = n > 0 ? sum / n : placed[i].x;
      }
      std::ranges::stable_sort(r, {}, [&](size_t i) { return wanted[i]; });
      spread(r);
    }
  }
  Drawn out;
  double y = 8;
  for (const auto& r : row) {
    out.between.push_back(y == 8 ? 0 : y - kRowGap / 2);
    double height = 0;
    for (size_t i : r) height = std::max(height, placed[i].height);
    for (size_t i : r) {
      placed[i].y = y + (height - placed[i].height) / 2;
      if (boxes[i].lines.empty()) {  // runs straight through its row
        placed[i].y = y;
        placed[i].height = height;
      }
    }
    y += height + kRowGap;
  }
  out.height = y - kRowGap + 8;
  out.between.push_back(out.height);
  out.width = width + 16;
  const double middle = out.width / 2;
  for (const Piece& p : pieces) {
    const Placed &a = placed[p.from], &b = placed[p.to];
    const double x0 = a.x + middle, y0 = a.y + a.height, x1 = b.x + middle, y1 = b.y;
    out.svg += fmt::format(
        "<path class=\"edge{}\" d=\"M{:.1f},{:.1f}C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}",
        boxes[p.to].lines.empty() ? "" : " end", x0, y0, x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
    if (boxes[p.to].lines.empty()) out.svg += fmt::format("L{:.1f},{:.1f}", x1, y1 + b.height);
    out.svg += "\"/>\n";
  }
  for (size_t i = 0; i < drawing.boxes.size(); ++i) {
    const Placed& p = placed[i];
    const double x = p.x + middle;
    out.svg += fmt::format(
        "<rect class=\"box {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\"/>\n",
        boxes[i].style, x - p.width / 2, p.y, p.width, p.height);
    for (size_t l = 0; l < boxes[i].lines.size(); ++l)
      out.svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x,
                             p.y + 6 + kLine * static_cast<double>(l) + 12, l == 0 ? " class=\"name\"" : "",
                             markup_text(boxes[i].lines[l]));
  }
  return out;
}

}  // namespace isomer::mugraph
