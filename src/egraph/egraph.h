// The e-graph (Nelson 1980) as in egg (Willsey et al., POPL 2021): hash-consed e-nodes, union-find over
// classes, congruence restored in one deferred rebuild, an analysis value per class. Ours keeps all state in
// flat arrays of 32-bit numbers (store.h), dead duplicates leave the hashcons at once, a right side's root is
// created in the class that it is equal to (no class of its own, no union), and the analysis is a true
// join-semilattice: a rebuild's result does not depend on the order of unions.
//
//   EGraph<NoAnalysis> g(analysis);
//   ClassId a = g.add(op_a, 0, {});
//   g.unite(a, b);           // queues work
//   g.rebuild();             // now clean: match, extract, iterate
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <concepts>
#include <initializer_list>
#include <type_traits>

#include "egraph/store.h"

namespace isomer::egraph {

/// What an analysis must offer. `make` computes a node's value from those of its children (in order). `join`
/// combines what two equal terms know; it must be associative, commutative and idempotent, and `make`
/// monotone with respect to it. A contradiction is a value of its own (or a counter in the analysis object).
template <class A>
concept Analysis = requires(A& a, uint32_t op, uint32_t payload, std::span<const typename A::Data> children,
                            const typename A::Data& x) {
  requires std::is_trivially_copyable_v<typename A::Data>;
  requires std::equality_comparable<typename A::Data>;
  { a.make(op, payload, children) } -> std::same_as<typename A::Data>;
  { a.join(x, x) } -> std::same_as<typename A::Data>;
};

/// No facts at all.
struct NoAnalysis {
  struct Data {
    bool operator==(const Data&) const = default;
  };
  Data make(uint32_t, uint32_t, std::span<const Data>) { return {}; }
  Data join(Data, Data) { return {}; }
};

template <Analysis A>
class EGraph : public Store {
 public:
  using Data = typename A::Data;
  static constexpr bool kHasData = !std::is_empty_v<Data>;

  /// `analysis` must outlive the e-graph; copies of the e-graph share it.
  explicit EGraph(A& analysis) : analysis_(&analysis) {}
  /// A copy with another analysis, which must say the same.
  EGraph(const EGraph& other, A& analysis) : EGraph(other) { analysis_ = &analysis; }

  A& analysis() const { return *analysis_; }

  /// The node with these children (any ids of their classes), created if it is not there. Its class is
  /// class_of(result); a NodeId stays the name of this very term, which is what explanations are about.
  NodeId add_node(uint32_t op, uint32_t payload, std::span<const ClassId> children) {
    const Inserted inserted = insert(op, payload, children);
    if constexpr (kHasData) {
      if (inserted.is_new) data_.push_back(make(inserted.node));
    }
    return inserted.node;
  }
  /// The same for who knows what the analysis would say of it.
  NodeId add_node(uint32_t op, uint32_t payload, std::span<const ClassId> children, const Data& data) {
    const Inserted inserted = insert(op, payload, children);
    if constexpr (kHasData) {
      assert(data == make(op, payload, children));
      if (inserted.is_new) data_.push_back(data);
    }
    return inserted.node;
  }
  /// The same where the node is known to be equal to class `home`: a new node begins there. True if anything
  /// changed. `node` receives the node.
  bool add_equal(uint32_t op, uint32_t payload, std::span<const ClassId> children, ClassId home,
                 Justification why = {}, NodeId* node = nullptr) {
    const Inserted inserted = insert(op, payload, children, home);
    if (node != nullptr) *node = inserted.node;
    if (!inserted.is_new) return unite(home, as_class(inserted.node), why);
    if (derivation_) derivation_->state(as_node(home), inserted.node, why);
    if constexpr (kHasData) {
      data_.push_back(make(inserted.node));
      learn(find_compress(home), data_.back());
    }
    return true;
  }
  ClassId add(uint32_t op, uint32_t payload, std::span<const ClassId> children) {
    return class_of(add_node(op, payload, children));
  }
  ClassId add(uint32_t op, uint32_t payload, std::initializer_list<ClassId> children) {
    return add(op, payload, std::span<const ClassId>(children.begin(), children.size()));
  }

  /// States that a and b are equal. False if that was known. Congruence follows at the next rebuild().
  bool unite(ClassId a, ClassId b, Justification why = {}) {
    const ClassId root_a = find_compress(a);
    const ClassId root_b = find_compress(b);
    if (root_a == root_b) return false;
    if (derivation_) derivation_->state(as_node(a), as_node(b), why);
    const Link classes = order(root_a, root_b);
    if constexpr (kHasData) {
      const Data joined = analysis_->join(data_[classes.winner.index()], data_[classes.loser.index()]);
      if (!(joined == data_[classes.winner.index()])) note_learnt(classes.winner);
      if (!(joined == data_[classes.loser.index()])) note_learnt(classes.loser);
      data_[classes.winner.index()] = joined;
    }
    link(classes);
    return true;
  }

  /// Restores congruence and the analysis, and builds the index. Returns the number of unions that congruence
  /// forced.
  size_t rebuild() {
    if (clean()) return 0;
    const size_t forced = close();
    finish_rebuild();
    return forced;
  }
  /// The first half of that: afterwards terms that are equal by what was stated have one class, but the store
  /// is not clean. For those who add many terms after many unions.
  size_t close() {
    size_t forced = 0;
    for (;;) {
      const Congruent pair = repair();
      if (pair.kept.valid()) {
        forced += unite(as_class(pair.died), as_class(pair.kept),
                        {Justification::kCongruence, Justification::kNone});
        continue;
      }
      const NodeId n = next_to_analyse();
      if (!n.valid()) break;
      if constexpr (kHasData) learn(find_compress(as_class(n)), make(n));
    }
    end_repair();
    return forced;
  }

  /// Gives back the memory of dead nodes, 21 bytes each, which renumbers everything. Returns, by old id, what
  /// the class that it stood for is called now. Must be clean and record no derivation; analysis values must
  /// not hold ids.
  std::vector<ClassId> compact() {
    if constexpr (kHasData) {
      for (uint32_t n = 0; n < slots(); ++n) data_[n] = data_[clean_class_of(NodeId(n)).index()];
    }
    std::vector<ClassId> called = Store::compact();
    if constexpr (kHasData) {
      std::vector<Data> data(slots());
      for (size_t c = 0; c < called.size(); ++c) data[called[c].index()] = data_[c];
      data_ = std::move(data);
    }
    return called;
  }

  /// The analysis value of a class. Final for the class only when clean.
  const Data& data(ClassId c) const {
    if constexpr (kHasData) {
      return data_[find(c).index()];
    } else {
      static constexpr Data nothing{};
      return nothing;
    }
  }

  /// Joins a fact from outside into a class (an input's known range, say); it spreads at the next rebuild().
  void refine(ClassId c, const Data& fact) {
    if constexpr (kHasData) learn(find(c), fact);
  }

  /// What the analysis says of a node from its children's current values.
  Data make(NodeId n) const { return make(op(n), payload(n), children(n)); }
  Data make(uint32_t op, uint32_t payload, std::span<const ClassId> children) const {
    if constexpr (kHasData) {
      std::array<Data, 8> few;
      std::vector<Data> many;
      Data* values = few.data();
      if (children.size() > few.size()) {
        many.resize(children.size());
        values = many.data();
      }
      for (size_t i = 0; i < children.size(); ++i) values[i] = data_[find(children[i]).index()];
      return analysis_->make(op, payload, std::span<const Data>(values, children.size()));
    } else {
      return {};
    }
  }

  /// Store::check_invariants, and: each class's value is a fixed point of its nodes'.
  std::string check_invariants() const {
    std::string broken = Store::check_invariants();
    if constexpr (kHasData) {
      for (uint32_t n = 0; n < slots() && broken.empty(); ++n) {
        if (dead(NodeId(n))) continue;
        const Data& value = data(as_class(NodeId(n)));
        if (!(analysis_->join(value, make(NodeId(n))) == value)) {
          broken = "the analysis value of node " + std::to_string(n) + " has not reached its class";
        }
      }
    }
    return broken;
  }

 private:
  void learn(ClassId root, const Data& fact) {
    const Data joined = analysis_->join(data_[root.index()], fact);
    if (joined == data_[root.index()]) return;
    data_[root.index()] = joined;
    note_learnt(root);
  }

  A* analysis_;
  std::vector<Data> data_;  // by class; empty when Data is
};

}  // namespace isomer::egraph
