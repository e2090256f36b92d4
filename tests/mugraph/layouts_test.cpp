#include "mugraph/layouts.h"

#include <gtest/gtest.h>

#include "published/mirage_figures.h"
#include "support/rng.h"

namespace isomer::mugraph {
namespace {

/// All layouts, counted through like a number.
double least_of_all(const LayoutProblem& p) {
  std::vector<size_t> at(p.tensors.size());
  double least = std::numeric_limits<double>::infinity();
  for (;;) {
    double sum = 0;
    for (const auto& m : p.meetings) sum += m.accesses[at[m.a] * p.tensors[m.b].choices.size() + at[m.b]];
    least = std::min(least, sum);
    size_t i = 0;
    while (i < at.size() && ++at[i] == p.tensors[i].choices.size()) at[i++] = 0;
    if (i == at.size()) return least;
  }
}

TEST(Layouts, BothMethodsFindTheLeastOfRandomProblems) {
  Rng rng(7);
  for (int round = 0; round < 12; ++round) {
    LayoutProblem p;
    for (uint64_t n = 3 + rng.below(4); p.tensors.size() < n;) {
      p.tensors.push_back({"t", {0}});
      for (uint64_t more = rng.below(3); more > 0; --more)
        p.tensors.back().choices.push_back(static_cast<int>(p.tensors.back().choices.size()));
    }
    for (size_t a = 0; a < p.tensors.size(); ++a)
      for (size_t b = 0; b < a; ++b) {
        if (rng.below(2) == 0) continue;
        p.meetings.push_back({a, b, {}});
        for (size_t k = 0; k < p.tensors[a].choices.size() * p.tensors[b].choices.size(); ++k)
          p.meetings.back().accesses.push_back(static_cast<double>(rng.below(100)));
      }
    const double least = least_of_all(p);
    for (LayoutMethod method : {LayoutMethod::kIlp, LayoutMethod::kEnumerate}) {
      const Layouts found = solve_layouts(p, method);
      EXPECT_TRUE(found.optimal);
      EXPECT_DOUBLE_EQ(found.accesses, least);
      EXPECT_DOUBLE_EQ(accesses_of(p, found.inner), least);
    }
  }
}

TEST(Layouts, BothMethodsAgreeOnThePapersMuGraphs) {
  for (const published::mirage::Figure& published_graph : published::mirage::figures()) {
    SCOPED_TRACE(published_graph.name);
    const LayoutProblem p = layout_problem(published_graph.graph);
    const Layouts ilp = solve_layouts(p, LayoutMethod::kIlp);
    const Layouts enumerated = solve_layouts(p, LayoutMethod::kEnumerate);
    EXPECT_TRUE(ilp.optimal);
    EXPECT_TRUE(enumerated.optimal);
    EXPECT_NEAR(ilp.accesses, enumerated.accesses, 1e-6 * enumerated.accesses);
    std::vector<int> last, first;
    for (const auto& t : p.tensors) {
      last.push_back(t.choices.back());
      first.push_back(t.choices.front());
    }
    EXPECT_LE(enumerated.accesses, accesses_of(p, last));
    if (published_graph.name == "nTrans")  // one row a block and no product: no layout is better
      EXPECT_EQ(enumerated.accesses, accesses_of(p, first));
    else
      EXPECT_LT(enumerated.accesses, accesses_of(p, first));
  }
}

MuGraph product() {
  MuGraph g;
  g.values = {{16, 32}, {32, 64}, {16, 64}};
  g.inputs = 2;
  g.nodes = {{g.ops->at("matmul"), -1, nullptr, {0, 1}, {2}}};
  g.outputs = {2};
  return g;
}

TEST(Layouts, CountAccessesOfAProduct) {
  // Rows of the left operand in runs of eight, and the right one along the columns of the result.
  const LayoutProblem p = layout_problem(product());
  EXPECT_DOUBLE_EQ(accesses_of(p, {1, 1, 1}), 16.0 * 32 / 8 + 32.0 * 64 / 8);
}

TEST(Layouts, OfATensorBetweenFollowItsUse) {
  // A result that is only the right operand of a product is written as that reads it.
  MuGraph g = product();
  g.values = {{16, 32}, {32, 64}, {16, 64}, {8, 16}, {8, 64}};
  g.inputs = 2;
  std::swap(g.values[2], g.values[3]);  // inputs: 16x32, 32x64, 8x16
  g.inputs = 3;
  g.nodes = {{g.ops->at("matmul"), -1, nullptr, {0, 1}, {3}},
             {g.ops->at("matmul"), -1, nullptr, {2, 3}, {4}}};
  g.outputs = {4};
  const LayoutProblem p = layout_problem(g);
  const Layouts found = solve_layouts(p, LayoutMethod::kIlp);
  EXPECT_EQ(found.inner, (std::vector<int>{1, 1, 1, 1, 1}));
  // With its rows side by side both products go element by element where they meet it.
  EXPECT_DOUBLE_EQ(accesses_of(p, {1, 1, 1, 0, 1}) - found.accesses, 16.0 * 32 * 7 / 8 + 16.0 * 64 * 7 / 8);
}

TEST(Layouts, AnEnumerationThatIsStoppedSaysSo) {
  const LayoutProblem p = layout_problem(published::mirage::figures()[0].graph);
  Limits limits;
  limits.nodes = 3;
  const Layouts found = solve_layouts(p, LayoutMethod::kEnumerate, limits);
  EXPECT_FALSE(found.optimal);
  EXPECT_EQ(found.stop_reason, StopReason::kNodeLimit);
  EXPECT_DOUBLE_EQ(accesses_of(p, found.inner), found.accesses);
}

TEST(Layouts, AnEnumerationHeedsTimeAndInterruption) {
  const LayoutProblem p = layout_problem(published::mirage::figures()[0].graph);
  Limits timed;
  timed.seconds = 0;
  EXPECT_EQ(solve_layouts(p, LayoutMethod::kEnumerate, timed).stop_reason, StopReason::kTimeLimit);
  Limits stopped;
  stopped.stop.request();
  const Layouts found = solve_layouts(p, LayoutMethod::kEnumerate, stopped);
  EXPECT_EQ(found.stop_reason, StopReason::kInterrupted);
  EXPECT_FALSE(found.optimal);
  EXPECT_DOUBLE_EQ(accesses_of(p, found.inner), found.accesses);
}

}  // namespace
}  // namespace isomer::mugraph
