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

/// Those of the operators that runtimes fuse (fused_cases.cpp).
void add_fused_cases(std::map<std::string, Draw>& cases);

/// Those of operators that networks have now and then (further_cases.cpp).
void add_further_cases(std::map<std::string, Draw>& cases);

/// By operator name.
const std::map<std::string, Draw>& op_cases();

/// Of these, those that have an evaluator in place of loop nests: no code is generated for them.
const std::set<std::string>& without_loops();

}  // namespace isomer::conformance
