// Why two terms are equal: the proof forest of Nieuwenhuis and Oliveras (2005), kept as side arrays of the
// e-graph. Each e-node points to the e-node it was united with, and the edge says why: a justification of the
// caller (rule and substitution record) or congruence. Nodes keep the children they were created with, since
// the store rewrites children to canonical classes.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egraph/ids.h"

namespace isomer::egraph {

/// Why a union was made. Rule numbers and records (a substitution, say) belong to the caller.
struct Justification {
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  static constexpr uint32_t kCongruence = 0xFFFFFFFEu;
  uint32_t rule = kNone;
  uint32_t record = kNone;
  bool operator==(const Justification&) const = default;
};

class ProofForest {
 public:
  /// One step of a proof: `from` and `to` are equal because of `why`.
  struct Step {
    NodeId from;
    NodeId to;
    Justification why;
  };

  void add_node(std::span<const ClassId> children);
  /// Records that a and b, in different trees, are equal because of `why`.
  void link(NodeId a, NodeId b, Justification why);
  /// The chain of steps from a to b; empty if a == b. Both must be in one tree. Congruence steps are not
  /// expanded: the caller explains the children pairwise.
  std::vector<Step> explain(NodeId a, NodeId b) const;
  /// The children a node was created with.
  std::span<const ClassId> children_at_creation(NodeId n) const {
    return {children_.data() + first_[n.index()], first_[n.index() + 1] - first_[n.index()]};
  }

 private:
  std::vector<uint32_t> parent_;  // node id, or Id::kInvalid at a root
  std::vector<Justification> why_;
  std::vector<uint32_t> first_{0};
  std::vector<ClassId> children_;
};

}  // namespace isomer::egraph
