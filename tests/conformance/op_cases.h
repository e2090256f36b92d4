// Random instances of the declared operators: attributes, operand types and ranges of values in which an
// operator is defined. What op_agreement holds against ONNX Runtime.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "ir/graph.h"
#include "support/rng.h"

namespace isomer::conformance {

/// An operand and where its values come from: uniform in [lo, hi], both included for integers.
struct Operand {
  ir::DType dtype = ir::DType::kF32;
  std::vector<int64_t> sizes;
  double lo = -3;
  double hi = 3;
  bool special = false;  ///< some elements are NaN or infinite
};

struct Case {
  std::vector<Operand> operands;
  std::vector<ir::NamedAttr> attrs = {};
};

/// A case may be one that the operator's type rule refuses (a dtype it does not take): draw again then.
using Draw = std::function<Case(Rng&)>;

/// Between `least` and `most` dimensions of 1 to `largest`.
inline std::vector<int64_t> any_sizes(Rng& rng, int64_t least, int64_t most, int64_t largest = 4) {
  std::vector<int64_t> out(static_cast<size_t>(rng.between(least, most)));
  for (int64_t& size : out) size = rng.between(1, largest);
  return out;
}

/// Of floats.
inline Operand operand(std::vector<int64_t> sizes, double lo = -3, double hi = 3) {
  return {ir::DType::kF32, std::move(sizes), lo, hi};
}

/// A multiple of a quarter, no more than two.
inline double any_factor(Rng& rng) { return 0.25 * static_cast<double>(rng.between(1, 8)); }

/// Those of the operators that runtimes fuse (fused_cases.cpp).
void add_fused_cases(std::map<std::string, Draw>& cases);

/// Those of operators that networks have now and then (further_cases.cpp).
void add_further_cases(std::map<std::string, Draw>& cases);

/// By operator name.
const std::map<std::string, Draw>& op_cases();

/// Of these, those that have an evaluator in place of loop nests: no code is generated for them.
const std::set<std::string>& without_loops();

}  // namespace isomer::conformance
