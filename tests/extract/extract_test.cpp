// Every extractor's promise (extract.h), against brute force on random problems.
#include "extract/extract.h"

#include <gtest/gtest.h>

#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/greedy.h"
#include "extract/ilp.h"
#include "extract/local_search.h"
#include "extract/random_problem.h"
#include "extract/reduce.h"

namespace isomer::extract {
namespace {

class RandomProblems : public testing::TestWithParam<RandomShape> {};

TEST_P(RandomProblems, ExtractorsKeepTheirPromises) {
  Rng rng(1);
  int feasible = 0;
  for (int i = 0; i < 60; ++i) {
    const Problem problem = random_problem(rng, GetParam());
    const Optimum best = brute_force(problem);
    feasible += best.feasible;
    for (std::string_view name : extractor_names()) {
      SCOPED_TRACE(testing::Message() << "problem " << i << ", " << name);
      const Extractor extractor = *extractor_from_name(name);
      const Extraction e = extract(problem, extractor);
      ASSERT_EQ(e.found, best.feasible);
      if (!best.feasible) continue;
      const Verdict verdict = check(problem, e.selection);
      ASSERT_TRUE(verdict.valid) << verdict.fault;
      EXPECT_EQ(verdict.dag_cost, e.dag_cost);
      EXPECT_GE(e.dag_cost, best.dag_cost - 1e-9);
      EXPECT_LE(e.bound, best.dag_cost + 1e-9);
      if (e.optimal) {
        EXPECT_NEAR(e.dag_cost, best.dag_cost, 1e-9);
      }
      if (extractor == Extractor::kTreeGreedy && !GetParam().negative) {
        EXPECT_NEAR(e.tree_cost, best.tree_cost, 1e-9);
      }
      const bool exact = name == "auto" || name.starts_with("ilp") ||
                         (extractor == Extractor::kTreeWidth && !GetParam().negative);
      if (exact) {
        EXPECT_TRUE(e.optimal);
      }
    }
  }
  EXPECT_GT(feasible, 20);
}

TEST_P(RandomProblems, NoResultIsDearerThanWhatIsKnownAlready) {
  Rng rng(7);
  int dearer_alone = 0;
  for (int i = 0; i < 60; ++i) {
    const Problem problem = random_problem(rng, GetParam());
    const Optimum best = brute_force(problem);
    if (!best.feasible) continue;
    const Selection known = extract(problem, Extractor::kAuto).selection;
    const Selection nothing(problem.classes());
    for (std::string_view name : extractor_names()) {
      SCOPED_TRACE(testing::Message() << "problem " << i << ", " << name);
      const Extractor extractor = *extractor_from_name(name);
      Limits limits;
      limits.seconds = 0;
      dearer_alone += extract(problem, extractor, limits).dag_cost > best.dag_cost + 1e-9;
      const Extraction e = extract(problem, extractor, limits, {.start = &known});
      ASSERT_TRUE(check(problem, e.selection).valid);
      EXPECT_NEAR(e.dag_cost, best.dag_cost, 1e-9);
      EXPECT_LE(e.bound, best.dag_cost + 1e-9);
      const Extraction hinted = extract(problem, extractor, limits, {.start = &nothing});
      ASSERT_TRUE(check(problem, hinted.selection).valid);
    }
  }
  EXPECT_GT(dearer_alone, 0);
}

TEST_P(RandomProblems, PreprocessingKeepsTheOptimum) {
  Rng rng(2);
  for (int i = 0; i < 150; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = random_problem(rng, GetParam());
    const Optimum best = brute_force(problem);
    const Reduced reduced = reduce(problem);
    ASSERT_EQ(reduced.feasible, best.feasible);
    if (!best.feasible) continue;
    EXPECT_LE(reduced.problem.nodes(), problem.nodes());
    EXPECT_NEAR(brute_force(reduced.problem).dag_cost, best.dag_cost, 1e-9);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, RandomProblems,
    testing::Values(RandomShape{},                                                                   //
                    RandomShape{.classes = 8, .max_nodes = 2},                                       //
                    RandomShape{.cyclic = false},                                                    //
                    RandomShape{.classes = 12, .max_nodes = 2, .max_children = 2, .cyclic = false},  //
                    RandomShape{.classes = 11, .max_nodes = 2, .max_children = 2},                   //
                    RandomShape{.max_children = 2, .zeros = false},                                  //
                    RandomShape{.classes = 5, .negative = true}),
    [](const auto& i) { return "shape" + std::to_string(i.index); });

// On problems too large for brute force, programs that share nothing but the solver agree with each other,
// and dynamic programming with both.
TEST(Extract, ExactExtractorsAgree) {
  Rng rng(21);
  int decomposed = 0;
  int with_cuts = 0;
  for (int i = 0; i < 16; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = layered_problem(rng, 7, i % 2 == 0);
    const Extraction best = extract(problem, Extractor::kAuto);
    const Extraction tensat = extract(problem, Extractor::kIlpTensat);
    ASSERT_EQ(best.found, tensat.found);
    if (!best.found) continue;
    ASSERT_TRUE(best.optimal && tensat.optimal);
    EXPECT_NEAR(best.dag_cost, tensat.dag_cost, 1e-6);
    with_cuts += best.cuts > 0;
    const Extraction table = extract(problem, Extractor::kTreeWidth);
    decomposed += table.optimal;
    if (table.optimal) {
      EXPECT_NEAR(table.dag_cost, best.dag_cost, 1e-6);
    }
  }
  EXPECT_GT(decomposed, 8);
  EXPECT_GT(with_cuts, 3);
}

// Two outputs of one shared node: a tree cost pays for it twice, so tree-greedy does not see the gain.
Problem split_of_a_merged_product() {
  ProblemBuilder builder;
  const ClassId root = builder.add_class();
  const ClassId first = builder.add_class();
  const ClassId second = builder.add_class();
  const ClassId merged = builder.add_class();
  builder.add_node(root, 0, std::vector{first, second});
  builder.add_node(first, 3, {});
  builder.add_node(first, 0, std::vector{merged});
  builder.add_node(second, 3, {});
  builder.add_node(second, 0, std::vector{merged});
  builder.add_node(merged, 4, {});
  builder.add_root(root);
  return builder.build();
}

TEST(Ilp, TakesTheSharedProductThatGreedyPassesOver) {
  const Problem problem = split_of_a_merged_product();
  EXPECT_EQ(extract(problem, Extractor::kTreeGreedy).dag_cost, 6);
  const Extraction exact = extract(problem, Extractor::kIlp);
  EXPECT_EQ(exact.dag_cost, 4);
  EXPECT_TRUE(exact.optimal);
  EXPECT_EQ(exact.gap(), 0);
}

// Two classes share a dear leaf through a free alias; each has a cheaper way of its own that is dearer for
// both.
TEST(Reduce, AnAliasGoesButItsCostStaysShared) {
  ProblemBuilder builder;
  const ClassId root = builder.add_class();
  const ClassId left = builder.add_class();
  const ClassId right = builder.add_class();
  const ClassId alias = builder.add_class();
  const ClassId outer = builder.add_class();
  const ClassId dear = builder.add_class();
  builder.add_node(root, 0, std::vector{left, right});
  for (ClassId side : {left, right}) {
    builder.add_node(side, 1, std::vector{outer});
    builder.add_node(side, 8, {});
  }
  builder.add_node(outer, 0, std::vector{alias});
  builder.add_node(alias, 0, std::vector{dear});
  builder.add_node(dear, 10, {});
  builder.add_root(root);
  const Problem problem = builder.build();
  EXPECT_EQ(brute_force(reduce(problem).problem).dag_cost, 12);
  EXPECT_EQ(extract(problem, Extractor::kIlp).dag_cost, 12);
}

TEST(LocalSearch, PullsBothPartsToTheSharedProduct) {
  const Problem problem = split_of_a_merged_product();
  const Selection greedy = tree_greedy(problem);
  EXPECT_EQ(check(problem, greedy).dag_cost, 6);
  EXPECT_EQ(check(problem, local_search(problem, greedy)).dag_cost, 4);
  EXPECT_EQ(check(problem, local_search(problem, greedy, 0)).dag_cost, 6);
}

TEST(LocalSearch, NeverMakesASelectionWorseOrInvalid) {
  Rng rng(9);
  int better = 0;
  for (int i = 0; i < 300; ++i) {
    const Problem problem = random_problem(rng, {.classes = 25, .max_nodes = 4, .max_children = 3});
    const Reduced reduced = reduce(problem);
    if (!reduced.feasible) continue;
    const Selection start = dag_greedy(problem);
    const Verdict before = check(problem, start);
    const Verdict after = check(problem, local_search(problem, start));
    ASSERT_TRUE(after.valid) << after.fault;
    EXPECT_LE(after.dag_cost, before.dag_cost);
    better += after.dag_cost < before.dag_cost;
  }
  EXPECT_GT(better, 3);
}

// A ring of n classes, each either dear or free by way of the next: the relaxation wants the whole ring free.
TEST(Ilp, CutsLongCycles) {
  ProblemBuilder builder;
  constexpr uint32_t kRing = 9;
  for (uint32_t i = 0; i < kRing; ++i) builder.add_class();
  for (uint32_t i = 0; i < kRing; ++i) {
    builder.add_node(ClassId(i), 10 + i, {});
    builder.add_node(ClassId(i), 1, std::vector{ClassId((i + 1) % kRing)});
  }
  for (uint32_t i = 0; i < kRing; ++i) builder.add_root(ClassId(i));
  const Problem problem = builder.build();
  // Without a start that is already optimal, so that the cuts have work.
  Selection dear(kRing);
  for (uint32_t i = 0; i < kRing; ++i) dear.pick(ClassId(i), problem.nodes_of(ClassId(i))[0]);
  const IlpOutcome outcome = solve_ilp(problem, dear, Deadline({}));
  EXPECT_TRUE(outcome.optimal);
  EXPECT_EQ(outcome.cost, 10 + (kRing - 1));
  EXPECT_GT(outcome.cycle_cuts, 0);
  EXPECT_TRUE(check(problem, outcome.selection).valid);
}

TEST(Extract, StopsWithABoundWhenAskedTo) {
  Rng rng(5);
  const Problem problem =
      random_problem(rng, {.classes = 60, .max_nodes = 6, .max_children = 4, .zeros = false});
  Limits limits;
  limits.stop.request();
  const Extraction e = extract(problem, Extractor::kIlp, limits);
  ASSERT_TRUE(e.found);
  EXPECT_EQ(e.stop_reason, StopReason::kInterrupted);
  EXPECT_LE(e.bound, e.dag_cost);
  EXPECT_FALSE(e.optimal);
}

TEST(Extract, SaysSoWhenNoFiniteTermExists) {
  ProblemBuilder builder;
  const ClassId c = builder.add_class();
  builder.add_node(c, 1, std::vector{c});
  builder.add_root(c);
  const Problem problem = builder.build();
  for (Extractor extractor : {Extractor::kTreeGreedy, Extractor::kDagGreedy, Extractor::kIlp}) {
    EXPECT_FALSE(extract(problem, extractor).found);
  }
}

TEST(Extract, NamesRoundTrip) {
  for (std::string_view name : extractor_names()) {
    const auto extractor = extractor_from_name(name);
    ASSERT_TRUE(extractor.has_value());
    EXPECT_EQ(to_string(*extractor), name);
  }
  EXPECT_FALSE(extractor_from_name("best").has_value());
}

}  // namespace
}  // namespace isomer::extract
