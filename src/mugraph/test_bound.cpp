#include "mugraph/test_bound.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ir/op_table.h"
#include "meaning/flatten.h"
#include "meaning/nest.h"

namespace isomer::mugraph {

using ir::ScalarOp;

ExponentialFacts facts_of(const ir::Graph& flat) {
  ExponentialFacts out;
  std::vector<bool> has(flat.size());
  for (size_t i = 0; i < flat.size(); ++i) {
    const ir::ValueId v(i);
    std::vector<ir::TypeId> types;
    for (ir::ValueId o : flat.operands(v)) {
      types.push_back(flat.type_id(o));
      has[i] = has[i] || has[o.index()];
    }
    if (flat.def(v).nests == nullptr) continue;
    const ir::OpInstance instance(flat.context(), flat.def(v), flat.attrs(v), types, flat.type_id(v));
    for (const auto& nest :
         meaning::compile_nests(instance, meaning::describe(flat, v), meaning::Variables::kAsDeclared)) {
      for (const auto& in : nest.result.code) {
        if (in.op == ScalarOp::kExp) has[i] = out.exponentials = true;
        if (in.op == ScalarOp::kSqrt) out.square_roots += static_cast<double>(nest.outputs);
      }
      if (has[i]) out.terms = std::max({out.terms, static_cast<double>(nest.reductions), 2.0});
    }
  }
  return out;
}

double log2_test_error(double degree, double k, Fields fields) {
  const auto [p, q] = primes_of(fields);
  const double log2_p = std::log2(static_cast<double>(p)), log2_q = std::log2(static_cast<double>(q));
  if (k <= 0) return degree - log2_p;
  const double first = 3 + degree + 4 * std::log2(k) - log2_q, second = -log2_q / (k * k);
  return std::log2(std::exp2(first) + std::exp2(second));
}

}  // namespace isomer::mugraph
