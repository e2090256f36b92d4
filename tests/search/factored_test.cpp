// Searches over actions made of parts, on problems whose best state is known.
#include <gtest/gtest.h>

#include <bit>
#include <set>

#include "search/factored_mcts.h"
#include "search/random_walks.h"
#include "search/stack_beam.h"

namespace isomer::search {
namespace {

/// A state is a number of `bits` bits; an action may set each bit that is not set yet. Each bit has a price,
/// and the pairs (0, 1), (2, 3), ... have one more when both are set.
class Bits {
 public:
  using State = uint32_t;
  using Action = Decisions;

  Bits(std::vector<double> price, std::vector<double> together)
      : price_(std::move(price)), together_(std::move(together)) {}

  State initial() const { return 0; }
  std::vector<uint32_t> factors(State s) const {
    return std::vector<uint32_t>(price_.size() - static_cast<size_t>(std::popcount(s)), 2);
  }
  std::vector<Action> actions(State s) const {
    std::vector<Action> out;
    const auto all = factors(s);
    Action next(all.size(), 0);
    while (next_decisions(all, next)) out.push_back(next);
    return out;
  }
  State step(State s, const Action& a) const {
    State out = s;
    size_t d = 0;
    for (size_t bit = 0; bit < price_.size(); ++bit)
      if ((s >> bit & 1) == 0 && a[d++] == 1) out |= 1U << bit;
    return out;
  }
  double cost(State s) {
    ++asked;
    double out = 100;
    for (size_t bit = 0; bit < price_.size(); ++bit)
      if ((s >> bit & 1) != 0) out += price_[bit];
    for (size_t pair = 0; pair < together_.size(); ++pair)
      if ((s >> (2 * pair) & 3) == 3) out += together_[pair];
    return out;
  }
  uint64_t key(State s) const { return s; }
  double best() {
    double out = 1e9;
    for (State s = 0; s < 1U << price_.size(); ++s) out = std::min(out, cost(s));
    return out;
  }

  uint64_t asked = 0;

 private:
  std::vector<double> price_, together_;
};
static_assert(FactoredProblem<Bits>);

/// Alone each of the first pair is a loss, together they are a gain; the second pair the other way.
Bits small() { return Bits({3, 4, -5, -6, 1, -1}, {-20, 18, 0}); }

TEST(Factored, JointActionsAreCountedUpToALimit) {
  EXPECT_EQ(joint_actions({2, 3, 2}, 100), 11U);
  EXPECT_EQ(joint_actions({2, 3, 2}, 11), 11U);
  EXPECT_FALSE(joint_actions({2, 3, 2}, 10).has_value());
  EXPECT_FALSE(joint_actions(std::vector<uint32_t>(200, 2), 1000).has_value());
  Decisions next(3, 0);
  std::set<Decisions> all;
  while (next_decisions({2, 3, 2}, next)) all.insert(next);
  EXPECT_EQ(all.size(), 11U);
}

TEST(StackBeam, ExhaustiveFindsTheBest) {
  Bits problem = small();
  const auto found = stack_beam(problem, exhaustive({}));
  EXPECT_EQ(found.cost, small().best());
  EXPECT_EQ(found.cost, 100 + 3 + 4 - 20 - 6 - 1);
  EXPECT_EQ(found.stop_reason, StopReason::kSaturated);
  EXPECT_EQ(found.met, 64U);
  // The way to it leads to it.
  Bits again = small();
  Bits::State at = again.initial();
  for (const Decisions& a : found.actions) at = again.step(at, a);
  EXPECT_EQ(at, found.best);
}

TEST(StackBeam, AlphaKeepsFromClimbing) {
  // With alpha 1 only what is cheaper than its parent is pushed, but all that is met counts.
  Bits problem = small();
  StackBeamOptions options;
  options.alpha = 1;
  const auto found = stack_beam(problem, options);
  EXPECT_EQ(found.cost, small().best());
  EXPECT_LT(found.expanded, 64U);
  StackBeamOptions none;
  none.expand = 0;
  EXPECT_EQ(stack_beam(problem, none).expanded, 1U);
}

TEST(StackBeam, LimitsEndIt) {
  Bits problem = small();
  StackBeamOptions options;
  options.limits.iterations = 1;
  const auto found = stack_beam(problem, options);
  EXPECT_EQ(found.stop_reason, StopReason::kIterationLimit);
  EXPECT_LE(found.cost, 100);
}

TEST(FactoredMcts, FindsTheBestOfASmallProblem) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    Bits problem = small();
    Rng rng(seed);
    FactoredMctsOptions<Bits> options;
    const auto found = factored_mcts(problem, options, rng);
    EXPECT_EQ(found.cost, small().best()) << seed;
    EXPECT_GT(found.simulations, 0U);
    Bits::State at = problem.initial();
    for (const Decisions& a : found.steps) at = problem.step(at, a);
    EXPECT_EQ(at, found.last);
    EXPECT_EQ(problem.cost(found.last), found.last_cost);
  }
}

TEST(FactoredMcts, TheSameSeedGivesTheSame) {
  const auto run = [] {
    Bits problem = small();
    Rng rng(3);
    FactoredMctsOptions<Bits> options;
    options.simulations = 100;
    return factored_mcts(problem, options, rng);
  };
  const auto a = run(), b = run();
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.best, b.best);
  EXPECT_EQ(a.simulations, b.simulations);
}

TEST(FactoredMcts, ManyFactorsOfOneStep) {
  // 24 independent bits: 2^24 joint actions. Marginal values see each by itself.
  std::vector<double> price;
  for (int i = 0; i < 24; ++i) price.push_back(i % 2 == 0 ? -1 : 1);
  Bits problem(price, {});
  Rng rng(1);
  FactoredMctsOptions<Bits> options;
  const auto found = factored_mcts(problem, options, rng);
  const double start = 100, best = 100 - 12;
  EXPECT_LT(found.cost, start - 0.75 * (start - best));
}

TEST(FactoredMcts, PriorAndValueAreTheCallers) {
  Bits problem = small();
  Rng rng(1);
  FactoredMctsOptions<Bits> options;
  options.simulations = 20;
  options.least_simulations = 20;
  size_t values = 0, priors = 0;
  options.value = [&](Bits&, const Bits::State&, Rng&) {
    ++values;
    return 0.0;
  };
  options.prior = [&](Bits& p, const Bits::State& s) {
    ++priors;
    // Never an option but the second.
    return std::vector<std::vector<double>>(p.factors(s).size(), {0.0, 1.0});
  };
  const auto found = factored_mcts(problem, options, rng);
  EXPECT_GT(values, 0U);
  EXPECT_GT(priors, 0U);
  EXPECT_LT(found.cost, 100);
}

TEST(FactoredMcts, LimitsEndIt) {
  Bits problem = small();
  Rng rng(1);
  FactoredMctsOptions<Bits> options;
  options.limits.iterations = 5;
  const auto found = factored_mcts(problem, options, rng);
  EXPECT_EQ(found.simulations, 5U);
  EXPECT_EQ(found.stop_reason, StopReason::kIterationLimit);
}

TEST(RandomWalks, DrawEachPart) {
  Bits problem = small();
  Rng rng(1);
  RandomWalksOptions options;
  options.steps = 300;
  EXPECT_LT(random_walks(problem, options, rng).cost, 100);
}

}  // namespace
}  // namespace isomer::search
