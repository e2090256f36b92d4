// Numbers at which what conditions say of one variable alone changes: the roots of its polynomials, what
// several divisibilities leave of it. `?m * ?m <= 256` holds just so at 16, `?e % 11 == 0, ?e % 13 == 0` at
// 143, which the numbers that they name are not.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "rewrite/rule.h"

namespace isomer::rewrite {

struct Solutions {
  /// By attribute variable (of a list: of one of its entries), and by class variable, whose elements are
  /// that.
  std::map<uint32_t, std::vector<double>> attributes, splats;
};
/// Numbers that hold all conditions which speak of nothing else, at the edges of what does: of the
/// integers from -1,024 to 16,384 the few nearest to 0, and beyond where it is one threshold; where it lies
/// between integers the last number of each type of floats that holds. Nothing of variables that no such
/// condition binds.
Solutions solutions_of(const Rule& rule);

}  // namespace isomer::rewrite
