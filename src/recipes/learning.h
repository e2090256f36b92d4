// An environment for reinforcement learning from a program file: what the Python package's isomer/EGraph-v0
// is made of.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "problems/environment.h"
#include "recipes/choices.h"

namespace isomer::recipes {

struct LearningOptions {
  /// A program file (recipes/load.h), or the name of one of TENSAT's start graphs in a source tree
  /// ("squeezenet").
  std::string model;
  std::map<std::string, int64_t> dims;
  std::string cost = "roofline:a100";  ///< an analytic model: cost/cost_model.h
  /// TENSAT's: TASO's as TENSAT has them, in whose language the program is then; actions are the paper's
  /// numbers (recipes/mcts.h). Isomer's: the shipped ones, on the program as it is.
  LearningRules rules = LearningRules::kTensat;
  problems::Extraction extraction = problems::Extraction::kSharingCorrected;  ///< for rewards
  size_t node_limit = 2000;  ///< a program that is larger from the start is a UsageError
  /// An action is a rule in one of so many consecutive parts of the program: part * rules + rule.
  uint32_t regions = 1;
  size_t episodes = 1;  ///< side by side
  problems::EnvironmentOptions environment;
};

class LearningEnvironment {
 public:
  /// Throws InputError, UsageError.
  explicit LearningEnvironment(const LearningOptions& options);
  ~LearningEnvironment();

  problems::Environment& environment();
  /// By action.
  const std::vector<std::string>& rule_names() const;
  const LearningOptions& options() const;
  /// What the numbers of operators in graphs mean.
  std::vector<std::string> operator_names() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isomer::recipes
