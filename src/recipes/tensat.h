// TENSAT (Yang et al., Equality Saturation for Tensor Graph Superoptimization, MLSys 2021) as a recipe:
// saturate with TASO's rules, multi-pattern ones in the first k iterations, keep the e-graph acyclic, extract
// by an integer program.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "recipes/egraph_picture.h"
#include "rewrite/tensor_extract.h"

namespace isomer::recipes {

struct TensatOptions {
  std::string cost = "anchor";
  std::shared_ptr<cost::CostModel> model;  ///< if any: instead of the one that `cost` names
  uint32_t k_multi = 1;
  uint64_t node_limit = 50'000;  ///< in TENSAT's counting
  uint64_t iteration_limit = 15;
  double seconds = 3600;   ///< of exploration, and again of extraction
  bool cpu_clock = false;  ///< of extraction: CPU seconds
  size_t node_multi = 3'000'000;
  rewrite::CycleMode cycles = rewrite::CycleMode::kEfficient;
  extract::Extractor extractor = extract::Extractor::kAuto;
  bool weights_free = true;  ///< TENSAT's objective pays for operators on weights; ours need not
  StopToken stop;
  EGraphViewer watch{};
};

struct TensatResult {
  double start_cost = 0;  ///< weights charged as in `cost`
  double cost = 0;
  double bound = 0;
  bool optimal = false;
  ir::Graph graph;
  rewrite::SaturateReport exploration;
  rewrite::TensorExtraction extraction;
  std::vector<std::pair<std::string, size_t>> rules;  ///< that the result used, with how often
};

enum class GroupedConvolutions : uint8_t {
  kSound,     ///< rules that are wrong for grouped convolutions leave them alone
  kAsTensat,  ///< no such conditions: e-node counts are TENSAT's, results on grouped convolutions may be
              ///< wrong
};

/// What benches call the two: "tensat" (sound), "published".
constexpr std::string_view kTensatRules = "tensat", kPublishedRules = "published";
constexpr std::string_view name_of(GroupedConvolutions grouped) {
  return grouped == GroupedConvolutions::kSound ? kTensatRules : kPublishedRules;
}

/// TASO's rules as TENSAT runs them (124 + 15), from the folder that holds taso_single.txt, taso_multi.txt
/// and taso_handwritten.rules.
rewrite::RuleSet tensat_rules(const ir::OpTable& ops, const std::string& folder,
                              GroupedConvolutions grouped = GroupedConvolutions::kSound);

/// `graph` in TENSAT's language (formats/sexpr); it must have static shapes where the cost model asks for
/// them.
TensatResult run_tensat(const ir::Graph& graph, const rewrite::RuleSet& rules, const TensatOptions& options);

}  // namespace isomer::recipes
