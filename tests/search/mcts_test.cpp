// Monte Carlo tree search on a toy that brute force solves: two of ten switches may be set, and what single
// ones gain leads away from the two that gain most together.
#include "search/mcts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>

namespace isomer::search {
namespace {

struct Switches {
  using State = uint32_t;
  using Action = uint32_t;
  static constexpr uint32_t kCount = 10, kMost = 2;
  std::vector<uint32_t> all{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  uint64_t advanced = 0;

  State initial() { return 0; }
  const std::vector<Action>& all_actions() const { return all; }
  std::vector<Action> actions(const State& s) {
    std::vector<Action> out;
    for (Action a : all)
      if (State copy = s; !ended(s) && may_apply(copy, a)) out.push_back(a);
    return out;
  }
  // Switch 9 is never there; switch 8 does nothing.
  bool may_apply(State&, const Action& a) { return a != 9; }
  void advance(State& s, const Action& a) {
    ++advanced;
    if (a < 8) s |= 1u << a;
  }
  State step(const State& s, const Action& a) {
    State next = s;
    advance(next, a);
    return next;
  }
  double cost(const State& s) {
    double c = 13;
    for (uint32_t i = 0; i < 3; ++i) c -= (s >> i & 1) != 0 ? 1.0 : 0;
    if ((s >> 4 & 3) == 3) c -= 9;  // 4 and 5
    return c;
  }
  uint64_t key(const State& s) { return s; }
  bool ended(const State& s) { return std::popcount(s) >= static_cast<int>(kMost); }
  void trial_begins() {}
  void trial_ended() {}
  void keep_only(State&) {}
};
static_assert(GrowsInPlace<Switches>);

TEST(Mcts, FindsWhatGreedyStepsMissAndRepeatsItselfBySeed) {
  for (uint64_t seed : {1, 2, 3}) {
    std::vector<uint32_t> first;
    for (int again = 0; again < 2; ++again) {
      Switches problem;
      Rng rng(seed);
      MctsOptions options;
      options.budget = 400;
      const auto r = mcts(problem, options, rng);
      EXPECT_EQ(r.stop_reason, StopReason::kNodeLimit);
      EXPECT_EQ(r.steps.size(), 2u);
      EXPECT_EQ(r.last, 0b110000u);
      EXPECT_EQ(r.cost, 4);
      EXPECT_EQ(r.rollouts, 800u);
      std::vector<uint32_t> actions;
      for (const auto& s : r.steps) actions.push_back(s.action);
      if (again > 0) {
        EXPECT_EQ(actions, first);
      }
      first = actions;
    }
  }
}

TEST(Mcts, PrunedActionsAreNeverTakenAndVoidOnesBecomeSaturated) {
  Switches problem;
  Rng rng(5);
  MctsOptions options;
  options.budget = 200;
  const auto r = mcts(problem, options, rng);
  ASSERT_FALSE(r.steps.empty());
  EXPECT_EQ(r.steps[0].children, 9u);   // all but the one that is never there
  EXPECT_EQ(r.steps[0].saturated, 1u);  // the one that does nothing
  EXPECT_EQ(r.steps[1].saturated, 2u);  // and what is set already
  EXPECT_EQ(r.applications, problem.advanced);
}

TEST(Mcts, StopsWhereNothingChangesAnyMore) {
  Switches problem;
  problem.all = {3, 8};
  Rng rng(1);
  MctsOptions options;
  options.budget = 20;
  const auto r = mcts(problem, options, rng);
  EXPECT_EQ(r.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(r.last, 0b1000u);
}

TEST(Mcts, KeepsTheBestThatWasMetWithTheWayThere) {
  for (bool reuse : {false, true}) {
    Switches problem;
    Rng rng(11);
    MctsOptions options;
    options.budget = 60;  // too few to be sure of the steps
    options.reuse_subtree = reuse;
    double told = 0;
    const auto r = mcts<Switches>(problem, options, rng, [&](double cost, uint64_t) { told = cost; });
    Switches::State s = problem.initial();
    for (uint32_t a : r.best_actions) problem.advance(s, a);
    EXPECT_EQ(problem.cost(s), r.best);
    EXPECT_LE(r.best, r.cost);
    EXPECT_EQ(told, r.best);
  }
}

TEST(Mcts, AReusedSubtreeKeepsItsVisits) {
  MctsOptions options;
  options.budget = 100;
  options.reuse_subtree = true;
  Switches problem;
  Rng rng(2);
  Switches* const one[] = {&problem};
  Crew crew(1);
  Mcts<Switches> tree(one, options, rng, crew);
  LimitWatch watch{Limits()};
  tree.search(watch);
  auto best = tree.opinions().front();
  for (const auto& o : tree.opinions())
    if (o.visits > best.visits) best = o;
  tree.take(best.action);
  double below = 0;
  for (const auto& o : tree.opinions()) {
    below += o.visits;
    EXPECT_GE(o.worth, 0);
  }
  EXPECT_GT(below, 0);
  EXPECT_LE(below, best.visits);
}

TEST(Mcts, ThePictureOfATreeHoldsItsMostVisitedNodes) {
  for (size_t most : {1000u, 7u, 1u}) {
    Switches problem;
    Rng rng(3);
    MctsOptions options;
    options.budget = 200;
    options.keep_tree = most;
    const auto tree = mcts(problem, options, rng).tree;
    ASSERT_FALSE(tree.empty());
    EXPECT_LE(tree.size(), most);
    EXPECT_EQ(tree[0].visits, 200);
    double below_root = 0;
    std::vector<uint32_t> states{0};
    for (size_t i = 1; i < tree.size(); ++i) {
      ASSERT_LT(tree[i].parent, i);
      EXPECT_LE(tree[i].visits, tree[tree[i].parent].visits);
      const uint32_t above = states[tree[i].parent];
      states.push_back(problem.step(above, tree[i].action));
      EXPECT_EQ(tree[i].saturated, states[i] == above);
      if (tree[i].parent == 0) {
        below_root += tree[i].visits;
        EXPECT_EQ(tree[i].cost, problem.cost(problem.step(0, tree[i].action)));
      }
    }
    if (most == 1000) {
      EXPECT_EQ(below_root, 200);
    } else {
      EXPECT_LT(below_root, 200);
    }
  }
}

TEST(Mcts, WideningAndWorthByBestFindTheSame) {
  Switches problem;
  Rng rng(3);
  MctsOptions options;
  options.budget = 150;
  options.widening = 1.5;
  options.by_best = options.relative = options.reuse_subtree = true;
  options.count_void = false;
  options.exploration = 0.5;
  const auto r = mcts(problem, options, rng);
  EXPECT_EQ(r.best, 4);
  EXPECT_EQ(r.cost, 4);
}

TEST(Mcts, AStateIsInTheTreeOnceWithTranspositions) {
  for (const bool transpositions : {false, true}) {
    Switches problem;
    Rng rng(3);
    MctsOptions options;
    options.budget = 600;
    options.exploration = 100;  // everywhere
    options.keep_tree = 10000;
    options.transpositions = transpositions;
    const auto r = mcts(problem, options, rng);
    EXPECT_EQ(r.best, 4);
    EXPECT_EQ(r.cost, 4);
    std::vector<uint32_t> states{0};
    std::map<uint32_t, int> open;
    for (size_t i = 1; i < r.tree.size(); ++i) {
      states.push_back(problem.step(states[r.tree[i].parent], r.tree[i].action));
      open[states[i]] += !r.tree[i].saturated;
    }
    int most = 0;
    for (const auto& [state, times] : open) most = std::max(most, times);
    EXPECT_EQ(most, transpositions ? 1 : 2);  // two switches, in either order
    // Every state that can be reached; the first one below a switch that changes nothing.
    EXPECT_EQ(open.size(), 1u + 8 + 8 * 7 / 2);
  }
}

/// A tree of which switches 4 and 5 are all, once searched.
struct TreeOfTwo {
  explicit TreeOfTwo(uint64_t seed) : rng(seed), tree(at, options, rng, crew) { tree.search(watch); }
  static MctsOptions brief() {
    MctsOptions out;
    out.budget = 60;
    out.reuse_subtree = out.transpositions = out.by_best = true;
    out.count_void = false;
    return out;
  }

  Switches problem{{4, 5}};
  Switches* at[1] = {&problem};
  Rng rng;
  MctsOptions options = brief();
  Crew crew{1};
  Mcts<Switches> tree;
  LimitWatch watch{Limits()};
};

TEST(Mcts, AStepOpensAgainWhatWasClosedForANodeThatIsLeft) {
  // Below switch 5 the tree may have closed 4, since {4, 5} was found below 4: after the step to 5 it must be
  // found below 5.
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOfTwo two(seed);
    Mcts<Switches>& tree = two.tree;
    for (const uint32_t first : {4u, 5u}) {
      if (first == 5 && seed % 2 == 0) continue;
      if (first == 4 && seed % 2 != 0) continue;
      tree.take(first);
      tree.search(two.watch);
      const auto after = tree.opinions();
      ASSERT_EQ(after.size(), 1u) << "seed " << seed;
      EXPECT_EQ(after[0].action, 9 - first);
    }
  }
}

TEST(Mcts, ATreeTakesAStepThatItHadClosed) {
  // Of several trees one votes for an action that another has closed, since it met the state on another way.
  for (uint64_t seed = 1; seed <= 30; ++seed) {
    std::vector<Switches> problems(3);
    std::vector<Switches*> at;
    for (Switches& p : problems) at.push_back(&p);
    Rng rng(seed);
    MctsOptions options;
    options.budget = 40;
    options.reuse_subtree = options.transpositions = options.by_best = true;
    options.count_void = false;
    options.exploration = 20;
    const auto r = mcts(std::span<Switches* const>(at), options, rng, 1);
    Switches::State s = 0;
    for (const auto& step : r.steps) {
      problems[0].advance(s, step.action);
      EXPECT_EQ(step.cost, problems[0].cost(s)) << "seed " << seed;
    }
    EXPECT_EQ(r.cost, problems[0].cost(s));
    EXPECT_EQ(r.stop_reason, StopReason::kNodeLimit);
  }
}

TEST(Mcts, AStepMayBeOneThatTheTreeClosed) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    TreeOfTwo two(seed);
    Mcts<Switches>& tree = two.tree;
    tree.take(4);
    tree.search(two.watch);
    tree.take(5);
    EXPECT_EQ(tree.root(), 0b110000u);
    EXPECT_EQ(tree.root_cost(), 4);
  }
}

TEST(Mcts, EachWorkerNeedsAProblem) {
  std::vector<Switches> problems(3);
  std::vector<Switches*> at;
  for (Switches& p : problems) at.push_back(&p);
  Rng rng(3);
  MctsOptions options;
  options.at_once = 2;
  EXPECT_THROW(mcts(std::span<Switches* const>(at), options, rng, 1), MisuseError);
}

TEST(Mcts, LimitsEndIt) {
  Switches problem;
  Rng rng(3);
  MctsOptions options;
  options.limits.nodes = 50;
  const auto r = mcts(problem, options, rng);
  EXPECT_EQ(r.stop_reason, StopReason::kNodeLimit);
  EXPECT_LE(r.rollouts, 51u);
  options.limits = {};
  options.limits.stop.request();
  EXPECT_EQ(mcts(problem, options, rng).stop_reason, StopReason::kInterrupted);
}

TEST(Mcts, SeveralTreesVoteAndThreadsChangeNothing) {
  std::vector<uint32_t> first;
  for (const unsigned threads : {1u, 4u, 3u}) {
    std::vector<Switches> problems(4);
    std::vector<Switches*> at;
    for (Switches& p : problems) at.push_back(&p);
    Rng rng(9);
    MctsOptions options;
    options.budget = 100;
    const auto r = mcts(std::span<Switches* const>(at), options, rng, threads);
    EXPECT_EQ(r.rollouts, 800u);
    EXPECT_EQ(r.best, 4);
    std::vector<uint32_t> actions = r.best_actions;
    for (const auto& s : r.steps) actions.push_back(s.action);
    if (threads == 1) first = actions;
    EXPECT_EQ(actions, first);
    uint64_t advanced = 0;
    for (const Switches& p : problems) advanced += p.advanced;
    EXPECT_EQ(advanced, r.applications);
  }
}

TEST(Mcts, WorkersOfATreeAndThreadsChangeNothing) {
  for (const bool plus : {false, true})
    for (const uint32_t workers : {2u, 4u, 7u}) {
      std::vector<uint32_t> first;
      for (const unsigned threads : {1u, 2u, 4u, 16u}) {
        const size_t trees = workers == 2 ? 3 : 1;
        std::vector<Switches> problems(workers * trees);
        std::vector<Switches*> at;
        for (Switches& p : problems) at.push_back(&p);
        Rng rng(4);
        MctsOptions options;
        options.budget = 300;
        options.at_once = workers;
        options.keep_tree = 50;
        if (plus) {
          options.widening = 1.5;
          options.by_best = options.relative = options.reuse_subtree = true;
          options.count_void = false;
          options.exploration = 1;
        }
        const auto r = mcts(std::span<Switches* const>(at), options, rng, threads);
        EXPECT_EQ(r.best, 4) << workers << " workers";
        EXPECT_EQ(r.cost, 4);
        if (!plus) {
          EXPECT_EQ(r.rollouts, trees * 600u);
        }
        std::vector<uint32_t> seen = r.best_actions;
        for (const auto& s : r.steps) seen.push_back(s.action);
        for (const auto& n : r.tree) seen.push_back(n.parent * 1000 + static_cast<uint32_t>(n.visits));
        seen.push_back(static_cast<uint32_t>(r.rollouts));
        seen.push_back(static_cast<uint32_t>(r.applications));
        seen.push_back(static_cast<uint32_t>(rng.next()));
        if (threads == 1) first = seen;
        EXPECT_EQ(seen, first) << workers << " workers, " << threads << " threads";
        uint64_t advanced = 0;
        for (const Switches& p : problems) {
          advanced += p.advanced;
          EXPECT_GT(p.advanced, 0u);  // all of them worked
        }
        EXPECT_EQ(advanced, r.applications);
      }
    }
}

TEST(Mcts, WorkersFindTheRolloutsThatATreeOfThemHas) {
  // What is in the tree is as if one had made it: visits add up, void actions are saturated, costs are right.
  std::vector<Switches> problems(5);
  std::vector<Switches*> at;
  for (Switches& p : problems) at.push_back(&p);
  Rng rng(3);
  MctsOptions options;
  options.budget = 203;  // the last round is not full
  options.at_once = 5;
  options.keep_tree = 1000;
  const auto r = mcts(std::span<Switches* const>(at), options, rng, 2);
  ASSERT_FALSE(r.tree.empty());
  EXPECT_EQ(r.tree[0].visits, 203);
  std::vector<uint32_t> states{0};
  std::vector<double> below(r.tree.size(), 0);
  for (size_t i = 1; i < r.tree.size(); ++i) {
    const auto& n = r.tree[i];
    states.push_back(problems[0].step(states[n.parent], n.action));
    EXPECT_EQ(n.cost, problems[0].cost(states[i]));
    EXPECT_EQ(n.saturated, states[i] == states[n.parent]);
    EXPECT_GE(n.visits, 1);
    below[n.parent] += n.visits;
  }
  for (size_t i = 0; i < r.tree.size(); ++i) EXPECT_LE(below[i], r.tree[i].visits);
}

/// A problem without the extras: a walk on a line.
struct Line {
  using State = size_t;
  using Action = int;
  std::vector<double> heights{5, 5.2, 5.1, 4, 4.2, 1, 3};
  State initial() { return 0; }
  std::vector<Action> actions(const State& s) {
    std::vector<Action> out;
    if (s > 0) out.push_back(-1);
    if (s + 1 < heights.size()) out.push_back(1);
    return out;
  }
  State step(const State& s, const Action& a) { return a > 0 ? s + 1 : s - 1; }
  double cost(const State& s) { return heights[s]; }
  uint64_t key(const State& s) { return s; }
};

TEST(Mcts, PlaysAnyProblem) {
  Line line;
  Rng rng(1);
  MctsOptions options;
  options.limits.iterations = 4;
  const auto r = mcts(line, options, rng);
  EXPECT_EQ(r.best, 1);
  EXPECT_EQ(r.best_actions.size() % 2, 1u);
}

}  // namespace
}  // namespace isomer::search
