// Equality saturation of tensor programs (Yang et al., TENSAT, MLSys 2021, algorithm 1): in each of the first
// k iterations a multi-pattern step, then, in every iteration, all single-pattern rules: search, apply,
// rebuild. Ours joins the matches of multi-patterns on their shared variables, and checks types with its own
// operator table.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "egraph/cycles.h"
#include "egraph/search_schedule.h"
#include "rewrite/grouping.h"
#include "rewrite/rule_apply.h"
#include "support/limits.h"

namespace isomer::rewrite {

using egraph::CycleMode;

struct SaturateOptions {
  Limits limits;  ///< nodes: live e-nodes, or TENSAT's count; looked at between rules
  egraph::SchedulerOptions scheduler{egraph::SchedulerKind::kBackoff, 1000, 5};
  uint32_t k_multi = 1;           ///< iterations that have a multi-pattern step
  size_t node_multi = 3'000'000;  ///< e-nodes that one multi-pattern step may add
  CycleMode cycles = CycleMode::kEfficient;
  bool limit_by_tensat_count = false;
  bool allow_unstable = false;  ///< rules of stability class `unstable`
  /// Operators that share an operand are joined, all at once (grouping.h): at the beginning, and when
  /// iteration 3 is reached or nothing else changes.
  bool grouping = false;
  unsigned threads = 1;     ///< of the search; the result does not depend on it
  bool incremental = true;  ///< later searches look only at what changed
  /// Called after each iteration; return false to stop there.
  std::function<bool(uint64_t iteration, size_t e_nodes, size_t e_classes)> progress;
};

struct RuleStatistics {
  uint64_t matches = 0;
  uint64_t applied = 0;     ///< changed the e-graph
  uint64_t conditions = 0;  ///< refused by a condition or an attribute without a value
  uint64_t ill_typed = 0;   ///< refused by the shape check
  uint64_t not_finite = 0;  ///< refused for what could overflow (float_range.h)
  uint64_t cyclic = 0;      ///< refused by the cycle filter
  uint32_t bans = 0;
  double apply_seconds = 0;
};

struct SaturateReport {
  StopReason stop_reason = StopReason::kRunning;
  uint64_t iterations = 0;
  size_t e_nodes = 0;  ///< live; of these `filtered` are on the filter list
  size_t e_classes = 0;
  size_t hashcons_size = 0;
  size_t memory_bytes = 0;
  size_t filtered = 0;
  size_t tensat_nodes = 0;  ///< by TENSAT's counting
  uint64_t matches = 0;
  uint64_t matches_applied = 0;
  uint64_t contradictions = 0;         ///< type contradictions met: 0 unless a rule is wrong
  std::vector<size_t> added_by_multi;  ///< per multi-pattern step
  double search_seconds = 0;           ///< CPU seconds of the calling thread, as all below
  double apply_seconds = 0;
  double multi_seconds = 0;
  double group_seconds = 0;
  double rebuild_seconds = 0;
  double cycle_seconds = 0;
  double cpu_seconds = 0;
  std::vector<RuleStatistics> rules;  ///< by source: the rule set's, then those that were made (groups)
};

/// A rule set at work on one program. The program and the rules must outlive it.
class Saturation {
 public:
  Saturation(TensorEGraph& program, const RuleSet& rules);

  /// May be called again, with more limits; the e-graph is left clean.
  SaturateReport run(const SaturateOptions& options);

  TensorEGraph& program() { return program_; }
  const TensorEGraph& program() const { return program_; }
  const RuleSet& rules() const { return rules_; }
  /// Sources are the rules of the set, by number, then those that were made for groups.
  const Alternatives& alternatives() const { return alternatives_; }
  /// For those who have alternatives of their own, or apply rules one by one (problems/build_egraph.h).
  Alternatives& alternatives() { return alternatives_; }

 private:
  struct Single {
    uint32_t rule;
    egraph::PatternSet::Use left;
  };
  struct Multi {
    uint32_t rule;
    egraph::MultiPattern pattern;
  };
  std::span<const egraph::ClassId> classes_used(const CompiledRule& rule, const egraph::Subst& subst);
  void add_rule(const Rule& rule);
  void count(uint32_t rule, Applied outcome, SaturateReport& report) const;
  uint32_t group_rule_number(GroupKind kind, size_t members);
  bool group_step(const SaturateOptions& options, SaturateReport& report);
  bool multi_step(const SaturateOptions& options, LimitWatch& watch, SaturateReport& report);
  bool apply_singles(const egraph::MatchResult& found, const std::vector<bool>& apply,
                     const SaturateOptions& options, LimitWatch& watch, SaturateReport& report);

  TensorEGraph& program_;
  const RuleSet& rules_;
  std::deque<Rule> made_;  ///< rules for groups
  std::map<std::pair<GroupKind, size_t>, uint32_t> group_rules_;
  GroupOptions groups_;
  std::deque<CompiledRule> compiled_;  ///< the set's by number, then of groups; stay where they are
  std::deque<RuleSource> sources_;
  std::vector<Single> singles_;
  egraph::PatternSet single_patterns_;
  egraph::PatternSet patterns_;
  std::vector<Multi> multis_;
  Alternatives alternatives_;
  RuleApplier applier_;
  std::vector<egraph::ClassId> used_;  // of classes_used
};

}  // namespace isomer::rewrite
