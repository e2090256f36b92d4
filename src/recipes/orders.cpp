#include "recipes/orders.h"

#include <algorithm>

#include "ir/op.h"

namespace isomer::recipes {
namespace {

using ir::ScalarOp;
using ir::ValueId;

constexpr int kLongestOrder = 8;

/// Of its operands each is no less than it (`below`), or none is more.
bool is_bound_of_operands(const ir::OpDef& def, bool below) {
  if (def.is(ir::Core::kBroadcast)) return true;
  if (below) return def.element == ScalarOp::kFloor || def.element == ScalarOp::kMin;
  return def.element == ScalarOp::kCeil || def.element == ScalarOp::kAbs || def.element == ScalarOp::kMax ||
         def.range_kind() == ir::RangeKind::kRelu;
}

bool never_above(const ir::Graph& graph, ValueId a, ValueId b, int deep) {
  if (a == b) return true;
  if (deep == 0) return false;
  const auto any = [&](ValueId of, auto&& holds) { return std::ranges::any_of(graph.operands(of), holds); };
  return (is_bound_of_operands(graph.def(a), true) &&
          any(a, [&](ValueId x) { return never_above(graph, x, b, deep - 1); })) ||
         (is_bound_of_operands(graph.def(b), false) &&
          any(b, [&](ValueId x) { return never_above(graph, a, x, deep - 1); }));
}

}  // namespace

bool never_above(const ir::Graph& graph, ValueId a, ValueId b) {
  return never_above(graph, a, b, kLongestOrder);
}

}  // namespace isomer::recipes
