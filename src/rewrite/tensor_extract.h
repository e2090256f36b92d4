// From a saturated e-graph to the cheapest program in it.
#pragma once

#include <functional>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "egraph/flat_problem.h"
#include "extract/extract.h"
#include "rewrite/pricer.h"
#include "rewrite/saturate.h"

namespace isomer::rewrite {

struct ExtractOptions {
  extract::Extractor extractor = extract::Extractor::kAuto;
  Limits limits;           ///< of the extractor
  bool cpu_clock = false;  ///< limits.seconds are CPU time of the calling thread
  PriceOptions prices;
  /// Nodes that may be picked; all where there is no function. The original program's must be among them.
  std::function<bool(egraph::NodeId)> allowed;
  /// E-nodes of a program that is known already: what is found is not dearer (extract::ExtractionOptions).
  std::span<const egraph::NodeId> start = {};
  /// Cheapest among programs whose results are never more bytes at a time than this; the extractor is then
  /// that of extract/bounded.h. Results count from when they are computed until their last user; weights and
  /// what is known at compile time do not.
  double memory_limit = std::numeric_limits<double>::infinity();
};

struct TensorExtraction {
  bool found = false;
  ir::Graph graph;   ///< the program picked
  double cost = 0;   ///< its nodes' costs, as the extractor saw them
  double bound = 0;  ///< no program in the e-graph costs less
  bool optimal = false;
  StopReason stop_reason = StopReason::kSaturated;
  double cpu_seconds = 0;
  std::vector<egraph::NodeId> nodes;  ///< the e-nodes picked
  /// Applications that made e-nodes of the result, by number (Alternatives::applications), each once, in
  /// order.
  std::vector<uint32_t> instances;
  double peak_bytes = 0;  ///< with a memory limit: of the schedule that it was found for
};

/// The e-graph of a program as a flat problem under a cost model.
egraph::FlatProblem flat_problem(const TensorEGraph& program, cost::CostModel& model,
                                 const ExtractOptions& options = {});

/// The program that a selection of the flat problem picks.
ir::Graph program_of(const TensorEGraph& program, const egraph::FlatProblem& flat,
                     const extract::Selection& selection);

TensorExtraction extract(const TensorEGraph& program, const Alternatives& alternatives,
                         cost::CostModel& model, const ExtractOptions& options);

/// Bytes of each node's result, by node of the problem; what the memory limit counts.
std::vector<double> result_bytes(const TensorEGraph& program, const egraph::FlatProblem& flat);

/// Names of the rules that the result used, with how often.
std::vector<std::pair<std::string, size_t>> rules_used(const TensorExtraction& result,
                                                       const Saturation& saturation);

}  // namespace isomer::rewrite
