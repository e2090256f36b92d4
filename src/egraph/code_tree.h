// E-matching of many patterns at once: their programs are merged where they begin alike into one tree of
// instructions (the code trees of de Moura and Bjorner, Efficient E-matching for SMT solvers, 2007), so what
// patterns share is matched once. Searching is incremental (semi-naive): what matches now and did not match
// when the caller last cleared the fresh marks has a fresh node in it, so a pattern in mode kFresh visits
// only roots that have one within its depth, leaves every branch that cannot meet one, and yields only
// matches that did. De Moura and Bjorner find such roots by inverted paths; ours takes the distance of each
// class to the nearest fresh node below it, found in as many passes as patterns are deep, which needs no
// parent lists.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "egraph/program.h"
#include "egraph/store.h"

namespace isomer::egraph {

enum class SearchMode : uint8_t {
  kOff,
  kFresh,  ///< only matches with a fresh node
  kFull,
};

class CodeTree {
 public:
  /// Adds a pattern; the numbers of patterns count from 0. Equal patterns are better added once.
  uint32_t add(const Pattern& pattern, uint32_t class_variables = 0, uint32_t attr_variables = 0);
  size_t size() const { return programs_.size(); }
  const Program& program(size_t pattern) const { return programs_[pattern]; }

 private:
  friend class Search;
  template <class Sink>
  friend class TreeWalk;
  static constexpr uint32_t kNone = 0xFFFFFFFFu;

  // A subterm that is still to be found in the class of a register: whether it may hold a fresh node.
  struct Pending {
    uint32_t reg;
    uint32_t depth;
  };
  struct Step {
    uint32_t next = kNone;   // sibling
    uint32_t child = kNone;  // first
    uint64_t needs = 0;      // kBind: bit of the operator that its class must have; else none
    Instruction in;
    std::vector<uint32_t> yields;
    std::vector<Pending> pending;  // once this step is done, of all programs below it
  };

  // One bit for an operator below roots, shared where there are more than 64.
  uint64_t bit(uint32_t op) const { return op < bit_of_op_.size() ? bit_of_op_[op] : 0; }

  std::vector<Step> steps_;
  std::vector<uint64_t> bit_of_op_;
  uint32_t bits_ = 0;
  std::vector<uint32_t> first_by_op_;  // first root step with an operator, or kNone
  std::vector<uint32_t> bare_;         // patterns without a root operator: variables, ground terms
  std::vector<Program> programs_;
  std::vector<GroundTerm> ground_;
  std::vector<std::vector<uint32_t>> ground_of_;  // per pattern: the ground terms it compares with
  uint32_t registers_ = 1;
  uint32_t attr_registers_ = 0;
};

/// What one search of a clean store needs to know before it walks: which steps are wanted, the ground terms,
/// the distances to fresh nodes. Threads share it.
class Search {
 public:
  /// `modes`: one for each pattern of the tree. `language` may be null if no pattern looks at attributes.
  /// `whole`: many roots will be walked, so that passes over the store pay.
  Search(const Store& store, const Language* language, const CodeTree& tree, std::vector<SearchMode> modes,
         bool whole = true);
  /// The same search of another clean store, without new memory; walks made before must restart().
  void look_at(const Store& store);

  /// Calls sink(pattern, class registers, attribute registers) for each match whose root node is in
  /// [first, last) (for bare patterns: whose root class id is). A sink that returns false stops its pattern
  /// in this walk. Thread-safe on a store that nobody changes. The order of the matches is that of root
  /// nodes, then that of the tree.
  template <class Sink>
  void walk(NodeId first, NodeId last, Sink& sink) const;
  template <class Sink>
  void walk_class(ClassId root, Sink& sink) const;

 private:
  template <class Sink>
  friend class TreeWalk;
  void measure_distances(uint32_t depth);
  void collect_operators();

  const Store* store_ = nullptr;
  const Language* language_;
  const CodeTree& tree_;
  std::vector<SearchMode> asked_;
  bool whole_;
  std::vector<SearchMode> modes_;      // of these, what may match
  std::vector<SearchMode> step_mode_;  // the greatest of the patterns below
  std::vector<ClassId> ground_;        // invalid where the store does not have the term
  std::vector<uint8_t> distance_;      // by class; empty: not known, assume 0
  std::vector<uint64_t> operators_;    // by class: bits of its nodes' operators; empty: not known
};

template <class Sink>
class TreeWalk {
 public:
  TreeWalk(const Search& search, Sink& sink)
      : s_(search), store_(search.store_), tree_(search.tree_), sink_(sink), stopped_(tree_.size(), false) {
    registers_.resize(tree_.registers_);
    attrs_.resize(std::max<size_t>(1, tree_.attr_registers_));
  }
  /// As new, where the search looks now.
  void restart() {
    store_ = s_.store_;
    stopped_.assign(stopped_.size(), false);
  }

  void root(NodeId n) {
    const uint32_t op = store_->op(n);
    if (op >= tree_.first_by_op_.size()) return;
    uint32_t t = tree_.first_by_op_[op];
    if (t == CodeTree::kNone || !store_->usable(n)) return;
    registers_[0] = store_->clean_class_of(n);
    for (; t != CodeTree::kNone; t = tree_.steps_[t].next) {
      if (s_.step_mode_[t] == SearchMode::kOff) continue;
      const CodeTree::Step& step = tree_.steps_[t];
      if (s_.step_mode_[t] == SearchMode::kFresh && !s_.distance_.empty() &&
          s_.distance_[registers_[0].index()] >= step.in.depth)
        continue;
      bind(step, n);
    }
  }

  void bare(ClassId c) {
    for (uint32_t p : tree_.bare_) {
      if (s_.modes_[p] == SearchMode::kOff || stopped_[p]) continue;
      const Program& program = tree_.programs_[p];
      registers_[0] = c;
      if (program.code.empty() || s_.ground_[program.code[0].other] == c) yield(p);
    }
  }

 private:
  void bind(const CodeTree::Step& step, NodeId n) {
    const Instruction& in = step.in;
    if (in.payload != PatternNode::kAnyPayload && store_->payload(n) != in.payload) return;
    const std::span<const ClassId> children = store_->children(n);
    if (children.size() != in.arity) return;
    if (in.has_attrs && !check_attrs(in, store_->payload(n))) return;
    for (uint32_t k = 0; k < in.arity; ++k) registers_[in.other + k] = children[k];
    const uint32_t is_fresh = store_->fresh(n) ? 1 : 0;
    fresh_ += is_fresh;
    below(step);
    fresh_ -= is_fresh;
  }

  bool check_attrs(const Instruction& in, uint32_t payload) {
    const std::span<const uint32_t> slots = s_.language_->slots(payload);
    if (slots.size() != in.slots) return false;
    for (const AttrCheck& check : in.attrs) {
      const uint32_t value = slots[check.slot];
      switch (check.kind) {
        case AttrCheck::Kind::kLiteral:
          if (value != check.value) return false;
          break;
        case AttrCheck::Kind::kBind: attrs_[check.value] = value; break;
        case AttrCheck::Kind::kCompare:
          if (value != attrs_[check.value]) return false;
          break;
      }
    }
    return true;
  }

  void below(const CodeTree::Step& step) {
    for (uint32_t p : step.yields) {
      if (s_.modes_[p] == SearchMode::kFull || (s_.modes_[p] == SearchMode::kFresh && fresh_ > 0)) {
        if (!stopped_[p]) yield(p);
      }
    }
    if (step.child == CodeTree::kNone) return;
    const bool may_be_fresh = fresh_ > 0 || s_.distance_.empty() ||
                              std::any_of(step.pending.begin(), step.pending.end(), [&](const auto& p) {
                                return s_.distance_[registers_[p.reg].index()] < p.depth;
                              });
    for (uint32_t t = step.child; t != CodeTree::kNone; t = tree_.steps_[t].next) {
      const CodeTree::Step& child = tree_.steps_[t];
      if (child.needs != 0 && !s_.operators_.empty() &&
          (s_.operators_[registers_[child.in.reg].index()] & child.needs) == 0)
        continue;
      const SearchMode mode = s_.step_mode_[t];
      if (mode == SearchMode::kFull || (mode == SearchMode::kFresh && may_be_fresh)) run(child);
    }
  }

  void run(const CodeTree::Step& step) {
    const Instruction& in = step.in;
    switch (in.kind) {
      case Instruction::Kind::kBind:
        for (NodeId n : store_->nodes_in(registers_[in.reg], in.op)) {
          if (store_->usable(n)) bind(step, n);
        }
        return;
      case Instruction::Kind::kCompareClasses:
        if (registers_[in.reg] == registers_[in.other]) below(step);
        return;
      case Instruction::Kind::kCompareGround:
        if (registers_[in.reg] == s_.ground_[in.other]) below(step);
        return;
      case Instruction::Kind::kLookup: {
        std::array<ClassId, 16> children;
        for (uint32_t k = 0; k < in.arity; ++k) children[k] = registers_[in.operands[k]];
        const NodeId n = store_->lookup_canonical(in.op, in.payload, {children.data(), in.arity});
        if (!n.valid() || store_->filtered(n) || store_->clean_class_of(n) != registers_[in.reg]) return;
        const uint32_t is_fresh = store_->fresh(n) ? 1 : 0;
        fresh_ += is_fresh;
        below(step);
        fresh_ -= is_fresh;
        return;
      }
    }
  }

  void yield(uint32_t pattern) {
    if (!sink_(pattern, registers_.data(), attrs_.data())) stopped_[pattern] = true;
  }

  const Search& s_;
  const Store* store_;
  const CodeTree& tree_;
  Sink& sink_;
  std::vector<ClassId> registers_;
  std::vector<uint32_t> attrs_;
  std::vector<bool> stopped_;
  uint32_t fresh_ = 0;  // of the nodes bound now
};

template <class Sink>
void Search::walk(NodeId first, NodeId last, Sink& sink) const {
  TreeWalk<Sink> walk(*this, sink);
  for (uint32_t n = first.v; n < last.v; ++n) walk.root(NodeId(n));
  if (tree_.bare_.empty()) return;
  for (uint32_t c = first.v; c < last.v; ++c) {
    if (store_->is_canonical(ClassId(c))) walk.bare(ClassId(c));
  }
}

template <class Sink>
void Search::walk_class(ClassId root, Sink& sink) const {
  TreeWalk<Sink> walk(*this, sink);
  for (NodeId n : store_->nodes_in(root)) walk.root(n);
  walk.bare(root);
}

}  // namespace isomer::egraph
