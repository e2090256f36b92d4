// What a match of a rule would put in place depends on attributes and facts alone, which many matches have
// alike: it is worked out once for all e-graphs of a problem (its recipe: payloads, facts, and prices of the
// right sides' nodes), and looked up afterwards by numbers. A match of a left side has a *kind*, the number
// of what it has of both; kinds of a rule's left sides, one after the other, lead through rows to the recipe.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "problems/rule_matcher.h"
#include "rewrite/right_sides.h"
#include "support/sequences.h"

namespace isomer::problems {

class RightSideMemo {
 public:
  RightSideMemo(rewrite::TensorAnalysis& analysis, const RuleMatcher& matcher);

  static constexpr uint32_t kUnknown = 0xFFFFFFFFu;
  static constexpr uint32_t kRefused = 0xFFFFFFFEu;

  // ---- the matches of one rule ----
  /// The matcher has searched for `rule`. `g` is read when kinds are asked for: `look_at` says where it went.
  void begin(uint32_t rule, const rewrite::EGraph& g);
  void look_at(const rewrite::EGraph& g) { graph_ = &g; }
  /// Facts of classes have changed: kinds are found anew.
  void forget();
  /// The matches of all left sides but the last, which the questions below are about.
  void earlier(std::span<const uint32_t> matches);
  /// A recipe, kRefused, or kUnknown, for them and a match of the last left side.
  uint32_t known(uint32_t match) {
    const uint32_t kind = kind_of(*last_, match);
    if (kind < cells_.size()) return cells_[kind];
    return rare_ || kind >= kLongest ? *cell(match) : kUnknown;
  }
  /// The same of all at once: a bit for each match of the last left side (64 to a word), set where the recipe
  /// is unknown, and where there is one; neither where it is known to be refused. Good until the next call of
  /// this or `begin`, `forget`; a recipe that was found since may still stand as unknown.
  struct Outlook {
    std::span<const uint64_t> unknown, there;
  };
  Outlook outlook();
  /// The same, worked out where it is unknown: from the joint substitution.
  uint32_t recipe(uint32_t match, std::span<const egraph::ClassId> roots, const egraph::Subst& subst);

  // ---- recipes ----
  /// Of a node of the right sides, by its number in the rule; not of variables.
  struct Node {
    uint32_t payload = 0;
    uint32_t price = kUnknown;  ///< for the caller to number prices
    rewrite::TensorFacts facts;
  };
  /// By its number among those of all recipes: the recipe's, and its own.
  Node& node(uint32_t number) { return nodes_[number]; }

 private:
  static constexpr uint32_t kLongest = 2048;  ///< of a row
  struct Left {
    uint32_t number = 0;
    uint32_t kinds = 0;
    std::vector<uint32_t> of_match;  ///< of this step, by match; kUnknown until asked for
  };
  uint32_t kind_of(Left& left, uint32_t match) {
    uint32_t& kind = left.of_match[match];
    return kind != kUnknown ? kind : kind = find_kind(left, match);
  }
  uint32_t find_kind(Left& left, uint32_t match);
  void find_row();
  uint32_t* cell(uint32_t match);

  const RuleMatcher& matcher_;
  rewrite::RightSides right_sides_;
  Sequences facts_;              ///< left side, attributes, facts of variables and root
  std::vector<uint32_t> kinds_;  ///< by number in `facts_`: the number among those of its left side
  std::vector<Left> lefts_;
  /// A row by rule; in a row, by the kind of a part, the row of the next part, or the recipe.
  std::vector<std::vector<uint32_t>> rows_;
  Sequences rare_facts_;  ///< rule, kinds of each part: where rows would be too long
  std::vector<uint32_t> rare_recipes_;
  std::vector<Node> nodes_;

  const rewrite::EGraph* graph_ = nullptr;
  uint32_t rule_ = 0;
  std::vector<uint32_t> earlier_;
  uint32_t row_ = 0;
  bool rare_ = false;
  std::span<const uint32_t> cells_;
  Left* last_ = nullptr;
  std::vector<uint64_t> outlooks_;  ///< two sets of bits each
  struct Seen {
    uint64_t round = 0;
    size_t begin = 0;
  };
  std::vector<Seen> seen_;  ///< by row: in which round, and where in `outlooks_`
  uint64_t round_ = 0;
  std::vector<uint32_t> words_, kinds_of_parts_;
};

}  // namespace isomer::problems
