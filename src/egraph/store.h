// The part of the e-graph that knows nothing of the analysis: e-nodes, classes, hashcons, congruence, the
// index that matching reads. Struct of arrays of 32-bit numbers: a copy of an e-graph is a few memcpys.
//
// Words. A *node* has an operator, a payload and children; both numbers are opaque here. A node is *dead*
// once it has become congruent to another node, which stands for it; ids of dead nodes stay valid for find().
// A node is *filtered* when a client (cycle filtering) has put it on the filter list: matching and extraction
// pass over it, congruence does not. A store is *clean* after rebuild() until the next add or union; children
// are canonical and the index is valid only then.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egraph/hashcons.h"
#include "egraph/ids.h"
#include "egraph/proof_forest.h"

namespace isomer::egraph {

class Store {
 public:
  /// Ids given so far: valid NodeIds (and ClassIds) are 0 .. slots() - 1, dead ones included.
  size_t slots() const { return op_.size(); }
  /// E-nodes that are not dead (filtered ones count).
  size_t live_nodes() const { return table_.size(); }
  size_t live_classes() const { return classes_; }
  size_t filtered_nodes() const { return filtered_; }
  /// Entries of the hashcons: equals live_nodes(), since entries of dead nodes are removed.
  size_t hashcons_size() const { return table_.size(); }
  size_t memory_bytes() const;

  uint32_t op(NodeId n) const { return op_[n.index()]; }
  uint32_t payload(NodeId n) const { return payload_[n.index()]; }
  /// Children in order. Canonical when the store is clean, else up to find().
  std::span<const ClassId> children(NodeId n) const {
    return {child_.data() + first_[n.index()], first_[n.index() + 1] - first_[n.index()]};
  }
  bool dead(NodeId n) const { return (flags_[n.index()] & kDead) != 0; }
  bool filtered(NodeId n) const { return (flags_[n.index()] & kFiltered) != 0; }
  /// Neither dead nor filtered.
  bool usable(NodeId n) const { return (flags_[n.index()] & (kDead | kFiltered)) == 0; }

  /// The canonical id of a class. Also accepts the class of a dead node.
  ClassId find(ClassId c) const {
    while (union_find_[c.index()] != c.v) c = ClassId(union_find_[c.index()]);
    return c;
  }
  ClassId class_of(NodeId n) const { return find(as_class(n)); }
  bool same(ClassId a, ClassId b) const { return find(a) == find(b); }
  bool is_canonical(ClassId c) const { return union_find_[c.index()] == c.v; }

  /// The live node with this operator, payload and children (any ids of their classes), or an invalid id.
  /// Exact when the store is clean.
  NodeId lookup(uint32_t op, uint32_t payload, std::span<const ClassId> children) const;

  /// Calls f(NodeId) for the live nodes of a class (filtered ones included), at any time.
  template <class F>
  void for_each_node(ClassId c, F&& f) const {
    const uint32_t start = find(c).v;
    uint32_t n = start;
    do {
      const uint32_t next = next_in_class_[n];
      if ((flags_[n] & kDead) == 0) f(NodeId(n));
      n = next;
    } while (n != start);
  }
  /// Calls f(NodeId) for the live nodes that have class c among their children, once for each such position.
  template <class F>
  void for_each_parent(ClassId c, F&& f) const {
    const uint32_t tail = parents_[find(c).index()];
    if (tail == kNone) return;
    uint32_t e = tail;
    do {
      e = next_parent_[e];
      if ((flags_[owner_[e]] & kDead) == 0) f(NodeId(owner_[e]));
    } while (e != tail);
  }
  /// Calls f(ClassId) for every canonical class, in order of ids.
  template <class F>
  void for_each_class(F&& f) const {
    for (uint32_t c = 0; c < union_find_.size(); ++c) {
      if (union_find_[c] == c) f(ClassId(c));
    }
  }

  /// Puts a node on the filter list (dead nodes are ignored). When two congruent nodes become one, it is
  /// filtered only if both were.
  void filter(NodeId n);
  void unfilter(NodeId n);

  bool clean() const { return clean_; }

  // The index; only of a clean store. Filtered nodes are in it: see usable().

  /// Live nodes with an operator, ordered by class id.
  std::span<const NodeId> nodes_with_op(uint32_t op) const {
    if (op + 1 >= op_begin_.size()) return {};
    return {by_op_.data() + op_begin_[op], op_begin_[op + 1] - op_begin_[op]};
  }
  /// Live nodes of a canonical class, ordered by operator, then by id.
  std::span<const NodeId> nodes_in(ClassId c) const {
    return {by_class_.data() + class_begin_[c.index()],
            class_begin_[c.index() + 1] - class_begin_[c.index()]};
  }
  /// Live nodes of a canonical class with an operator.
  std::span<const NodeId> nodes_in(ClassId c, uint32_t op) const;
  /// Canonical class of a node, without walking.
  ClassId clean_class_of(NodeId n) const { return ClassId(union_find_[n.index()]); }

  // Modification stamps, for incremental matching.

  /// Number of rebuilds that changed something.
  uint32_t clock() const { return clock_; }
  /// Clock of the rebuild that last gave the class a new node or merged it with another. (A node whose child
  /// class was merged with a third is not stamped: its child class is.)
  uint32_t stamp(ClassId c) const { return stamp_[find(c).index()]; }

  /// Records from now on why unions are made; to be called before the first node is added.
  void enable_proofs();
  /// Null unless enable_proofs() was called.
  const ProofForest* proofs() const { return proofs_ ? &*proofs_ : nullptr; }

  /// Congruence closed, hashcons exact, lists and index complete: an empty string, or what is broken. Slow;
  /// for tests and debugging; the store must be clean.
  std::string check_invariants() const;

 protected:
  static constexpr uint32_t kNone = 0xFFFFFFFFu;
  enum Flags : uint8_t { kDead = 1, kFiltered = 2, kQueued = 4, kAnalysisQueued = 8 };

  struct Inserted {
    NodeId node;
    bool is_new;
  };
  /// Finds or creates a node; a new node is a class of its own.
  Inserted insert(uint32_t op, uint32_t payload, std::span<const ClassId> children);

  struct Link {
    ClassId winner;
    ClassId loser;
  };
  /// Which of two different canonical classes would absorb the other: the one with more parents.
  Link order(ClassId a, ClassId b) const;
  /// Merges two canonical classes and queues the loser's parents for congruence repair.
  void link(Link classes);
  /// Appends the live parents of a canonical class to a queue, each once (by flag).
  void queue_parents(ClassId c, std::vector<NodeId>& queue, Flags flag);
  /// Takes queued nodes until one turns out congruent to another: returns both, or an invalid pair when the
  /// queue is empty. The second of the pair has died.
  struct Congruent {
    NodeId kept;
    NodeId died;
  };
  Congruent repair();
  void unqueue(NodeId n, Flags flag) { flags_[n.index()] &= static_cast<uint8_t>(~flag); }
  /// Makes the store unclean although nodes and classes are unchanged.
  void touch() { clean_ = false; }
  /// Path compression, purge of dead nodes, stamps, index.
  void finish_rebuild();
  uint32_t find_compress(uint32_t c) {
    while (union_find_[c] != c) {
      union_find_[c] = union_find_[union_find_[c]];
      c = union_find_[c];
    }
    return c;
  }

  std::optional<ProofForest> proofs_;

 private:
  bool stored_as(NodeId n, uint32_t op, uint32_t payload, std::span<const ClassId> children) const;
  void build_index();

  // By node.
  std::vector<uint32_t> op_;
  std::vector<uint32_t> payload_;
  std::vector<uint32_t> first_{0};  // into child_, one more than nodes
  std::vector<uint8_t> flags_;
  std::vector<uint32_t> next_in_class_;  // circular
  // By class (= by node).
  std::vector<uint32_t> stamp_;
  std::vector<uint32_t> union_find_;
  std::vector<uint32_t> parents_;  // last edge of a circular list of edges
  std::vector<uint32_t> parent_count_;
  // By edge (= position in the pool of children).
  std::vector<ClassId> child_;
  std::vector<uint32_t> owner_;
  std::vector<uint32_t> next_parent_;

  Hashcons table_;
  std::vector<NodeId> queue_;  // nodes whose children may have lost canonicity
  size_t classes_ = 0;
  size_t filtered_ = 0;
  bool some_died_ = false;  // since the last purge
  uint32_t clock_ = 0;
  bool clean_ = true;

  std::vector<NodeId> by_op_;
  std::vector<uint32_t> op_begin_;
  std::vector<NodeId> by_class_;
  std::vector<uint32_t> class_begin_{0};
};

}  // namespace isomer::egraph
