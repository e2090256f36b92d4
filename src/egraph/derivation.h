// What happened to an e-graph, for explanations: which term each node was created as, and which equations
// were stated of them and why. The e-graph itself forgets terms, since its nodes stand for classes;
// explanation.h finds afterwards what of this makes two terms equal. (Recording a proof forest while
// rebuilding, as egg does, was tried: its steps are between classes, and no one can check those.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "egraph/ids.h"

namespace isomer::egraph {

/// Why a union was made. Rule numbers belong to the caller.
struct Justification {
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  static constexpr uint32_t kCongruence = 0xFFFFFFFEu;
  uint32_t rule = kNone;
  uint32_t record = kNone;  ///< Derivation::bind: what the rule was applied to
  bool operator==(const Justification&) const = default;
};

class Derivation {
 public:
  /// The terms that two nodes were created as are equal; or, by a rule, its sides under the bindings.
  struct Equation {
    NodeId a, b;
    Justification why;
  };

  void add_node(std::span<const ClassId> children);
  /// Congruence follows by itself and is not stated.
  void state(NodeId a, NodeId b, Justification why) {
    if (why.rule != Justification::kCongruence) equations_.push_back({a, b, why});
  }
  /// Keeps the classes that a rule's variables stand for, each named by a node; returns the record's number.
  uint32_t bind(std::span<const uint32_t> bindings);

  size_t nodes() const { return first_.size() - 1; }
  /// The children a node was created with, each the node that its class was called by.
  std::span<const ClassId> children(NodeId n) const {
    return {children_.data() + first_[n.index()], first_[n.index() + 1] - first_[n.index()]};
  }
  std::span<const Equation> equations() const { return equations_; }
  std::span<const uint32_t> bindings(uint32_t record) const {
    return {bindings_.data() + record_[record], record_[record + 1] - record_[record]};
  }

 private:
  std::vector<uint32_t> first_{0};
  std::vector<ClassId> children_;
  std::vector<Equation> equations_;
  std::vector<uint32_t> record_{0}, bindings_;
};

}  // namespace isomer::egraph
