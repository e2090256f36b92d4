#include "extract/bounded.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "extract/random_problem.h"

namespace isomer::extract {
namespace {

using Kind = Resource::Kind;

// The least peak of any order of the classes in use, by trying all of them.
double least_peak(const Problem& problem, const Selection& selection, const std::vector<double>& use) {
  std::vector<ClassId> in_use(problem.roots().begin(), problem.roots().end());
  for (size_t i = 0; i < in_use.size(); ++i) {
    for (ClassId m : problem.children(selection[in_use[i]])) {
      if (std::ranges::find(in_use, m) == in_use.end()) in_use.push_back(m);
    }
  }
  double best = std::numeric_limits<double>::infinity();
  std::vector<ClassId> done;
  const auto held = [&](size_t computed) {
    double sum = 0;
    for (size_t i = 0; i < computed; ++i) {
      const ClassId c = done[i];
      bool needed = std::ranges::find(problem.roots(), c) != problem.roots().end();
      for (ClassId user : in_use) {
        const bool later = std::find(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(computed),
                                     user) == done.begin() + static_cast<std::ptrdiff_t>(computed);
        const auto children = problem.children(selection[user]);
        needed = needed || (later && std::ranges::find(children, c) != children.end());
      }
      if (needed) sum += use[selection[c].index()];
    }
    return sum;
  };
  const auto extend = [&](auto&& self, double peak) -> void {
    if (peak >= best) return;
    if (done.size() == in_use.size()) {
      best = peak;
      return;
    }
    for (ClassId c : in_use) {
      if (std::ranges::find(done, c) != done.end()) continue;
      const auto children = problem.children(selection[c]);
      if (!std::ranges::all_of(children, [&](ClassId m) { return std::ranges::find(done, m) != done.end(); }))
        continue;
      const double now = held(done.size()) + use[selection[c].index()];
      done.push_back(c);
      self(self, std::max(peak, now));
      done.pop_back();
    }
  };
  extend(extend, 0);
  return best;
}

// Tries every selection.
void all_selections(const Problem& problem, auto&& visit) {
  Selection selection(problem.classes());
  const auto choose = [&](auto&& self, uint32_t c) -> void {
    if (c == problem.classes()) {
      const Verdict verdict = check(problem, selection);
      if (verdict.valid) visit(selection, verdict.dag_cost);
      return;
    }
    for (NodeId n : problem.nodes_of(ClassId(c))) {
      selection.pick(ClassId(c), n);
      self(self, c + 1);
    }
  };
  choose(choose, 0);
}

class Bounds : public testing::TestWithParam<Kind> {};

TEST_P(Bounds, AgreeWithBruteForce) {
  Rng rng(11);
  int bound_mattered = 0;
  int impossible = 0;
  for (int i = 0; i < 300; ++i) {
    SCOPED_TRACE(i);
    const Problem problem = random_problem(rng, {.classes = 6, .max_nodes = 3, .max_children = 2});
    Resource resource;
    resource.kind = GetParam();
    for (uint32_t n = 0; n < problem.nodes(); ++n) resource.use.push_back(static_cast<double>(rng.below(8)));
    resource.most = static_cast<double>(4 + rng.below(14));
    double best = std::numeric_limits<double>::infinity();
    double unbounded = best;
    all_selections(problem, [&](const Selection& selection, double cost) {
      unbounded = std::min(unbounded, cost);
      if (resource_use(problem, selection, resource) <= resource.most) best = std::min(best, cost);
    });
    const BoundedOutcome outcome = extract_within(problem, resource, Deadline(Limits()));
    ASSERT_EQ(outcome.found, best < std::numeric_limits<double>::infinity());
    EXPECT_EQ(outcome.infeasible, !outcome.found);
    if (!outcome.found) {
      ++impossible;
      continue;
    }
    const Verdict verdict = check(problem, outcome.selection);
    ASSERT_TRUE(verdict.valid) << verdict.fault;
    EXPECT_NEAR(verdict.dag_cost, best, 1e-9);
    EXPECT_LE(outcome.use, resource.most);
    EXPECT_TRUE(outcome.optimal);
    bound_mattered += best > unbounded;
  }
  EXPECT_GT(bound_mattered, 5);
  EXPECT_GT(impossible, 5);
}

INSTANTIATE_TEST_SUITE_P(Kinds, Bounds, testing::Values(Kind::kSum, Kind::kPeak),
                         [](const auto& i) { return i.param == Kind::kSum ? "sum" : "peak"; });

TEST(Bounded, SumIsOfThePickedNodes) {
  Rng rng(4);
  for (int i = 0; i < 50; ++i) {
    const Problem problem = random_problem(rng, {});
    Resource resource;
    for (uint32_t n = 0; n < problem.nodes(); ++n) resource.use.push_back(problem.cost(NodeId(n)));
    all_selections(problem, [&](const Selection& selection, double cost) {
      EXPECT_EQ(resource_use(problem, selection, resource), cost);
    });
  }
}

TEST(Bounded, PeakIsThatOfSomeOrder) {
  Rng rng(5);
  int not_the_least = 0;
  int all = 0;
  for (int i = 0; i < 40; ++i) {
    const Problem problem =
        random_problem(rng, {.classes = 7, .max_nodes = 1, .max_children = 3, .cyclic = false});
    Resource resource{.use = {}, .kind = Kind::kPeak};
    for (uint32_t n = 0; n < problem.nodes(); ++n) resource.use.push_back(static_cast<double>(rng.below(9)));
    all_selections(problem, [&](const Selection& selection, double) {
      const double ours = resource_use(problem, selection, resource);
      const double least = least_peak(problem, selection, resource.use);
      EXPECT_GE(ours, least);
      not_the_least += ours > least;
      ++all;
    });
  }
  EXPECT_LT(not_the_least, all / 4);
}

}  // namespace
}  // namespace isomer::extract
