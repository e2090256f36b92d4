// TENSAT's evaluation, run again: its tables and figures with our engine, on its start graphs, beside its own
// numbers. Times are CPU seconds of one thread. Costs come from an analytic model, so that they are the same
// in every run and the spread of repeated runs is that of the times alone; or are measured on this machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cost/cost_model.h"
#include "recipes/found_check.h"
#include "recipes/tensat.h"
#include "recipes/whole_programs.h"
#include "support/limits.h"

namespace isomer::evaluation {

struct TensatBenchOptions {
  std::string graphs;  ///< folder that holds bert.dag, nasrnn.dag, ...
  std::string cost = "anchor";
  /// If any, instead of what `cost` names: a model for this start graph and its context.
  std::function<std::shared_ptr<cost::CostModel>(const ir::Graph&)> costs;
  /// The programs of table 1 and figure 7 are also timed whole, each against the start graph.
  std::optional<recipes::WholeProgramOptions> whole;
  bool check = true;  ///< each program found is compared with its start graph
  recipes::GroupedConvolutions rules = recipes::GroupedConvolutions::kSound;
  std::vector<std::string> models;  ///< empty: the paper's seven and ResNet-50
  int repeats = 5;
  double ilp_seconds = 60;          ///< of CPU; each extraction may take so long (the paper: 3,600, wall)
  double exploration_seconds = 60;  ///< and each exploration
  int most_k_multi = 3;             ///< figure 7
  int taso_budget = 1000;           ///< the longer of TASO's two searches; the shorter one is 100
  StopToken stop;
};

/// Mean and standard error of repeated times.
struct Seconds {
  double mean = 0, error = 0;
};

/// One run of the recipe, repeated for its times. What operators on weights alone cost is in the objective,
/// as TENSAT has it, or is not (`weights_free`, ours); speed-ups are of graphs with weights folded in any
/// case.
struct TensatRow {
  std::string model;
  int k_multi = 1;
  bool weights_free = false;
  double start = 0, cost = 0;            ///< weights folded
  double speedup = 0;                    ///< per cent: 100 (start / cost - 1)
  double gap = 0;                        ///< of the extraction, relative, in its own objective
  bool optimal = false;                  ///< false: the extractor ran out of time
  uint64_t e_nodes = 0, iterations = 0;  ///< by TENSAT's counting
  std::string stop;                      ///< of the exploration
  Seconds exploration, extraction, total;
  std::optional<recipes::WholeProgram> whole;
  std::optional<recipes::FoundCheck> check{};
};
struct TasoRow {
  std::string model;
  double alpha = 1;
  bool weights_free = false;
  uint64_t budget = 100, expanded = 0, held = 0;
  double start = 0, cost = 0, speedup = 0;
  Seconds total, to_best;
  std::optional<recipes::WholeProgram> whole;
  std::optional<recipes::FoundCheck> check{};
};

/// Table 1 and figures 4, 5, and table 3: TENSAT at k_multi 1 (Inception-v3 also at 2), TASO at alpha 1
/// and 1.05 with n = 100, and at alpha 1 with the longer budget.
struct MainTable {
  std::vector<TensatRow> tensat;
  std::vector<TasoRow> taso;
};
MainTable main_table(const TensatBenchOptions& options);

/// Table 4: the cost of what greedy and ILP pick, k_multi 1.
struct ExtractorRow {
  std::string model;
  double original = 0, greedy = 0, ilp = 0;
  std::optional<recipes::FoundCheck> check{};  ///< of both programs
};
std::vector<ExtractorRow> extractor_table(const TensatBenchOptions& options);

/// Table 5: extraction with ordering variables in the program (real, integer), from an e-graph with its
/// cycles, and without, from one that was kept acyclic. Table 6: exploration under the two filters.
struct CycleRow {
  std::string model;
  int k_multi = 1;
  struct Solve {
    double seconds = 0, cost = 0, bound = 0;
    bool optimal = false, found = false;
    std::optional<recipes::FoundCheck> check{};
  };
  Solve real, integer, without, ours;  ///< `ours`: the extractor `auto` on the e-graph with its cycles
  struct Exploration {
    double seconds = 0;
    uint64_t e_nodes = 0;
    std::string stop;
  };
  Exploration vanilla, efficient;
};
std::vector<CycleRow> cycle_table(const TensatBenchOptions& options);

/// Figure 6: best speed-up reached by then, on Inception-v3. For TASO after each improvement; for TENSAT
/// after each k_multi, all runs before it counted in.
struct Point {
  double seconds = 0, speedup = 0;
};
struct Curves {
  std::vector<Point> tensat, taso;
  std::optional<recipes::FoundCheck> check{};  ///< of all programs on the way
};
Curves speedup_over_time(const TensatBenchOptions& options, double seconds = 60);

/// Figure 7: k_multi 0 to most_k_multi, each once.
std::vector<TensatRow> multi_pattern_table(const TensatBenchOptions& options);

}  // namespace isomer::evaluation
