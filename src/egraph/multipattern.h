// Multi-pattern rules (Yang et al., TENSAT, MLSys 2021): several left sides, each matched in a class of its
// own, that agree on shared variables. TENSAT tries all pairs of matches in nested loops; here the matches
// are joined by hashing on the shared variables, and each distinct left side (up to names) is searched once
// however many rules have it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "egraph/ematch.h"
#include "support/hash.h"

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
  /// For each binding of that pattern, class variables first, its place in the joint bindings.
  std::span<const uint32_t> places(size_t part) const { return parts_[part].place; }

  /// Memory of joins, for the next one.
  class Scratch {
    friend class MultiPattern;
    struct Entry {
      uint64_t hash;  // of what a match shares with the parts before
      uint32_t match;
      auto operator<=>(const Entry&) const = default;
    };
    std::vector<std::vector<Entry>> index_;  // by part; of the first one none
    std::vector<ClassId> roots_;
    std::vector<uint32_t> chosen_, joint_;
  };

  /// Joins what the search of the set found, in an order that depends on nothing else: visit(root class of
  /// each part, joint substitution, for each part the number of its match), all valid during the call only,
  /// until it returns false. Before, `wanted` may say that a joint match is not worth a visit:
  /// wanted.earlier(numbers of the matches of all parts but the last), then wanted.last(number) for matches
  /// of the last part, whether they join or not. False if `visit` stopped it.
  template <class Wanted, class Visit>
  bool join(std::span<const Matches> found, Scratch& scratch, Wanted&& wanted, Visit&& visit) const {
    return !begin(found, scratch) || take(found, scratch, 0, 0, wanted, visit);
  }

  /// All joint matches are wanted.
  struct All {
    void earlier(std::span<const uint32_t>) const {}
    bool last(uint32_t) const { return true; }
  };

  /// The same for who does not need all of that.
  using Visit = std::function<bool(std::span<const ClassId> roots, const Subst& subst)>;
  bool join(std::span<const Matches> found, const Visit& visit) const;

 private:
  struct Part {
    uint32_t program;
    // For each binding of the set's pattern (class variables, then attributes): its place in the joint
    // bindings.
    std::vector<uint32_t> place;
    std::vector<uint32_t> shared;  // positions among `place` that earlier parts bind
    int same_as = -1;              // the last earlier part with the same program, when pairs are unordered
  };
  /// False: a left side has no match.
  bool begin(std::span<const Matches> found, Scratch& scratch) const;
  /// Goes on from a part, whose matches are tried from `first` on.
  template <class Wanted, class Visit>
  bool take(std::span<const Matches> found, Scratch& s, size_t p, uint32_t first, Wanted& wanted,
            Visit& visit) const {
    const Part& part = parts_[p];
    const Matches& matches = found[part.program];
    const std::span<const ClassId> above(s.roots_.data(), p);
    const bool last = p + 1 == parts_.size();
    if (last) wanted.earlier(std::span<const uint32_t>(s.chosen_.data(), p));
    // A deeper part only writes places that this one does not share, so `joint` stays good for the next one.
    const auto one = [&](uint32_t m) {
      if (last && !wanted.last(m)) return true;
      const ClassId root = matches.root(m);
      if (options_.distinct_roots && std::ranges::find(above, root) != above.end()) return true;
      const Subst match = matches.subst(m);
      for (uint32_t i : part.shared)
        if (match.values[i] != s.joint_[part.place[i]]) return true;
      s.roots_[p] = root;
      s.chosen_[p] = m;
      for (size_t i = 0; i < part.place.size(); ++i) s.joint_[part.place[i]] = match.values[i];
      if (last)
        return visit(std::span<const ClassId>(s.roots_), Subst{s.joint_, class_variables_},
                     std::span<const uint32_t>(s.chosen_));
      const int same = parts_[p + 1].same_as;
      return take(found, s, p + 1, same < 0 ? 0 : s.chosen_[static_cast<size_t>(same)] + 1, wanted, visit);
    };
    if (p == 0) {
      for (uint32_t m = 0; m < matches.size(); ++m)
        if (!one(m)) return false;
      return true;
    }
    uint64_t hash = 0;
    for (uint32_t i : part.shared) hash = hash_combine(hash, s.joint_[part.place[i]]);
    const auto& index = s.index_[p];
    for (auto e = std::ranges::lower_bound(index, Scratch::Entry{hash, first});
         e != index.end() && e->hash == hash; ++e)
      if (!one(e->match)) return false;
    return true;
  }

  std::vector<Part> parts_;
  uint32_t class_variables_ = 0;
  uint32_t attr_variables_ = 0;
  MultiPatternOptions options_;
};

}  // namespace isomer::egraph
