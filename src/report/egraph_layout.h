// Where the classes of an e-graph's picture stand: in rows, users above what they read.
#pragma once

#include <vector>

#include "support/search_record.h"

namespace isomer::report {

/// In units of one e-node's cell. A class is a box of cells, its nodes row by row.
struct ClassBox {
  double x = 0, y = 0;  ///< upper left corner
  uint32_t columns = 1, rows = 1;
};

/// By class. Boxes do not touch; the layout is the same for the same picture.
std::vector<ClassBox> layout(const EGraphPicture& picture);

}  // namespace isomer::report
