#include "egraph/proof_forest.h"

#include <algorithm>
#include <cassert>

namespace isomer::egraph {

void ProofForest::add_node(std::span<const ClassId> children) {
  parent_.push_back(NodeId::kInvalid);
  why_.push_back({});
  children_.insert(children_.end(), children.begin(), children.end());
  first_.push_back(static_cast<uint32_t>(children_.size()));
}

void ProofForest::link(NodeId a, NodeId b, Justification why) {
  // Re-root a's tree at a by turning round the path above it, then hang it under b.
  uint32_t node = a.v;
  uint32_t new_parent = b.v;
  Justification new_why = why;
  while (node != NodeId::kInvalid) {
    const uint32_t old_parent = parent_[node];
    const Justification old_why = why_[node];
    parent_[node] = new_parent;
    why_[node] = new_why;
    new_parent = node;
    new_why = old_why;
    node = old_parent;
  }
}

std::vector<ProofForest::Step> ProofForest::explain(NodeId a, NodeId b) const {
  std::vector<uint32_t> above_a;
  for (uint32_t n = a.v; n != NodeId::kInvalid; n = parent_[n]) above_a.push_back(n);
  std::vector<uint32_t> above_b;
  for (uint32_t n = b.v; n != NodeId::kInvalid; n = parent_[n]) above_b.push_back(n);
  assert(above_a.back() == above_b.back());
  while (above_a.size() > 1 && above_b.size() > 1 &&
         above_a[above_a.size() - 2] == above_b[above_b.size() - 2]) {
    above_a.pop_back();
    above_b.pop_back();
  }
  std::vector<Step> steps;
  for (size_t i = 0; i + 1 < above_a.size(); ++i) {
    steps.push_back({NodeId(above_a[i]), NodeId(above_a[i + 1]), why_[above_a[i]]});
  }
  for (size_t i = above_b.size() - 1; i > 0; --i) {
    steps.push_back({NodeId(above_b[i]), NodeId(above_b[i - 1]), why_[above_b[i - 1]]});
  }
  return steps;
}

}  // namespace isomer::egraph
