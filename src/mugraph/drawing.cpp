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

/// Of an edge, between neighbouring rows.
struct Piece {
  size_t from, to;
};

class Layout {
 public:
  explicit Layout(const Drawing& drawing) : drawing_(drawing), boxes_(drawing.boxes) {
    cut_edges();
    measure();
    order();
    stack();
  }
  Drawn drawn() {
    draw_edges();
    draw_boxes();
    return std::move(out_);
  }

 private:
  /// An edge over several rows has a place in each.
  void cut_edges() {
    size_t rows = 0;
    for (const DrawnBox& b : boxes_) rows = std::max(rows, b.row + 1);
    row_.resize(rows);
    for (const auto& [from, to] : drawing_.edges) {
      REQUIRE(boxes_[from].row < boxes_[to].row, "edges lead to later rows");
      size_t at = from;
      for (size_t r = boxes_[from].row + 1; r < boxes_[to].row; ++r) {
        boxes_.push_back({{}, r, ""});
        pieces_.push_back({at, boxes_.size() - 1});
        at = boxes_.size() - 1;
      }
      pieces_.push_back({at, to});
    }
  }

  void measure() {
    placed_.resize(boxes_.size());
    for (size_t i = 0; i < boxes_.size(); ++i) {
      const std::vector<std::string>& lines = boxes_[i].lines;
      size_t longest = 0;
      for (const std::string& l : lines) longest = std::max(longest, l.size());
      placed_[i].width = lines.empty() ? 4 : static_cast<double>(longest) * kCharacter + 22;
      placed_[i].height = lines.empty() ? 0 : static_cast<double>(lines.size()) * kLine + 12;
      row_[boxes_[i].row].push_back(i);
    }
  }

  double spread(const std::vector<size_t>& r) {
    double sum = -kGap;
    for (size_t i : r) sum += placed_[i].width + kGap;
    double x = -sum / 2;
    for (size_t i : r) {
      placed_[i].x = x + placed_[i].width / 2;
      x += placed_[i].width + kGap;
    }
    return sum;
  }

  /// Each where what it is connected with is, on the average; down, up and down again.
  void order() {
    for (const auto& r : row_) width_ = std::max(width_, spread(r));
    for (int sweep = 0; sweep < 5; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (size_t k = 1; k < row_.size(); ++k) {
        auto& r = row_[down ? k : row_.size() - 1 - k];
        std::vector<double> wanted(boxes_.size());
        for (size_t i : r) {
          double sum = 0, n = 0;
          for (const Piece& p : pieces_)
            if ((down ? p.to : p.from) == i) {
              sum += placed_[down ? p.from : p.to].x;
              ++n;
            }
          wanted[i] = n > 0 ? sum / n : placed_[i].x;
        }
        std::ranges::stable_sort(r, {}, [&](size_t i) { return wanted[i]; });
        spread(r);
      }
    }
  }

  void stack() {
    double y = 8;
    for (const auto& r : row_) {
      out_.between.push_back(y == 8 ? 0 : y - kRowGap / 2);
      double height = 0;
      for (size_t i : r) height = std::max(height, placed_[i].height);
      for (size_t i : r) {
        placed_[i].y = y + (height - placed_[i].height) / 2;
        if (boxes_[i].lines.empty()) {  // runs straight through its row
          placed_[i].y = y;
          placed_[i].height = height;
        }
      }
      y += height + kRowGap;
    }
    out_.height = y - kRowGap + 8;
    out_.between.push_back(out_.height);
    out_.width = width_ + 16;
  }

  void draw_edges() {
    const double middle = out_.width / 2;
    for (const Piece& p : pieces_) {
      const Placed &a = placed_[p.from], &b = placed_[p.to];
      const double x0 = a.x + middle, y0 = a.y + a.height, x1 = b.x + middle, y1 = b.y;
      const bool goes_on = boxes_[p.to].lines.empty();
      out_.svg +=
          fmt::format("<path class=\"edge{}\" d=\"M{:.1f},{:.1f}C{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}",
                      goes_on ? "" : " end", x0, y0, x0, (y0 + y1) / 2, x1, (y0 + y1) / 2, x1, y1);
      if (goes_on) out_.svg += fmt::format("L{:.1f},{:.1f}", x1, y1 + b.height);
      out_.svg += "\"/>\n";
    }
  }

  void draw_boxes() {
    for (size_t i = 0; i < drawing_.boxes.size(); ++i) {
      const Placed& p = placed_[i];
      const double x = p.x + out_.width / 2;
      out_.svg += fmt::format(
          "<rect class=\"box {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"6\"/>\n",
          boxes_[i].style, x - p.width / 2, p.y, p.width, p.height);
      for (size_t l = 0; l < boxes_[i].lines.size(); ++l)
        out_.svg += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", x,
                                p.y + 6 + kLine * static_cast<double>(l) + 12,
                                l == 0 ? " class=\"name\"" : "", markup_text(boxes_[i].lines[l]));
    }
  }

  const Drawing& drawing_;
  std::vector<DrawnBox> boxes_;  ///< those of the drawing, then places of edges
  std::vector<Piece> pieces_;
  std::vector<Placed> placed_;
  std::vector<std::vector<size_t>> row_;
  double width_ = 0;
  Drawn out_;
};

}  // namespace

Drawn draw(const Drawing& drawing) { return Layout(drawing).drawn(); }

}  // namespace isomer::mugraph
