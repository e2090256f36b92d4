// E-matching by a small abstract machine, as in de Moura and Bjorner (2007) and egg: a pattern is compiled
// once to instructions over registers that hold classes. Ours runs over the store's index (nodes sorted by
// operator and by class), checks attributes while a node is bound, and looks ground terms up once per search.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "egraph/pattern.h"
#include "egraph/store.h"

namespace isomer::egraph {

/// Matches of one pattern in one flat array: the root's class, then the bindings.
class Matches {
 public:
  Matches() = default;
  Matches(uint32_t class_variables, uint32_t attr_variables)
      : class_variables_(class_variables), stride_(1 + class_variables + attr_variables) {}

  size_t size() const { return data_.size() / stride_; }
  bool empty() const { return data_.empty(); }
  ClassId root(size_t i) const { return ClassId(data_[i * stride_]); }
  Subst subst(size_t i) const {
    return {std::span(data_).subspan(i * stride_ + 1, stride_ - 1), class_variables_};
  }
  uint32_t class_variables() const { return class_variables_; }
  void clear() { data_.clear(); }
  void truncate(size_t matches) { data_.resize(matches * stride_); }
  /// Room for one more match; the caller fills root and bindings.
  std::span<uint32_t> append() {
    data_.resize(data_.size() + stride_);
    return std::span(data_).last(stride_);
  }

 private:
  std::vector<uint32_t> data_;
  uint32_t class_variables_ = 0;
  uint32_t stride_ = 1;
};

/// A compiled pattern.
class Program {
 public:
  Program() = default;
  /// `class_variables` and `attr_variables` give the width of the substitutions, where the pattern is one of
  /// several that share a numbering; 0 means the pattern's own.
  explicit Program(const Pattern& pattern, uint32_t class_variables = 0, uint32_t attr_variables = 0);

  Matches no_matches() const { return Matches(class_variables_, attr_variables_); }
  /// The root's operator; meaningless when root_is_variable().
  uint32_t root_op() const { return root_op_; }
  bool root_is_variable() const { return root_is_variable_; }
  /// Longest path from the root, in operators: how far below a root a change can make a new match.
  uint32_t depth() const { return depth_; }

 private:
  friend class Matcher;
  struct AttrCheck {
    enum class Kind : uint8_t { kLiteral, kBind, kCompare };
    Kind kind;
    uint32_t slot;
    uint32_t value;  // literal, or position in the bindings
  };
  struct Instruction {
    enum class Kind : uint8_t { kBind, kCompareClasses, kCompareGround, kLookup };
    Kind kind;
    uint32_t reg = 0;    // class to look at
    uint32_t other = 0;  // kBind: first register of the children; kCompareClasses: the other register;
                         // kCompareGround: number of the ground term; kLookup: first of lookup_registers_
    uint32_t op = 0;
    uint32_t payload = 0;  // or PatternNode::kAnyPayload
    uint32_t arity = 0;
    uint32_t slots = 0;       // number of slots wanted, if attrs are looked at
    uint32_t first_attr = 0;  // into attr_checks_
    uint32_t attr_count = 0;
    bool has_attrs = false;
  };
  struct GroundNode {
    uint32_t op;
    uint32_t payload;
    std::vector<uint32_t> children;  // earlier ground nodes
  };

  std::vector<Instruction> code_;
  std::vector<AttrCheck> attr_checks_;
  std::vector<uint32_t> lookup_registers_;
  std::vector<GroundNode> ground_;
  std::vector<uint32_t> output_;  // per class variable: its register, or kUnbound
  uint32_t registers_ = 1;
  uint32_t class_variables_ = 0;
  uint32_t attr_variables_ = 0;
  uint32_t root_op_ = 0;
  uint32_t depth_ = 0;
  bool root_is_variable_ = false;
};

/// Appends the matches of a program in a clean store, ordered by root operator's index, at most `max_matches`
/// new ones. Filtered nodes never take part. `language` may be null if no pattern looks at attribute slots.
/// Returns false if there were more matches than that. Thread-safe on a store that nobody changes.
bool match(const Store& store, const Language* language, const Program& program, Matches& out,
           size_t max_matches = std::numeric_limits<size_t>::max());

/// The same for one root class.
bool match_class(const Store& store, const Language* language, const Program& program, ClassId root,
                 Matches& out, size_t max_matches = std::numeric_limits<size_t>::max());

}  // namespace isomer::egraph
