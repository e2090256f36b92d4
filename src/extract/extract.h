// The one door to all extractors: preprocess, extract, lift, check.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "extract/problem.h"
#include "support/limits.h"

namespace isomer::extract {

enum class Extractor : uint8_t {
  kTreeGreedy,        ///< tree-optimal for costs >= 0
  kDagGreedy,         ///< better where parts are shared; no promise
  kFasterGreedyDag,   ///< the extraction gym's, as a baseline; no promise
  kSharing,           ///< the cost function of Hartmann et al. (2024), Algorithm 2; no promise
  kSharingCorrected,  ///< the same, exact on graphs without choices
  kBeam,              ///< DAG-greedy with several terms a class; no promise
  kLocalSearch,       ///< the best greedy answer, improved pick by pick
  kHeuristic,         ///< what auto begins with: all that is quick
  kWindows,           ///< heuristic, improved by windows that are solved exactly, until out of time
  kIlp,               ///< DAG-optimal, or incumbent and bound; one integer program
  kIlpReal,           ///< the same with real ordering variables in cyclic components
  kIlpInteger,        ///< with integer ones
  kIlpTensat,         ///< TENSAT's program: a row for each e-node and child, ordering variables everywhere
  kTreeWidth,         ///< DAG-optimal, or nothing better than heuristic if the width is too large
  kAuto,              ///< the best answer in the time given, with its bound; DAG-optimal if time allows
};

std::string_view to_string(Extractor extractor);
std::optional<Extractor> extractor_from_name(std::string_view name);
/// All names, for help and error messages.
std::vector<std::string_view> extractor_names();
/// One line a name: what it does and what it promises.
std::string extractor_help();

struct ExtractionOptions {
  bool cpu_clock = false;  ///< limits.seconds are CPU time of the calling thread
  uint64_t seed = 1;       ///< of the window search
  size_t beam_width = 4;
  /// A selection of the problem that is known already, if any: the result is not dearer, and `auto` looks for
  /// a better one from there. Where it is not valid, it is a hint and nothing more.
  const Selection* start = nullptr;
};

struct Extraction {
  bool found = false;   ///< false: some root has no finite acyclic term
  Selection selection;  ///< of the problem that was given; only classes that roots need are picked
  double dag_cost = std::numeric_limits<double>::infinity();  ///< as the checker computed it
  double tree_cost = std::numeric_limits<double>::infinity();
  double bound = -std::numeric_limits<double>::infinity();  ///< proved: no selection has a lower DAG cost
  bool optimal = false;
  StopReason stop_reason = StopReason::kSaturated;
  double cpu_seconds = 0;  ///< of the calling thread
  size_t reduced_classes = 0;
  size_t reduced_nodes = 0;
  size_t blocks = 0;         ///< independent parts that had something to decide
  size_t largest_block = 0;  ///< nodes in the largest of them
  int relaxations = 0;
  int ilp_rounds = 0;  ///< of branch and bound
  int cuts = 0;
  size_t tree_width = 0;  ///< kTreeWidth: classes in the largest bag, less one

  /// (dag_cost - bound) / |dag_cost|, 0 where proved.
  double gap() const;
};

/// Every result has passed the independent checker. limits.seconds is wall time unless the options say
/// otherwise; limits.nodes bounds branch-and-bound nodes.
Extraction extract(const Problem& problem, Extractor extractor, const Limits& limits = {},
                   const ExtractionOptions& options = {});

}  // namespace isomer::extract
