#include "ir/graph_copy.h"

namespace isomer::ir {

GraphCopy::GraphCopy(Builder& into, const Graph& from, Names names)
    : into_(into), from_(from), names_(names), map_(from.size()) {}

void GraphCopy::inputs() {
  for (ValueId i : from_.inputs()) map_[i.index()] = into_.input(from_.name(i), from_.type_id(i));
}

const std::vector<ValueId>& GraphCopy::operands(ValueId v) {
  operands_.clear();
  for (ValueId o : from_.operands(v)) operands_.push_back(map_[o.index()]);
  return operands_;
}

ValueId GraphCopy::add(ValueId v) {
  const ValueId copy = into_.add_typed(from_.op(v), from_.payload(v), operands(v), from_.type_id(v));
  map_[v.index()] = copy;
  name(v);
  return copy;
}

void GraphCopy::name(ValueId v) {
  const ValueId copy = map_[v.index()];
  if (names_ == Names::kKept && into_.so_far().name(copy).empty()) into_.set_name(copy, from_.name(v));
}

void GraphCopy::rest() {
  for (size_t i = 0; i < map_.size(); ++i)
    if (!map_[i].valid()) add(ValueId(i));
}

std::vector<ValueId> GraphCopy::outputs() const {
  std::vector<ValueId> out;
  for (ValueId o : from_.outputs()) out.push_back(map_[o.index()]);
  return out;
}

}  // namespace isomer::ir
