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
  kTreeGreedy,  ///< tree-optimal for costs >= 0
  kDagGreedy,   ///< better where parts are shared; no promise
  kIlp,         ///< DAG-optimal, or incumbent and bound; starts from the better of the two above
  kAuto,        ///< the best answer in the time given: today the same as kIlp
};

/// "greedy", "dag-greedy", "ilp", "auto".
std::string_view to_string(Extractor extractor);
std::optional<Extractor> extractor_from_name(std::string_view name);
/// All names, for help and error messages.
std::vector<std::string_view> extractor_names();

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
  size_t blocks = 0;         ///< independent parts that the ILP had to decide
  size_t largest_block = 0;  ///< nodes in the largest of them
  int relaxations = 0;
  int ilp_rounds = 0;
  int cycle_cuts = 0;

  /// (dag_cost - bound) / |dag_cost|, 0 where proved.
  double gap() const;
};

/// Every result has passed the independent checker. limits.seconds is wall time; limits.nodes bounds
/// branch-and-bound nodes.
Extraction extract(const Problem& problem, Extractor extractor, const Limits& limits = {});

}  // namespace isomer::extract
