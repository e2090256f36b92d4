// The environment of HloEnv (section 2): a module that passes make proposals on, that an agent decides, whose
// hash, work and time can be asked for. Nothing of the module changes but by `apply` and `run`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cost/hlo_analysis.h"
#include "passes/pipeline.h"
#include "recipes/hlo_search.h"

namespace isomer::recipes {

/// An alternative graph as flat arrays. Nodes are instructions: those of the module, then those that only
/// alternatives have (of called computations too).
struct HloGraphArrays {
  std::vector<int32_t> opcodes;       ///< of each node; names by hlo_opcode_names()
  std::vector<int32_t> computations;  ///< -1: none, it is an alternative's
  std::vector<int32_t> elements;      ///< element type; names by hlo_element_names()
  std::vector<int64_t> sizes;         ///< elements of the result; 0 of what is no array
  std::vector<double> flops, bytes;   ///< as cost/hlo_analysis.h counts them
  std::vector<int64_t> edges;         ///< pairs: operand, user; in the order of operands
  /// Of each choice its node, and where its ways begin in `ways` (one more at the end).
  std::vector<int64_t> targets, first_way;
  std::vector<int64_t> ways;       ///< the node whose value a way takes
  std::vector<std::string> rules;  ///< of each way
};

std::vector<std::string> hlo_opcode_names();
std::vector<std::string> hlo_element_names();

class HloEnv {
 public:
  /// HLO text or StableHLO (runtime/hlo_files.h). Throws InputError where it is no module whose types fit.
  static HloEnv parse(const std::string& contents, const std::string& file = "module");
  static HloEnv load(const std::string& path);
  /// Of a module whose types fit.
  static HloEnv of(hlo::Module module) { return HloEnv(std::move(module)); }
  /// And what was proposed on it.
  static HloEnv of(std::shared_ptr<const hlo::Module> module,
                   std::shared_ptr<const passes::AlternativeGraph> graph) {
    return {std::move(module), std::move(graph)};
  }
  HloEnv clone() const { return HloEnv(*module_); }

  const hlo::Module& module() const { return *module_; }
  std::string text() const;
  uint64_t hash() const;
  cost::HloCounts counts() const { return cost::hlo_counts(*module_); }
  size_t instructions() const { return module_->instructions.size(); }

  /// What these passes propose; stays until the module changes.
  const passes::AlternativeGraph& dry_run(const std::vector<std::string>& passes);
  /// Of the last dry run. Throws UsageError before the first.
  HloGraphArrays arrays() const;
  /// One decision for each choice of the last dry run (0: as it is). What was refused and why. Throws
  /// UsageError where the number of decisions or one of them does not fit.
  std::vector<passes::Refusal> apply(const std::vector<uint32_t>& decisions);
  /// All stages that are not off, taking the first proposal each time; a dry one as an ordinary one. Returns
  /// how many were taken. Stopped on the way it throws Error (interrupted), and the module is what it was.
  size_t run(const passes::Pipeline& pipeline, const StopToken& stop = {});

 private:
  explicit HloEnv(hlo::Module module) : module_(std::make_shared<const hlo::Module>(std::move(module))) {}
  HloEnv(std::shared_ptr<const hlo::Module> module, std::shared_ptr<const passes::AlternativeGraph> graph)
      : module_(std::move(module)), graph_(std::move(graph)) {}
  const passes::AlternativeGraph& graph() const;

  std::shared_ptr<const hlo::Module> module_;
  std::shared_ptr<const passes::AlternativeGraph> graph_;
};

}  // namespace isomer::recipes
