// Saturation against its definition: random terms and rules, the naive e-graph, every match found by trying
// everything, all of them applied, then congruence. After each iteration both must hold the same nodes in the
// same classes.
#include <algorithm>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "egraph/naive_egraph.h"
#include "egraph/symbols.h"
#include "support/rng.h"

namespace isomer::egraph {
namespace {

using Bindings = std::vector<uint32_t>;

void naive_match(const NaiveEGraph& g, const Pattern& p, uint32_t at, uint32_t c, const Bindings& bound,
                 const std::function<void(const Bindings&)>& then) {
  const PatternNode& node = p.nodes[at];
  if (node.is_variable) {
    if (bound[node.variable] != kUnbound && g.class_of(bound[node.variable]) != c) return;
    Bindings next = bound;
    next[node.variable] = c;
    return then(next);
  }
  for (uint32_t t = 0; t < g.size(); ++t) {
    const NaiveEGraph::Term& term = g.term(t);
    if (g.class_of(t) != c || term.op != node.op || term.children.size() != node.children.size()) continue;
    const std::vector<uint32_t> children = term.children;
    const std::function<void(size_t, const Bindings&)> child = [&](size_t k, const Bindings& b) {
      if (k == children.size()) return then(b);
      naive_match(g, p, node.children[k], g.class_of(children[k]), b,
                  [&, k](const Bindings& deeper) { child(k + 1, deeper); });
    };
    child(0, bound);
  }
}

uint32_t naive_add(NaiveEGraph& g, uint32_t op, const std::vector<uint32_t>& children) {
  for (uint32_t t = 0; t < g.size(); ++t) {
    const NaiveEGraph::Term& term = g.term(t);
    bool equal = term.op == op && term.children.size() == children.size();
    for (size_t k = 0; k < children.size() && equal; ++k) equal = g.same(term.children[k], children[k]);
    if (equal) return t;
  }
  return g.add(op, children);
}

/// egg's backoff, as it is stated: a rule with more matches than its limit is left out and banned for a
/// while; the next time both are twice as much. No limit: none is.
struct NaiveBackoff {
  size_t limit = 0;
  uint32_t ban_length = 0;
  struct Rule {
    uint64_t banned_until = 0;
    uint32_t bans = 0;
  };
  std::vector<Rule> rules{};
  size_t bans = 0;

  bool asks(size_t r, uint64_t iteration) {
    if (rules.size() <= r) rules.resize(r + 1);
    return rules[r].banned_until <= iteration;
  }
  bool applies(size_t r, uint64_t iteration, size_t matches) {
    if (limit == 0 || matches <= limit << rules[r].bans) return true;
    rules[r].banned_until = iteration + (uint64_t{ban_length} << rules[r].bans);
    ++rules[r].bans;
    ++bans;
    return false;
  }
  /// Nothing changed: those banned come back sooner, the first of them at once.
  void shorten(uint64_t iteration) {
    uint64_t soonest = UINT64_MAX;
    for (const Rule& r : rules)
      if (r.banned_until > iteration) soonest = std::min(soonest, r.banned_until);
    for (Rule& r : rules)
      if (r.banned_until > iteration) r.banned_until -= soonest - iteration;
  }
};

void naive_iteration(NaiveEGraph& g, const std::vector<Rewrite>& rules, uint64_t iteration,
                     NaiveBackoff& backoff) {
  struct Match {
    const Rewrite* rule;
    uint32_t root;
    Bindings bindings;
  };
  const std::pair before(g.size(), g.classes());
  std::vector<Match> matches;
  for (size_t r = 0; r < rules.size(); ++r) {
    const Rewrite& rule = rules[r];
    if (!backoff.asks(r, iteration)) continue;
    std::set<std::pair<uint32_t, Bindings>> found;
    for (uint32_t c = 0; c < g.size(); ++c)
      if (g.class_of(c) == c)
        naive_match(g, rule.left, static_cast<uint32_t>(rule.left.nodes.size() - 1), c, Bindings(8, kUnbound),
                    [&](const Bindings& b) { found.emplace(c, b); });
    if (!backoff.applies(r, iteration, found.size())) continue;
    for (const auto& [root, b] : found) matches.push_back({&rule, root, b});
  }
  for (const Match& m : matches) {
    std::vector<uint32_t> made;
    for (const PatternNode& node : m.rule->right.nodes) {
      std::vector<uint32_t> children;
      for (uint32_t k : node.children) children.push_back(made[k]);
      made.push_back(node.is_variable ? m.bindings[node.variable] : naive_add(g, node.op, children));
    }
    g.unite(m.root, made.back());
  }
  g.close();
  if (std::pair(g.size(), g.classes()) == before) backoff.shorten(iteration);
}

std::string random_text(Rng& rng, int depth, const std::vector<std::string>& leaves) {
  if (depth == 0 || rng.chance(0.25)) return leaves[rng.below(leaves.size())];
  if (rng.chance(0.3)) return "(g " + random_text(rng, depth - 1, leaves) + ")";
  return "(f " + random_text(rng, depth - 1, leaves) + " " + random_text(rng, depth - 1, leaves) + ")";
}

void compare_with_naive(const SchedulerOptions& scheduler, NaiveBackoff start) {
  size_t bans = 0;
  size_t grown = 0, merged = 0;
  for (uint64_t seed = 1; seed <= 150; ++seed) {
    SCOPED_TRACE(seed);
    Rng rng(seed);
    SymbolTable symbols;
    std::vector<Rewrite> rules;
    while (rules.size() < 4) {
      const std::string left = random_text(rng, 2, {"?x", "?y", "a", "?x"});
      std::vector<std::string> in_left{"a"};
      for (const char* v : {"?x", "?y"})
        if (left.find(v) != std::string::npos) in_left.push_back(v);
      if (left[0] != '(') continue;
      for (Rewrite& r : parse_rule(left + "=>" + random_text(rng, 2, in_left), symbols)) rules.push_back(r);
    }
    NoAnalysis none;
    EGraph<NoAnalysis> g(none);
    NaiveEGraph naive;
    NaiveBackoff backoff = start;
    const std::function<uint32_t(const Pattern&)> add_naive = [&](const Pattern& term) {
      std::vector<uint32_t> made;
      for (const PatternNode& node : term.nodes) {
        std::vector<uint32_t> children;
        for (uint32_t k : node.children) children.push_back(made[k]);
        made.push_back(naive_add(naive, node.op, children));
      }
      return made.back();
    };
    std::vector<std::string> no_variables;
    for (int i = 0; i < 2; ++i) {
      const Pattern term = parse_pattern(random_text(rng, 3, {"a", "b", "c"}), symbols, no_variables);
      add_term(g, term);
      add_naive(term);
    }
    g.rebuild();
    const size_t before = g.live_nodes();
    for (uint64_t iterations = 1; iterations <= 4 && naive.size() < 90; ++iterations) {
      naive_iteration(naive, rules, iterations - 1, backoff);
      EGraph<NoAnalysis> copy = g;
      RunOptions options;
      options.limits.iterations = iterations;
      options.scheduler = scheduler;
      run(copy, rules, options);
      ASSERT_EQ(copy.live_nodes(), naive.nodes()) << iterations;
      ASSERT_EQ(copy.live_classes(), naive.classes()) << iterations;
      ASSERT_EQ(copy.check_invariants(), "");
      grown += copy.live_nodes() > before;
      merged += copy.live_classes() < copy.live_nodes();
    }
    bans += backoff.bans;
  }
  EXPECT_GT(grown, 100u);
  EXPECT_GT(merged, 100u);
  EXPECT_EQ(bans > 50, scheduler.kind == SchedulerKind::kBackoff);
}

TEST(Run, AgreesWithTheNaiveEngineAfterEachIteration) { compare_with_naive({}, {}); }

TEST(Run, AgreesWithTheNaiveEngineUnderBackoff) {
  compare_with_naive({SchedulerKind::kBackoff, 2, 1}, {2, 1});
  compare_with_naive({SchedulerKind::kBackoff, 1, 2}, {1, 2});
}

}  // namespace
}  // namespace isomer::egraph
