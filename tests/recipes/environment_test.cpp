// Episodes of growing an e-graph: what is kept of others changes nothing, and a step is a step of the
// problem.
#include "problems/environment.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "recipes/learning.h"
#include "support/errors.h"
#include "support/rng.h"

namespace isomer::recipes {
namespace {

using problems::Environment;

LearningOptions squeezenet(size_t episodes, size_t cache_bytes) {
  LearningOptions o;
  o.model = "squeezenet";
  o.node_limit = 400;
  o.episodes = episodes;
  o.environment.cache_bytes = cache_bytes;
  o.environment.max_steps = 12;
  return o;
}

struct Seen {
  std::vector<float> rules, egraph, cost;
  std::vector<int8_t> mask;
  double reward = 0;
  bool over = false;
  bool operator==(const Seen&) const = default;
};

Seen look(const Environment& env, size_t episode) {
  Seen s;
  s.rules.resize(Environment::kRuleColumns * env.actions());
  s.egraph.resize(Environment::kEGraphColumns);
  s.cost.resize(Environment::kCostColumns);
  s.mask.resize(env.actions());
  env.observe(episode, s.rules, s.egraph, s.cost);
  env.mask(episode, s.mask);
  return s;
}

/// Random walks among open rules, episode after episode; what was seen.
std::vector<Seen> walks(size_t cache_bytes, size_t episodes) {
  LearningEnvironment learning(squeezenet(episodes, cache_bytes));
  Environment& env = learning.environment();
  std::vector<Seen> out;
  std::vector<Rng> rngs;
  for (size_t e = 0; e < episodes; ++e) rngs.emplace_back(e + 1);
  std::vector<std::vector<Seen>> by_episode(episodes);
  for (int step = 0; step < 40; ++step)
    for (size_t e = 0; e < episodes; ++e) {
      Seen s = look(env, e);
      std::vector<uint32_t> open;
      for (uint32_t a = 0; a < env.actions(); ++a)
        if (s.mask[a] != 0) open.push_back(a);
      const Environment::Outcome o = env.step(e, open.at(rngs[e].below(open.size())));
      s = look(env, e);
      s.reward = o.reward;
      s.over = o.terminated || o.truncated;
      if (s.over) env.reset(e);
      by_episode[e].push_back(std::move(s));
    }
  for (auto& seen : by_episode) out.insert(out.end(), seen.begin(), seen.end());
  return out;
}

TEST(Environment, WhatIsKeptOfOtherEpisodesChangesNothing) {
  const std::vector<Seen> plain = walks(0, 2);
  EXPECT_TRUE(std::ranges::any_of(plain, [](const Seen& s) { return s.over; }));
  EXPECT_TRUE(std::ranges::any_of(plain, [](const Seen& s) { return s.reward > 0; }));
  EXPECT_EQ(walks(size_t{64} << 20, 2), plain);
  EXPECT_EQ(walks(200'000, 2), plain);  // forgotten again and again
}

TEST(Environment, RemembersAndForgets) {
  const auto run = [](size_t bytes) {
    LearningEnvironment learning(squeezenet(1, bytes));
    Environment& env = learning.environment();
    for (int round = 0; round < 3; ++round) {
      env.reset(0);
      for (uint32_t a : {124u, 128u, 130u, 131u, 0u, 7u})
        if (env.step(0, a).terminated) break;
    }
    return env.statistics();
  };
  EXPECT_EQ(run(0).looked_up, 0u);
  EXPECT_GT(run(size_t{64} << 20).looked_up, 0u);
}

TEST(Environment, RefusesWhatCannotBePlayed) {
  LearningOptions o = squeezenet(1, 0);
  o.node_limit = 100;
  EXPECT_THROW(LearningEnvironment{o}, UsageError);
  EXPECT_THROW(learning_extraction("guess"), UsageError);
  EXPECT_THROW(learning_rules("guess"), UsageError);
  LearningEnvironment learning(squeezenet(1, 0));
  EXPECT_THROW(learning.environment().step(0, 139), UsageError);
}

}  // namespace
}  // namespace isomer::recipes
