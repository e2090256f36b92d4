// A page that shows muGraphs: kernels, what the blocks of each do, what threads keep in registers, the order
// in which it runs with its barriers, and where tiles lie in shared memory over time. One file without
// scripts: drawings are SVG.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "mugraph/target.h"
#include "support/limits.h"

namespace isomer::mugraph {

/// A box of a drawing in rows.
struct DrawnBox {
  std::vector<std::string> lines;  ///< the first stands out
  size_t row = 0;
  std::string style;  ///< class of the page's style sheet
};

/// Boxes in rows from top to bottom; edges (from, to) lead to later rows, around the boxes between.
struct Drawing {
  std::vector<DrawnBox> boxes;
  std::vector<std::pair<size_t, size_t>> edges;
};
struct Drawn {
  std::string svg;  ///< elements, without the svg element
  double width = 0, height = 0;
  std::vector<double> between;  ///< height above row i; the last one below all
};
Drawn draw(const Drawing& drawing);

/// The whole page, of muGraphs of one table of operators; `title` says where they are from, `first` the
/// number of the first. Plans and prices are the target's. `stop`: from then on errors in narrow formats are
/// not measured.
std::string page(std::span<const MuGraph> graphs, size_t first, const std::string& title,
                 const Target& target = a100_target(), const StopToken& stop = {});

}  // namespace isomer::mugraph
