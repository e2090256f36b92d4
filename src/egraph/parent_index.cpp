#include "egraph/parent_index.h"

#include "egraph/store.h"

namespace isomer::egraph {

ParentIndex::ParentIndex(const Store& store) : begin_(store.slots() + 2) {
  // Counted two places on, so that after the sums begin_[c + 1] is where class c is filled from.
  for (uint32_t n = 0; n < store.slots(); ++n) {
    if (store.dead(NodeId(n))) continue;
    for (ClassId c : store.children(NodeId(n))) ++begin_[store.clean_class_of(as_node(c)).index() + 2];
  }
  for (size_t i = 2; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  parents_.resize(begin_.back());
  for (uint32_t n = 0; n < store.slots(); ++n) {
    if (store.dead(NodeId(n))) continue;
    for (ClassId c : store.children(NodeId(n)))
      parents_[begin_[store.clean_class_of(as_node(c)).index() + 1]++] = NodeId(n);
  }
  begin_.pop_back();
}

}  // namespace isomer::egraph
