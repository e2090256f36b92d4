// A set of rewrite rules from outside: shipped, from a file or from text; chosen from, and judged. A handle:
// sets do not change.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "rewrite/rule.h"
#include "support/limits.h"

namespace isomer::api {

struct RuleInfo {
  std::string name, origin, aim, file;
  int line = 0;
  std::string stability;       ///< that it promises: exact, reassociates, unstable
  bool several_sides = false;  ///< a multi-pattern rule
  std::string text;            ///< drawn: both sides as trees, conditions
};

/// What is said of a rule as it is stated (recipes/judge_rule.h).
struct RuleJudgement {
  std::string rule;
  std::string verdict;      ///< identity, sampled, tested, refuted, unknown
  bool holds = false;       ///< at all instances
  bool overstated = false;  ///< it is less stable than it says
  std::string summary;      ///< "holds at 512 instances (field; ...)"
  std::string scope;        ///< ranks, sizes, element types of the instances
  std::string arithmetic;   ///< "bit-exact", "equal in exact arithmetic ..."; empty where the sides differ
  std::string stability;    ///< measured
  std::string instance;     ///< the weakest one: types and attributes
  std::string counterexample;
};

class RuleSet {
 public:
  explicit RuleSet(rewrite::RuleSet rules);

  /// "default": what always holds on ONNX models; "all": every set for them; "tensat"; or a file of the
  /// rules' folder by its name: "algebra". Throws UsageError that lists the names.
  static RuleSet shipped(const std::string& name);
  static std::vector<std::string> shipped_names();
  static RuleSet load(const std::string& path);
  /// `name` stands for the file in messages.
  static RuleSet parse(const std::string& text, const std::string& name);

  size_t size() const { return rules_->rules.size(); }
  RuleInfo info(size_t i) const;
  std::vector<std::string> names() const;
  /// Throws UsageError, with names that are near.
  size_t number_of(const std::string& name) const;
  /// Those with these numbers, in this order.
  RuleSet choose(const std::vector<size_t>& numbers) const;
  RuleSet joined(const RuleSet& more) const;

  /// Of all rules; those that no time was left for are unknown.
  std::vector<RuleJudgement> check(int instances, double seconds, uint64_t seed, const StopToken& stop) const;

  const std::shared_ptr<const rewrite::RuleSet>& rules() const { return rules_; }

 private:
  std::shared_ptr<const rewrite::RuleSet> rules_;
};

}  // namespace isomer::api
