#include "extract/sharing_greedy.h"

#include <gtest/gtest.h>

#include "extract/check.h"
#include "extract/extract.h"
#include "extract/random_problem.h"

namespace isomer::extract {
namespace {

// Figure 9 of Hartmann et al. (2024): a chain of two operators, two users of its end, two operators that need
// both of these, and a Concat of the two. All costs 1.
struct Figure9 {
  Figure9() {
    ProblemBuilder builder;
    for (int i = 0; i < 7; ++i) classes.push_back(builder.add_class());
    const auto node = [&](size_t c, std::vector<size_t> children) {
      std::vector<ClassId> ids;
      for (size_t m : children) ids.push_back(classes[m]);
      builder.add_node(classes[c], 1, ids);
    };
    node(6, {4, 5});
    node(5, {2, 3});
    node(4, {2, 3});
    node(3, {1});
    node(2, {1});
    node(1, {0});
    node(0, {});
    builder.add_root(classes[6]);
    problem = builder.build();
  }
  Problem problem;
  std::vector<ClassId> classes;
};

TEST(SharingGreedy, Figure9) {
  const Figure9 f;
  const Extraction exact = extract(f.problem, Extractor::kAuto);
  EXPECT_TRUE(exact.optimal);
  EXPECT_EQ(exact.dag_cost, 7);
  EXPECT_EQ(exact.tree_cost, 15);
  const SharingGreedy published = sharing_greedy(f.problem, SharingCost::kPublished);
  EXPECT_EQ(published.cost[f.classes[6].index()], 8);
  // "The maximum constituent cost of e-classes 5 and 6 is 3, not 4": both are priced right themselves.
  EXPECT_EQ(published.cost[f.classes[4].index()], 5);
  EXPECT_EQ(published.cost[f.classes[5].index()], 5);
  const SharingGreedy corrected = sharing_greedy(f.problem, SharingCost::kCorrected);
  EXPECT_EQ(corrected.cost[f.classes[6].index()], 7);
}

// Figure 4 there: a skip connection. Case 1 where the later convolution comes first, case 2 where it does
// not.
TEST(SharingGreedy, SkipConnectionInEitherOrder) {
  for (bool inner_first : {false, true}) {
    ProblemBuilder builder;
    const ClassId inner = builder.add_class();
    const ClassId outer = builder.add_class();
    const ClassId sum = builder.add_class();
    builder.add_node(inner, 5, {});
    builder.add_node(outer, 3, std::vector{inner});
    builder.add_node(sum, 1, inner_first ? std::vector{inner, outer} : std::vector{outer, inner});
    builder.add_root(sum);
    const Problem problem = builder.build();
    for (SharingCost version : {SharingCost::kPublished, SharingCost::kCorrected})
      EXPECT_EQ(sharing_greedy(problem, version).cost[sum.index()], 9);
  }
}

TEST(SharingGreedy, CorrectedIsExactWithoutChoices) {
  Rng rng(3);
  int published_wrong = 0;
  for (int i = 0; i < 200; ++i) {
    const Problem problem =
        random_problem(rng, {.classes = 20, .max_nodes = 1, .max_children = 3, .cyclic = false});
    const SharingGreedy published = sharing_greedy(problem, SharingCost::kPublished);
    const SharingGreedy corrected = sharing_greedy(problem, SharingCost::kCorrected);
    ProblemBuilder builder;
    for (uint32_t c = 0; c < problem.classes(); ++c) builder.add_class();
    for (uint32_t n = 0; n < problem.nodes(); ++n)
      builder.add_node(problem.class_of(NodeId(n)), problem.cost(NodeId(n)), problem.children(NodeId(n)));
    builder.add_root(ClassId(0));
    const double exact = check(builder.build(), corrected.selection).dag_cost;
    EXPECT_DOUBLE_EQ(corrected.cost[0], exact);
    published_wrong += published.cost[0] != exact;
  }
  EXPECT_GT(published_wrong, 0);
}

}  // namespace
}  // namespace isomer::extract
