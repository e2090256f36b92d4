#include "verify/pointwise.h"

#include "meaning/flatten.h"

namespace isomer::verify {

bool is_pointwise(const ir::Graph& graph) {
  using enum ir::MeaningKind;
  const ir::Graph flat = meaning::flatten(graph).graph;
  for (size_t i = 0; i < flat.size(); ++i) {
    const ir::MeaningKind kind = flat.def(ir::ValueId(i)).kind;
    if (kind != kLeaf && kind != kPointwise && kind != kMovement && kind != kTuple) return false;
  }
  return true;
}

}  // namespace isomer::verify
