// The guard over constant folding: elements of what was folded, computed again one by one from the original
// program (eval/sampler.h), by the slow reference and not by the fast products. Long chains of products are
// beyond its budget; each product by itself has been held to the reference while folding
// (FoldOptions::checked_samples).
#pragma once

#include <cstdint>
#include <string>

#include "eval/fold.h"

namespace isomer::eval {

struct FoldCheckOptions {
  uint64_t seed = 1;
  int samples = 4;                      ///< elements of each new constant; first and last among them
  uint64_t budget = uint64_t{1} << 20;  ///< elements read for a constant; beyond it, it counts as unchecked
  Deadline until = {};                  ///< constants beyond it count as unchecked
};
struct FoldCheck {
  size_t checked = 0, unchecked = 0;  ///< constants
  std::string wrong;                  ///< empty: none; else the value, the element and both numbers
};
FoldCheck check_fold(const ir::Graph& before, const Folded& after, const FoldCheckOptions& options = {});

}  // namespace isomer::eval
