#include "extract/extract.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/exact.h"
#include "extract/greedy.h"
#include "extract/local_search.h"
#include "extract/reduce.h"

namespace isomer::extract {

namespace {

constexpr std::array<std::pair<Extractor, std::string_view>, 4> kNames{{
    {Extractor::kTreeGreedy, "greedy"},
    {Extractor::kDagGreedy, "dag-greedy"},
    {Extractor::kIlp, "ilp"},
    {Extractor::kAuto, "auto"},
}};

double least_possible(const Problem& problem) {
  double sum = 0;
  for (uint32_t c = 0; c < problem.classes(); ++c) {
    double least = 0;
    for (NodeId n : problem.nodes_of(ClassId(c))) least = std::min(least, problem.cost(n));
    sum += least;
  }
  return sum;
}

// Only what the roots need stays picked; costs are the checker's.
void finish(const Problem& problem, Extraction& result) {
  Selection needed(problem.classes());
  std::vector<ClassId> work(problem.roots().begin(), problem.roots().end());
  while (!work.empty()) {
    const ClassId c = work.back();
    work.pop_back();
    if (needed[c].valid() || !result.selection[c].valid()) continue;
    needed.pick(c, result.selection[c]);
    const auto children = problem.children(needed[c]);
    work.insert(work.end(), children.begin(), children.end());
  }
  result.selection = std::move(needed);
  const Verdict verdict = check(problem, result.selection);
  if (!verdict.valid) throw std::logic_error("an extractor returned an invalid selection: " + verdict.fault);
  result.found = true;
  result.dag_cost = verdict.dag_cost;
  result.tree_cost = verdict.tree_cost;
  result.optimal = result.optimal || result.dag_cost <= result.bound;
  if (result.optimal) result.bound = result.dag_cost;
}

}  // namespace

std::string_view to_string(Extractor extractor) {
  return std::ranges::find(kNames, extractor, &std::pair<Extractor, std::string_view>::first)->second;
}

std::optional<Extractor> extractor_from_name(std::string_view name) {
  for (const auto& [extractor, known] : kNames) {
    if (known == name) return extractor;
  }
  return std::nullopt;
}

std::vector<std::string_view> extractor_names() {
  std::vector<std::string_view> names;
  for (const auto& [extractor, name] : kNames) names.push_back(name);
  return names;
}

double Extraction::gap() const {
  if (optimal) return 0;
  return (dag_cost - bound) / std::max(std::abs(dag_cost), 1e-12);
}

Extraction extract(const Problem& problem, Extractor extractor, const Limits& limits) {
  const double begin = thread_cpu_seconds();
  const Deadline deadline(limits);
  Extraction result;
  if (extractor == Extractor::kTreeGreedy) {
    // Preprocessing thinks in DAG costs (it drops second uses of a child), so it is not for tree costs.
    result.selection = tree_greedy(problem);
    result.bound = least_possible(problem);
    for (ClassId root : problem.roots()) {
      if (result.selection[root].valid()) continue;
      result.selection = Selection();
      result.optimal = true;
      result.cpu_seconds = thread_cpu_seconds() - begin;
      return result;
    }
    finish(problem, result);
    result.cpu_seconds = thread_cpu_seconds() - begin;
    return result;
  }

  const Reduced reduced = reduce(problem);
  result.reduced_classes = reduced.problem.classes();
  result.reduced_nodes = reduced.problem.nodes();
  if (!reduced.feasible) {
    result.optimal = true;
    result.cpu_seconds = thread_cpu_seconds() - begin;
    return result;
  }
  result.bound = least_possible(reduced.problem);
  Selection best = dag_greedy(reduced.problem);
  if (extractor != Extractor::kDagGreedy) {
    Selection tree = tree_greedy(reduced.problem);
    if (check(reduced.problem, tree).dag_cost < check(reduced.problem, best).dag_cost) best = std::move(tree);
    best = local_search(reduced.problem, std::move(best), 20'000'000);
    const ExactOutcome outcome = solve_exactly(reduced.problem, best, deadline);
    best = outcome.selection;
    result.bound = std::max(result.bound, outcome.bound);
    result.optimal = outcome.optimal;
    result.stop_reason = outcome.stop_reason;
    result.blocks = outcome.blocks;
    result.largest_block = outcome.largest_block;
    result.ilp_rounds = outcome.rounds;
    result.cycle_cuts = outcome.cuts;
    result.relaxations = outcome.relaxations;
  }
  result.selection = reduced.lift(problem, best);
  finish(problem, result);
  result.cpu_seconds = thread_cpu_seconds() - begin;
  return result;
}

}  // namespace isomer::extract
