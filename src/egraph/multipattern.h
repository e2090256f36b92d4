// Multi-pattern rules (Yang et al., TENSAT, MLSys 2021): several left sides, each matched in a class of its
// own, that agree on shared variables. TENSAT tries all pairs of matches in nested loops; here the matches
// are joined by hashing on the shared variables, and each distinct left side (up to names) is searched once
// however many rules have it.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "egraph/ematch.h"

namespace isomer::egraph {

/// Left sides of many rules, each distinct one (up to renaming) compiled and searched once.
class PatternSet {
 public:
  /// How a pattern that was added is seen in the set.
  struct Use {
    uint32_t program;                      ///< number of the distinct pattern
    std::vector<uint32_t> class_variable;  ///< canonical variable -> the pattern's own
    std::vector<uint32_t> attr_variable;
  };
  Use add(const Pattern& pattern);

  size_t size() const { return tree_.size(); }
  const CodeTree& tree() const { return tree_; }
  const Pattern& pattern(size_t i) const { return patterns_[i]; }

 private:
  std::vector<Pattern> patterns_;
  CodeTree tree_;
};

struct MultiPatternOptions {
  /// Where two left sides are the same pattern up to renaming, pairs are taken as unordered: only match i
  /// before match j. As in TENSAT for learned rules.
  bool unordered_if_same = true;
  /// No two left sides may match in the same class.
  bool distinct_roots = true;
};

/// The left sides of one multi-pattern rule.
class MultiPattern {
 public:
  /// Registers the left sides in `set`. All share one variable numbering.
  MultiPattern(std::span<const Pattern> left_sides, PatternSet& set, MultiPatternOptions options = {});

  size_t parts() const { return parts_.size(); }
  uint32_t class_variables() const { return class_variables_; }
  uint32_t attr_variables() const { return attr_variables_; }
  /// The distinct pattern of a part, as numbered in the set.
  uint32_t program(size_t part) const { return parts_[part].program; }

  /// Called with the root class of each part and the joint substitution; both are valid during the call only.
  /// Return false to stop.
  using Visit = std::function<bool(std::span<const ClassId> roots, const Subst& subst)>;

  /// Joins what the search of the set found. Deterministic order. False if `visit` stopped it.
  bool join(const std::vector<Matches>& found, const Visit& visit) const;

 private:
  struct Part {
    uint32_t program;
    // For each binding of the set's pattern (class variables, then attributes): its place in the joint
    // bindings.
    std::vector<uint32_t> place;
    std::vector<uint32_t> shared;  // positions among `place` that earlier parts bind
    int same_as = -1;              // the last earlier part with the same program, when pairs are unordered
  };
  std::vector<Part> parts_;
  uint32_t class_variables_ = 0;
  uint32_t attr_variables_ = 0;
  MultiPatternOptions options_;
};

}  // namespace isomer::egraph
