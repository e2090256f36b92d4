#include "extract/extract.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "extract/beam.h"
#include "extract/blocks.h"
#include "extract/check.h"
#include "extract/dag_greedy.h"
#include "extract/exact.h"
#include "extract/faster_greedy_dag.h"
#include "extract/from_roots.h"
#include "extract/greedy.h"
#include "extract/ilp.h"
#include "extract/local_search.h"
#include "extract/portfolio.h"
#include "extract/reduce.h"
#include "extract/sharing_greedy.h"
#include "extract/tree_width.h"
#include "extract/windows.h"

namespace isomer::extract {

namespace {

struct Entry {
  Extractor extractor;
  std::string_view name;
  std::string_view promise;
  bool preprocess = true;  // false: thinks in other costs, or is a baseline
};

constexpr std::array<Entry, 15> kExtractors{{
    {Extractor::kAuto, "auto", "heuristic, then better until proved optimal or out of time"},
    {Extractor::kHeuristic, "heuristic", "best of the greedy ones, and a short local search"},
    {Extractor::kTreeGreedy, "greedy", "tree-optimal for costs >= 0", false},
    {Extractor::kDagGreedy, "dag-greedy", "greedy, shared parts paid once"},
    {Extractor::kFasterGreedyDag, "faster-greedy-dag", "the extraction gym's, plainly, without preprocessing",
     false},
    {Extractor::kSharing, "sharing", "greedy under the sharing-aware cost function as published", false},
    {Extractor::kSharingCorrected, "sharing-corrected", "the same, exact on graphs without choices", false},
    {Extractor::kBeam, "beam", "DAG-greedy with several terms a class"},
    {Extractor::kLocalSearch, "local-search", "DAG-greedy, improved pick by pick"},
    {Extractor::kWindows, "windows", "heuristic, improved by windows that are solved exactly"},
    {Extractor::kIlp, "ilp", "DAG-optimal: one integer program, cycles cut when a solution has them"},
    {Extractor::kIlpReal, "ilp-real", "DAG-optimal: real ordering variables in cyclic components"},
    {Extractor::kIlpInteger, "ilp-integer", "DAG-optimal: integer ordering variables in cyclic components"},
    {Extractor::kIlpTensat, "ilp-tensat",
     "DAG-optimal: TENSAT's program, real ordering variables everywhere"},
    {Extractor::kTreeWidth, "tree-width", "DAG-optimal by a tree decomposition; heuristic where too wide"},
}};

const Entry& entry_of(Extractor extractor) {
  return *std::ranges::find(kExtractors, extractor, &Entry::extractor);
}

// Only what the roots need stays picked; costs are the checker's.
void finish(const Problem& problem, Extraction& result) {
  result.selection = from_roots(problem, result.selection);
  const Verdict verdict = check(problem, result.selection);
  if (!verdict.valid) throw std::logic_error("an extractor returned an invalid selection: " + verdict.fault);
  result.found = true;
  result.dag_cost = verdict.dag_cost;
  result.tree_cost = verdict.tree_cost;
  result.optimal = result.optimal || result.dag_cost <= result.bound;
  if (result.optimal) result.bound = result.dag_cost;
}

// Extractors that look at the problem as it was given.
Selection plain(const Problem& problem, Extractor extractor) {
  switch (extractor) {
    case Extractor::kFasterGreedyDag: return faster_greedy_dag(problem);
    case Extractor::kSharing: return sharing_greedy(problem, SharingCost::kPublished).selection;
    case Extractor::kSharingCorrected: return sharing_greedy(problem, SharingCost::kCorrected).selection;
    default: return tree_greedy(problem);
  }
}

void take(const Outcome& outcome, Extraction& result) {
  result.bound = std::max(result.bound, outcome.bound);
  result.optimal = outcome.optimal;
  result.stop_reason = outcome.stop_reason;
  result.ilp_rounds = outcome.rounds;
}

void take(const ExactOutcome& outcome, Extraction& result) {
  take(static_cast<const Outcome&>(outcome), result);
  result.blocks = outcome.blocks;
  result.largest_block = outcome.largest_block;
  result.relaxations = outcome.relaxations;
  result.cuts = outcome.cuts;
}

Selection one_program(const Problem& problem, const Deadline& deadline, const Formulation& formulation,
                      Extraction& result) {
  const IlpOutcome outcome = solve_ilp(problem, quick_selection(problem), deadline, formulation);
  take(static_cast<const Outcome&>(outcome), result);
  result.cuts = outcome.cycle_cuts;
  return outcome.selection;
}

// Block by block; blocks that are too wide keep the heuristic answer.
Selection decompose(const Problem& problem, const Deadline& deadline, Extraction& result) {
  Selection best = quick_selection(problem);
  double bound = 0;
  result.optimal = true;
  for (const Block& block : blocks(problem)) {
    const TreeWidthOutcome outcome = tree_width(block.problem, deadline);
    result.tree_width = std::max(result.tree_width, outcome.width);
    ++result.blocks;
    result.largest_block = std::max(result.largest_block, block.problem.nodes());
    result.optimal = result.optimal && outcome.solved;
    if (outcome.solved) block.write_back(outcome.selection, best);
    bound += outcome.solved ? outcome.cost : block.problem.least_possible();
  }
  result.bound = std::max(result.bound, bound);
  if (!result.optimal) result.stop_reason = deadline.over() ? deadline.reason() : StopReason::kMemoryLimit;
  return best;
}

// As near to the known selection as preprocessing leaves it; with picks for all classes.
Selection near_start(const Problem& original, const Reduced& reduced, const Selection& start) {
  constexpr uint64_t kWork = 100'000;
  std::vector<double> costs(reduced.problem.nodes());
  for (uint32_t n = 0; n < reduced.problem.nodes(); ++n) {
    const NodeId origin = reduced.node_of[n];
    const bool picked = start[original.class_of(origin)] == origin;
    costs[n] = (picked ? 1e-3 : 1.0) * reduced.problem.cost(NodeId(n));
  }
  return local_search(reduced.problem, dag_greedy(reduced.problem, costs), kWork);
}

Selection begin_of_auto(const Problem& original, const Reduced& reduced, const ExtractionOptions& options) {
  Selection quick = quick_selection(reduced.problem);
  if (options.start == nullptr) return quick;
  Selection near = near_start(original, reduced, *options.start);
  const bool better = check(reduced.problem, near).dag_cost < check(reduced.problem, quick).dag_cost;
  return better ? near : quick;
}

Selection preprocessed(const Problem& original, const Reduced& reduced, Extractor extractor,
                       const Deadline& deadline, const ExtractionOptions& options, Extraction& result) {
  const Problem& problem = reduced.problem;
  Rng rng(options.seed);
  switch (extractor) {
    case Extractor::kDagGreedy: return dag_greedy(problem);
    case Extractor::kBeam: return beam(problem, options.beam_width);
    case Extractor::kLocalSearch: return local_search(problem, dag_greedy(problem));
    case Extractor::kHeuristic: return quick_selection(problem);
    case Extractor::kWindows: return window_search(problem, quick_selection(problem), deadline, rng);
    case Extractor::kIlp: return one_program(problem, deadline, {}, result);
    case Extractor::kIlpReal: return one_program(problem, deadline, {.ordering = Ordering::kReal}, result);
    case Extractor::kIlpInteger:
      return one_program(problem, deadline, {.ordering = Ordering::kInteger}, result);
    case Extractor::kIlpTensat:
      return one_program(problem, deadline,
                         {.aggregated = false, .ordering = Ordering::kReal, .order_everywhere = true},
                         result);
    case Extractor::kTreeWidth: return decompose(problem, deadline, result);
    default: break;
  }
  ExactOutcome outcome = improve_until(problem, begin_of_auto(original, reduced, options), deadline, rng);
  take(outcome, result);
  return std::move(outcome.selection);
}

}  // namespace

std::string_view to_string(Extractor extractor) { return entry_of(extractor).name; }

std::optional<Extractor> extractor_from_name(std::string_view name) {
  const auto* const entry = std::ranges::find(kExtractors, name, &Entry::name);
  return entry == kExtractors.end() ? std::nullopt : std::optional(entry->extractor);
}

std::vector<std::string_view> extractor_names() {
  std::vector<std::string_view> names;
  for (const Entry& entry : kExtractors) names.push_back(entry.name);
  return names;
}

std::string extractor_help() {
  std::string text;
  for (const Entry& entry : kExtractors) text += fmt::format("  {:<18} {}\n", entry.name, entry.promise);
  return text;
}

double Extraction::gap() const {
  if (optimal) return 0;
  return (dag_cost - bound) / std::max(std::abs(dag_cost), 1e-12);
}

Extraction extract(const Problem& problem, Extractor extractor, const Limits& limits,
                   const ExtractionOptions& options) {
  const double begin = thread_cpu_seconds();
  const Deadline deadline(limits, options.cpu_clock);
  Extraction result;
  if (entry_of(extractor).preprocess) {
    const Reduced reduced = reduce(problem);
    result.reduced_classes = reduced.problem.classes();
    result.reduced_nodes = reduced.problem.nodes();
    if (reduced.feasible) {
      result.bound = reduced.problem.least_possible();
      result.selection =
          reduced.lift(problem, preprocessed(problem, reduced, extractor, deadline, options, result));
    }
  } else {
    result.bound = problem.least_possible();
    result.selection = plain(problem, extractor);
  }
  const bool complete =
      result.selection.classes() == problem.classes() &&
      std::ranges::all_of(problem.roots(), [&](ClassId root) { return result.selection[root].valid(); });
  if (complete) {
    finish(problem, result);
    if (options.start != nullptr && !result.optimal) {
      const Verdict known = check(problem, *options.start);
      if (known.valid && known.dag_cost < result.dag_cost) {
        result.selection = *options.start;
        finish(problem, result);
      }
    }
  } else {
    result.selection = Selection();
    result.optimal = true;  // there is nothing to find
  }
  result.cpu_seconds = thread_cpu_seconds() - begin;
  return result;
}

}  // namespace isomer::extract
