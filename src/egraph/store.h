// The part of the e-graph that knows nothing of the analysis: e-nodes, classes, hashcons, congruence, the
// index that matching reads. A few flat arrays of 32-bit numbers: a copy of an e-graph is a few memcpys.
//
// Words. A *node* has an operator, a payload and children; both numbers are opaque here. A node is *dead*
// once it has become congruent to another node, which stands for it; ids of dead nodes stay valid for find().
// A node is *filtered* when a client (cycle filtering) has put it on the filter list: matching and extraction
// pass over it, congruence does not. A store is *clean* after rebuild() until the next add or union; children
// are canonical and the index is valid only then. A node is *fresh* if it is new, has moved to another class,
// has another child class, or stands where the analysis learnt something, since clear_fresh(): whatever
// matches now and did not match then has a fresh node in it.
//
// There are no parent lists. A rebuild finds the nodes whose children were merged by one pass over all
// children; only if that goes on (congruence forces unions that force unions) it makes a ParentIndex.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "egraph/derivation.h"
#include "egraph/hashcons.h"
#include "egraph/ids.h"
#include "egraph/parent_index.h"

namespace isomer::egraph {

class Store {
 public:
  /// Ids given so far: valid NodeIds (and ClassIds) are 0 .. slots() - 1, dead ones included.
  size_t slots() const { return union_find_.size(); }
  /// E-nodes that are not dead (filtered ones count).
  size_t live_nodes() const { return table_.size(); }
  size_t live_classes() const { return classes_; }
  size_t filtered_nodes() const { return filtered_; }
  /// Entries of the hashcons: equals live_nodes(), since entries of dead nodes are removed.
  size_t hashcons_size() const { return table_.size(); }
  /// Bytes held, children (4 each) included, the derivation not.
  size_t memory_bytes() const;
  /// Gives back what growing vectors hold in reserve and the children of dead nodes. The store must be clean.
  void trim();
  /// Room for so many nodes in all, of two or three children each.
  void reserve(size_t nodes);

  uint32_t op(NodeId n) const { return nodes_[n.index()].op; }
  uint32_t payload(NodeId n) const { return nodes_[n.index()].payload; }
  /// Children in order. Canonical when the store is clean, else up to find().
  std::span<const ClassId> children(NodeId n) const {
    const uint32_t first = nodes_[n.index()].first;
    return {child_.data() + first, nodes_[n.index() + 1].first - first};
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
  /// The same where the children are canonical already.
  NodeId lookup_canonical(uint32_t op, uint32_t payload, std::span<const ClassId> children) const {
    return table_.find(Hashcons::hash(op, payload, children),
                       [&](NodeId n) { return stored_as(n, op, payload, children); });
  }

  /// Calls f(ClassId) for every canonical class, in order of ids.
  template <class F>
  void for_each_class(F&& f) const {
    for (uint32_t c = 0; c < union_find_.size(); ++c) {
      if (union_find_[c] == c) f(ClassId(c));
    }
  }

  /// From now on members of classes can be listed at any time, at four bytes a node.
  void track_members(bool on);
  /// Calls f(NodeId) for the live nodes of a class, now. The store must be clean or track members.
  template <class F>
  void for_each_node(ClassId c, F&& f) const {
    const uint32_t start = find(c).v;
    if (clean_) {
      for (NodeId n : nodes_in(ClassId(start))) f(n);
      return;
    }
    uint32_t member = start;
    do {
      // Ids of the last rebuild stand for what was in their class then, later ones for themselves.
      if (member + 1 >= class_begin_.size()) {
        if (!dead(NodeId(member))) f(NodeId(member));
      } else {
        for (NodeId n : nodes_in(ClassId(member)))
          if (!dead(n)) f(n);
      }
      member = group_[member];
    } while (member != start);
  }

  /// Puts a node on the filter list (dead nodes are ignored). When two congruent nodes become one, it is
  /// filtered only if both were.
  void filter(NodeId n);
  void unfilter(NodeId n);

  bool clean() const { return clean_; }

  /// Live nodes of a canonical class, ordered by operator, then by id; filtered nodes are among them. Only of
  /// a clean store.
  std::span<const NodeId> nodes_in(ClassId c) const {
    return {by_class_.data() + class_begin_[c.index()],
            class_begin_[c.index() + 1] - class_begin_[c.index()]};
  }
  /// Of these, those with an operator.
  std::span<const NodeId> nodes_in(ClassId c, uint32_t op) const;
  /// All live nodes with an operator, ordered by class id; found by a walk over all nodes.
  std::vector<NodeId> nodes_with_op(uint32_t op) const;
  /// Canonical class of a node of a clean store (or of one whose paths are short), without walking.
  ClassId clean_class_of(NodeId n) const { return ClassId(union_find_[n.index()]); }

  bool fresh(NodeId n) const { return (flags_[n.index()] & kFresh) != 0; }
  void clear_fresh();

  /// Records from now on which nodes are created and why unions are made; to be called before the first node
  /// is added.
  void record_derivation();
  /// Null unless record_derivation() was called.
  const Derivation* derivation() const { return derivation_ ? &*derivation_ : nullptr; }
  /// Keeps what a rule was applied to, for the justification of its union; kNone if nothing is recorded.
  uint32_t bind(std::span<const uint32_t> bindings) {
    return derivation_ ? derivation_->bind(bindings) : Justification::kNone;
  }

  /// Congruence closed, hashcons exact, lists and index complete: an empty string, or what is broken. Slow;
  /// for tests and debugging; the store must be clean.
  std::string check_invariants() const;

 protected:
  enum Flags : uint8_t { kDead = 1, kFiltered = 2, kQueued = 4, kAnalysisQueued = 8, kFresh = 16 };

  struct Inserted {
    NodeId node;
    bool is_new;
  };
  /// Finds or creates a node; a new node is a class of its own, or in class `home` if that is valid.
  Inserted insert(uint32_t op, uint32_t payload, std::span<const ClassId> children, ClassId home = {});

  struct Link {
    ClassId winner;
    ClassId loser;
  };
  /// Which of two different canonical classes would absorb the other: the one with more nodes at the last
  /// rebuild.
  Link order(ClassId a, ClassId b) const;
  /// Merges two canonical classes.
  void link(Link classes);

  /// The analysis learnt something of a class: at the rebuild its parents are to be looked at again.
  void note_learnt(ClassId c);
  /// Nodes to be looked at because of note_learnt(); an invalid id if there is none left.
  NodeId next_to_analyse();

  /// Takes nodes with merged children until one turns out congruent to another: returns both, or an invalid
  /// pair when congruence is closed. The second of the pair has died.
  struct Congruent {
    NodeId kept;
    NodeId died;
  };
  Congruent repair();
  /// Path compression, index. Congruence must be closed.
  void finish_rebuild();
  /// Drops what only a rebuild needs.
  void end_repair();
  ClassId find_compress(ClassId c) {
    while (union_find_[c.index()] != c.v) {
      union_find_[c.index()] = union_find_[union_find_[c.index()]];
      c = ClassId(union_find_[c.index()]);
    }
    return c;
  }

  /// Renumbers: dead nodes lose their ids, classes are named by their first live node. Returns, by old id,
  /// what the class that it stood for is called now. The store must be clean and record no derivation.
  std::vector<ClassId> compact();

  std::optional<Derivation> derivation_;

 private:
  struct Node {
    uint32_t op;
    uint32_t payload;
    uint32_t first;  // into child_; the children end where those of the next node begin
  };
  bool stored_as(NodeId n, uint32_t op, uint32_t payload, std::span<const ClassId> children) const {
    const Node& node = nodes_[n.index()];
    if (node.op != op || node.payload != payload) return false;
    const uint32_t arity = nodes_[n.index() + 1].first - node.first;
    if (arity != children.size()) return false;
    for (uint32_t i = 0; i < arity; ++i) {
      if (child_[node.first + i] != children[i]) return false;
    }
    return true;
  }
  uint64_t stored_hash(NodeId n) const { return Hashcons::hash(op(n), payload(n), children(n)); }
  void rehash(size_t entries);
  void touch(ClassId clean_class);
  void queue_by_scan();
  void build_parents();
  void reset_groups();
  void queue_parents(ClassId c, std::vector<NodeId>& queue, Flags flag);

  std::vector<Node> nodes_{{0, 0, 0}};  // by node, and one more
  std::vector<uint8_t> flags_;          // by node
  std::vector<uint32_t> union_find_;    // by class (= by node)
  std::vector<ClassId> child_;
  Hashcons table_;
  size_t classes_ = 0;
  size_t filtered_ = 0;
  bool clean_ = true;

  std::vector<NodeId> by_class_;
  std::vector<uint32_t> class_begin_{0};

  // Between rebuilds.
  bool merged_ = false;          // there were unions that no scan has seen
  uint32_t scans_ = 0;           // of this rebuild
  std::vector<NodeId> queue_;    // nodes whose children may have lost canonicity
  std::vector<ClassId> learnt_;  // by note_learnt(), while there is no parents_
  std::vector<NodeId> analyse_;  // nodes for next_to_analyse()
  std::optional<ParentIndex> parents_;
  bool track_members_ = false;
  // Circular lists of the ids merged since parents_ was made, or since the last rebuild if members are
  // tracked.
  std::vector<uint32_t> group_;
};

}  // namespace isomer::egraph
