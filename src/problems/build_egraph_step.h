// Inner parts of problems/build_egraph.h: what is remembered for all states, what is found in one, and one
// step from a state to the next.
#pragma once

#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "egraph/order.h"
#include "problems/build_egraph.h"
#include "problems/closing_matches.h"
#include "problems/right_side_memo.h"
#include "support/sequences.h"

namespace isomer::problems {

/// What is found in an e-graph as it is, for all steps from it; each when it is asked for.
struct BuildEGraph::Lookups {
  std::optional<OperatorIndex> index;
  std::optional<egraph::ClassOrder> order;
};

/// What is worked out once, for all states.
struct BuildEGraph::Memo {
  Memo(ir::Context& ctx, rewrite::TensorAnalysis& analysis, const RuleMatcher& matcher, cost::CostModel& m,
       rewrite::PriceOptions prices)
      : right_sides(analysis, matcher),
        pricer(ctx, m, prices),
        asks_operands(m.asks_operands()),
        operands(ctx) {}

  RightSideMemo right_sides;
  rewrite::Pricer pricer;
  const bool asks_operands;  ///< of the cost model
  rewrite::OperandAnalysis operands;
  std::unordered_map<uint64_t, double> exact;  ///< by key of the state

  // Of the step under way.
  ClosingMatches closing;
  bool closing_found = false;
  std::vector<uint32_t> chosen;  ///< matches, a number for each part
  /// By match of the last left side, a bit each: not refused with those chosen, as far as is known; and not
  /// known.
  std::vector<uint64_t> open;
  std::span<const uint64_t> unknown;
  std::vector<uint32_t> made_by;  ///< by new node: the number of the recipe's node that it is just like
  std::vector<egraph::ClassId> made, variables;
  std::vector<uint8_t> foretold;  ///< by node of the right sides: has the facts that the recipe says
};

inline void put(std::vector<uint64_t>& bits, size_t i) { bits[i / 64] |= uint64_t{1} << (i % 64); }
inline void drop(std::vector<uint64_t>& bits, size_t i) { bits[i / 64] &= ~(uint64_t{1} << (i % 64)); }
inline bool has(std::span<const uint64_t> bits, size_t i) { return (bits[i / 64] >> (i % 64) & 1) != 0; }

/// One step: reads a state, and writes another from the first change on.
struct BuildEGraph::Step {
  Step(BuildEGraph& problem, const State& s, Action a, State& t)
      : p(problem),
        memo(*problem.memo_),
        from(s),
        to(t),
        lookups(problem.lookups(s)),
        number(problem.rule_number(a)),
        region(problem.region(a)),
        rule(problem.matcher_.rule(number)),
        g(&s == &t ? &t.graph : nullptr),
        before(s.graph.slots()),
        may_close(rule.rule->is_multi()) {
    memo.made_by.clear();
    p.find_matches(from.graph, lookups, number);
    memo.right_sides.begin(number, from.graph);
  }

  BuildEGraph& p;
  Memo& memo;
  const State& from;
  State& to;
  Lookups& lookups;
  const uint32_t number, region;
  const rewrite::CompiledRule& rule;
  rewrite::EGraph* g;  ///< null until something changes
  const size_t before;
  bool changed = false, merged = false, learned = false;
  bool may_close;
  bool closing_asked = false;  ///< of the joint match that is to be visited: it does not

  const rewrite::EGraph& now() const { return g != nullptr ? *g : from.graph; }
  void write() {
    if (g != nullptr) return;
    to = from;
    g = &to.graph;
    memo.right_sides.look_at(*g);
  }

  // What egraph::MultiPattern::join asks.
  void earlier(std::span<const uint32_t> chosen) {
    memo.right_sides.earlier(chosen);
    memo.chosen.assign(chosen.begin(), chosen.end());
    memo.chosen.push_back(0);
    if (!chosen.empty()) look();
  }
  void look();
  bool last(uint32_t match) {
    if (memo.chosen.size() == 1) return memo.right_sides.known(match) != RightSideMemo::kRefused;
    if (!has(memo.open, match)) return false;
    closing_asked = !has(memo.unknown, match);
    memo.chosen.back() = match;
    return !closing_asked || !p.closes_cycle(from.graph, lookups, number, memo.chosen);
  }

  void insert(std::span<const egraph::ClassId> at, const egraph::Subst& subst,
              std::span<const uint32_t> chosen);
  egraph::ClassId insert_node(const rewrite::FragmentNode& n, uint32_t number,
                              std::span<const egraph::ClassId> children, bool foretold, bool& found);
};

}  // namespace isomer::problems
