// Growing an e-graph and keeping it: what `isomer explore` does, over tensors or over plain symbols.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "egraph/cycles.h"
#include "egraph/scheduler.h"
#include "extract/egraph_json.h"
#include "support/float_promise.h"
#include "support/limits.h"
#include "support/progress.h"
#include "support/run_record.h"

namespace isomer::recipes {

enum class ExploredLanguage : uint8_t { kTensor, kSymbols };
/// Words that choose; UsageError for another.
ExploredLanguage explored_language(std::string_view word);    ///< tensor, symbols
egraph::SchedulerKind scheduler_kind(std::string_view word);  ///< simple, backoff

struct ExploreOptions {
  std::string file;  ///< ONNX, .model, .dag, .graph, or a term
  ExploredLanguage language = ExploredLanguage::kTensor;
  std::vector<std::string> rules;  ///< empty: those of the main job for ONNX and .graph, TENSAT's for its own
                                   ///< formats
  std::vector<std::string> add_rules;           ///< beside these
  std::vector<std::string> disable_rules;       ///< names, or numbers in the list of all rules, from 1
  FloatPromise floats = FloatPromise::kFinite;  ///< ONNX and .graph: as of the main job
  bool layouts = false;                         ///< data layouts are alternatives: layouts.rules as well
  std::vector<std::string> dims;
  int k_multi = 1;
  egraph::CycleMode cycles = egraph::CycleMode::kEfficient;
  egraph::SchedulerKind scheduler = egraph::SchedulerKind::kBackoff;
  std::string cost;      ///< of the nodes in the file that is written; empty: ast-size
  std::string output;    ///< extraction-gym JSON; empty: not written
  std::string page;      ///< of the e-graph, written by who asks: the result then holds it
  bool explain = false;  ///< find the chain of rewrites to the cheapest program (symbols: smallest)
  uint64_t node_limit = 50'000;
  uint64_t iterations = 15;
  unsigned threads = 1;  ///< of the search; the e-graph does not depend on it
  double time_limit = 60;
  uint64_t memory_limit = 0;
};

struct ExploreResult {
  uint64_t e_nodes = 0, e_classes = 0, hashcons_size = 0, iterations = 0, matches = 0, matches_applied = 0;
  uint64_t tensat_nodes = 0;  ///< tensor language: by TENSAT's counting; 0: not counted
  uint64_t filtered = 0;
  uint64_t memory_bytes = 0;  ///< of the e-graph
  std::string stop_reason;
  double cpu_seconds = 0, search_seconds = 0, apply_seconds = 0, rebuild_seconds = 0, cycle_seconds = 0,
         multi_seconds = 0;
  uint64_t rules_used = 0;
  std::map<std::string, std::vector<std::string>> rules_left_out;  ///< why -> which of the others
  std::vector<std::pair<std::string, uint64_t>> rules;  ///< name, matches applied; those that applied at all
  std::vector<RewriteEntry> chain;                      ///< from the program to the cheapest, by `cost`
  std::string no_chain;                                 ///< why there is none, though one was asked for
  double cost_before = 0, cost_after = 0;               ///< of the chain's ends
  std::optional<extract::SerializedEGraph> egraph;      ///< where a page is asked for
  std::vector<std::string> makers;                      ///< by its nodes: the rule that made it; may be empty
};

/// Throws InputError, UsageError.
ExploreResult explore(const ExploreOptions& options, const StopToken& stop, ProgressSink& progress);

}  // namespace isomer::recipes
