// Deciding passes by searches: with the roofline, and with a worker in XLA's place to which a module takes as
// long as it has instructions.
#include "recipes/hlo_search.h"

#include <fmt/format.h>

#include "hlo/dag_hash.h"
#include "hlo/parse.h"
#include "hlo/verify.h"
#include "recipes/hlo_env.h"
#include "runtime/fake_xla.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

using HloSearchTest = runtime::FakeXla;

constexpr const char* kChain = R"(HloModule m

ENTRY main {
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(a)
  c = f32[3] negate(b)
  d = f32[3] negate(c)
  ROOT r = f32[3] tanh(d)
}
)";

hlo::Module chain() { return hlo::parse(kChain, "test"); }

/// Every module once.
class Asked : public problems::HloEvaluator {
 public:
  std::string name() const override { return "asked"; }
  std::vector<double> costs(std::span<const hlo::Module* const> modules) override {
    std::vector<double> out;
    for (const hlo::Module* module : modules) {
      ++asked;
      EXPECT_TRUE(hlo::verify(*module).empty());
      out.push_back(static_cast<double>(module->instructions.size()));
    }
    return out;
  }
  size_t asked = 0;
};

TEST(DecidePasses, IsAProblemOfChoices) {
  Asked evaluator;
  problems::DecidePasses problem(chain(), {{passes::find_pass("algsimp")}, {}}, evaluator);
  const auto start = problem.initial();
  // b, c and d are each the negation of a negation.
  EXPECT_EQ(problem.factors(start), (std::vector<uint32_t>{2, 2, 2}));
  EXPECT_EQ(problem.actions(start).size(), 7U);
  EXPECT_EQ(problem.first(start), (search::Decisions{1, 1, 1}));
  EXPECT_EQ(problem.cost(start), 6);
  EXPECT_EQ(problem.cost(problem.step(start, {0, 0, 0})), 6);
  EXPECT_EQ(problem.key(problem.step(start, {0, 0, 0})), problem.key(start));
  EXPECT_EQ(problem.cost(problem.step(start, {0, 0, 1})), 4);
  EXPECT_EQ(evaluator.asked, 2U);
  // A state is costed once, whichever way leads to it.
  problem.prepare(
      {problem.step(start, {0, 0, 1}), problem.step(start, {1, 0, 1}), problem.step(start, {1, 0, 1})});
  EXPECT_EQ(evaluator.asked, problem.evaluated());
  const problems::PickFirstResult first = problems::pick_first(problem);
  EXPECT_TRUE(first.at_rest);
  EXPECT_EQ(first.cost, 2);
}

TEST(DecidePasses, BeyondALimitSomeActionsAreListed) {
  Asked evaluator;
  problems::DecidePassesOptions options{{passes::find_pass("algsimp")}, {}};
  options.most_joint_actions = 6;
  const problems::DecidePasses problem(chain(), options, evaluator);
  const auto actions = problem.actions(problem.initial());
  // The first ways of all, of all but one (3), each alone (3).
  EXPECT_EQ(actions.size(), 7U);
  EXPECT_EQ(actions[0], (search::Decisions{1, 1, 1}));
}

TEST_F(HloSearchTest, EverySearchComesToTheShortestProgram) {
  for (const std::string evaluator : {"xla", "roofline:cpu"})
    for (const std::string& search : hlo_searches()) {
      SCOPED_TRACE(search + " " + evaluator);
      HloSearchOptions options;
      options.search = hlo_search_named(search);
      options.evaluator = evaluator;
      options.simulations = 20;
      options.steps = 20;
      const HloSearchResult result = hlo_search(chain(), options);
      EXPECT_EQ(result.module.instructions.size(), 2U);
      EXPECT_LT(result.cost_after, result.cost_before);
      EXPECT_LE(result.cost_after, result.cost_pick_first);
      EXPECT_GE(result.evaluated, 2U);
    }
}

TEST_F(HloSearchTest, WhatComputesSomethingElseIsNotChosen) {
  // The name of the parameter is in all modules: every one but the first differs.
  const hlo::Module module = hlo::parse(R"(HloModule m

ENTRY main {
  differ = f32[3] parameter(0)
  a = f32[3] negate(differ)
  ROOT b = f32[3] negate(a)
}
)",
                                        "test");
  const HloSearchResult result = hlo_search(module, {});
  EXPECT_EQ(hlo::dag_hash(result.module), hlo::dag_hash(module));
  EXPECT_GE(result.cost_pick_first, kRefused * result.cost_before / 2);
}

TEST_F(HloSearchTest, WhatWasLuckIsNotReturned) {
  // What keeps `lucky` has four instructions, of which one counts when it is first timed; pick-first's has
  // two.
  hlo::Module module = hlo::parse(R"(HloModule m

ENTRY main {
  x = f32[3] parameter(0)
  a = f32[3] negate(x)
  b = f32[3] negate(a)
  lucky = f32[3] negate(b)
  d = f32[3] negate(lucky)
  ROOT r = f32[3] tanh(d)
}
)",
                                  "test");
  HloSearchOptions options;
  options.search = HloSearch::kExhaustive;
  const HloSearchResult result = hlo_search(module, options);
  EXPECT_LT(result.improvements.back().cost, 0.6 * result.cost_pick_first);
  EXPECT_EQ(result.module.instructions.size(), 2U);
  EXPECT_EQ(result.cost_after, result.cost_pick_first);
  ASSERT_TRUE(result.confirmed);
  EXPECT_EQ(result.confirmed->evaluations, kHloEvaluations);
  EXPECT_EQ(result.confirmed->speedup->median, 1);
  EXPECT_DOUBLE_EQ(result.confirmed->of_cheapest->median, 0.5);
  EXPECT_NE(result.cheapest, hlo::dag_hash(result.module));
  options.confirm = false;
  EXPECT_EQ(hlo_search(module, options).module.instructions.size(), 4U);
}

TEST_F(HloSearchTest, WhatIsFasterThanPickFirstIsReturnedOnceItIsConfirmed) {
  // Pick-first makes the division a product with an inverse: two instructions more.
  const hlo::Module module = hlo::parse(R"(HloModule a

ENTRY main {
  x = f32[1000]{0} parameter(0)
  c = f32[] parameter(1)
  b = f32[1000]{0} broadcast(c), dimensions={}
  ROOT d = f32[1000]{0} divide(x, b)
}
)",
                                        "test");
  HloSearchOptions options;
  options.search = HloSearch::kBeam;
  const HloSearchResult result = hlo_search(module, options);
  EXPECT_EQ(result.module.instructions.size(), 4U);
  ASSERT_TRUE(result.confirmed);
  EXPECT_DOUBLE_EQ(result.confirmed->speedup->median, 6.0 / 4);
  EXPECT_DOUBLE_EQ(result.cost_after, result.cost_pick_first * 4 / 6);
  options.limits.seconds = 0;
  const HloSearchResult in_no_time = hlo_search(module, options);
  ASSERT_TRUE(in_no_time.confirmed);
  EXPECT_LT(in_no_time.confirmed->evaluations, kHloEvaluations);
  EXPECT_EQ(in_no_time.confirmed->stop_reason, StopReason::kTimeLimit);
  EXPECT_FALSE(in_no_time.confirmed->speedup || in_no_time.confirmed->of_cheapest);
}

TEST(HloCalls, WhatFailsInALoadOrDiffersIsNotTaken) {
  const auto program = [](double ms, std::optional<double> difference) {
    runtime::XlaProgram out;
    out.difference = difference;
    out.samples = {std::vector(10, ms), std::vector(10, ms), {}};
    return out;
  };
  const HloCalls calls = call_in_turn(4, {}, Deadline(), [&](int load, const runtime::XlaOptions& options) {
    EXPECT_EQ(options.seed, static_cast<uint64_t>(load));
    std::vector out = {program(4, 0), program(1, load == 3 ? 0.5 : 0), program(2, 0), program(3, 0)};
    if (load == 5) out[2] = {.error = "out of memory", .difference = {}, .samples = {}};
    return out;
  });
  EXPECT_EQ(calls.evaluations, kHloEvaluations);
  EXPECT_EQ(surely_fastest(calls, 0, 1e-4), 3U);
  EXPECT_EQ(surely_fastest(calls, 0, 1), 1U);
  EXPECT_EQ(surely_fastest(calls, 2, 1e-4), 2U) << "the reference has failed";
}

TEST(HloCalls, SayWhyTheyEndedEarly) {
  const auto race = [](int, const runtime::XlaOptions&) {
    runtime::XlaProgram runs;
    runs.difference = 0;
    runs.samples = {std::vector(10, 1.0), std::vector(10, 1.0), {}};
    return std::vector{runs, {.error = "it is refused", .difference = {}, .samples = {}}};
  };
  EXPECT_EQ(call_in_turn(2, {}, Deadline(), race).stop_reason, StopReason::kSaturated);
  EXPECT_EQ(call_in_turn(2, {}, Deadline(0, steady_clock()), race).stop_reason, StopReason::kTimeLimit);
  StopToken stop;
  stop.request();
  EXPECT_EQ(call_in_turn(2, {}, Deadline(1, steady_clock(), stop), race).stop_reason,
            StopReason::kInterrupted);
}

TEST_F(HloSearchTest, SpentEvaluationsAreNobodyElsesStop) {
  HloSearchOptions options;
  options.evaluator = "roofline:cpu";
  options.search = HloSearch::kRandom;
  options.evaluations = 3;
  EXPECT_EQ(hlo_search(chain(), options).stop_reason, StopReason::kIterationLimit);
  EXPECT_FALSE(options.limits.stop.requested());
  options.search = HloSearch::kMcts;
  options.value = [&](const HloEnv&) {
    options.limits.stop.request();
    return 0.0;
  };
  EXPECT_EQ(hlo_search(chain(), options).stop_reason, StopReason::kInterrupted);
}

TEST_F(HloSearchTest, TimesAreKeptBetweenRuns) {
  const std::string log = (folder_ / "log").string();
  setenv("FAKE_XLA_LOG", log.c_str(), 1);
  const auto raced = [&] { return std::filesystem::exists(log) ? std::filesystem::file_size(log) : 0; };
  const hlo::Module start = chain();
  hlo::Module shorter = passes::run_to_end(chain(), std::vector{passes::find_pass("algsimp")}).module;
  const hlo::Module* const both[] = {&shorter, &start};
  const hlo::Module* const twice[] = {&shorter, &shorter};
  HloEvaluatorOptions options;
  options.store = std::make_shared<Store>(folder_ / "store.sqlite");
  {
    const auto evaluator = hlo_evaluator("xla", start, options);
    const std::vector<double> costs = evaluator->costs(both);
    EXPECT_NEAR(costs[0] / costs[1], 2.0 / 6, 1e-9);
    EXPECT_EQ(raced(), 3U);  // the start, and both beside it
    EXPECT_EQ(evaluator->costs(twice), (std::vector<double>{costs[0], costs[0]}));
    EXPECT_EQ(raced(), 3U);
  }
  options.store = std::make_shared<Store>(folder_ / "store.sqlite");
  const std::vector<double> again = hlo_evaluator("xla", start, options)->costs(both);
  EXPECT_NEAR(again[0] / again[1], 2.0 / 6, 1e-8);
  EXPECT_EQ(raced(), 3U);
  options.seed = 7;  // other inputs
  (void)hlo_evaluator("xla", start, options)->costs(twice);
  EXPECT_EQ(raced(), 5U);
  options.store = nullptr;
  (void)hlo_evaluator("xla", start, options)->costs(twice);
  EXPECT_EQ(raced(), 7U);
  unsetenv("FAKE_XLA_LOG");
}

TEST_F(HloSearchTest, WhatXlaRefusesIsKeptAndWhatDiesIsNot) {
  const std::string log = (folder_ / "log").string();
  setenv("FAKE_XLA_LOG", log.c_str(), 1);
  HloEvaluatorOptions options;
  options.store = std::make_shared<Store>(folder_ / "store.sqlite");
  for (const auto& [name, function] : {std::pair("refuse", "tanh"), std::pair("crash", "cosine")}) {
    const hlo::Module bad = hlo::parse(
        fmt::format(
            "HloModule m\n\nENTRY main {{\n  {} = f32[3] parameter(0)\n  ROOT r = f32[3] {}({})\n}}\n", name,
            function, name),
        "test");
    const hlo::Module* const one[] = {&bad};
    for (int run = 0; run < 2; ++run) {
      const auto before = std::filesystem::exists(log) ? std::filesystem::file_size(log) : 0;
      const double cost = hlo_evaluator("xla", chain(), options)->costs(one)[0];
      EXPECT_GT(cost, 0);
      const bool asked = std::filesystem::file_size(log) > before;
      EXPECT_EQ(asked, run == 0 || std::string(name) == "crash") << name << " " << run;
    }
  }
  unsetenv("FAKE_XLA_LOG");
}

TEST_F(HloSearchTest, NamesThatThereAreNotAreSaid) {
  EXPECT_THROW((void)hlo_search_named("guess"), UsageError);
  for (const std::string& word : hlo_searches()) EXPECT_EQ(word_of(hlo_search_named(word)), word);
  HloSearchOptions options;
  options.evaluator = "roofline:abacus";
  EXPECT_THROW((void)hlo_search(chain(), options), UsageError);
  setenv("FAKE_XLA_MISSING", "1", 1);
  options.evaluator = "xla";
  EXPECT_THROW((void)hlo_search(chain(), options), MissingRuntimeError);
}

TEST_F(HloSearchTest, WhatIsFoundAtTheEndOfTheTimeIsVerified) {
  // More steps than are made between two looks at the clock.
  hlo::Module module = hlo::parse(R"(HloModule m

ENTRY main {
  x = f32[300,300] parameter(0)
  a = f32[300,300] negate(x)
  b = f32[300,300] negate(a)
  ROOT r = f32[300,300] tanh(b)
}
)",
                                  "test");
  for (const double seconds : {0.0, 0.3}) {  // of none the search has run over
    HloSearchOptions options;
    options.evaluator = "roofline:cpu";
    options.search = HloSearch::kRandom;
    options.steps = uint64_t{1} << 60;
    options.limits.seconds = seconds;
    const HloSearchResult result = hlo_search(module, options);
    EXPECT_EQ(result.stop_reason, StopReason::kTimeLimit);
    ASSERT_TRUE(result.check);
    EXPECT_TRUE(result.check->holds()) << result.check->words();
  }
}

TEST_F(HloSearchTest, AStopReturnsTheBestSoFar) {
  HloSearchOptions options;
  options.limits.stop.request();
  const HloSearchResult result = hlo_search(chain(), options);
  EXPECT_EQ(result.stop_reason, StopReason::kInterrupted);
  EXPECT_LE(result.cost_after, result.cost_before);
}

TEST(HloEnv, ArraysHoldTheAlternativeGraph) {
  HloEnv env = HloEnv::parse(kChain);
  EXPECT_THROW((void)env.arrays(), UsageError);
  env.dry_run({"algsimp"});
  const HloGraphArrays a = env.arrays();
  EXPECT_EQ(a.targets.size(), 3U);
  EXPECT_EQ(a.first_way.size(), 4U);
  EXPECT_EQ(a.ways.size(), a.rules.size());
  EXPECT_EQ(a.edges.size(), 10U);
  EXPECT_EQ(hlo_opcode_names()[static_cast<size_t>(a.opcodes[5])], "tanh");
  EXPECT_TRUE(env.apply({1, 0, 0}).empty());
  // The decisions are of a module that is there no more.
  EXPECT_THROW((void)env.apply({1, 0, 0}), UsageError);
  EXPECT_EQ(env.instructions(), 4U);
}

}  // namespace
}  // namespace isomer::recipes
