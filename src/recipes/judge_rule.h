// What is said of one rule as it is stated: the verifier's verdict and the stability that was measured, each
// at instances of its own, held to each other.
#pragma once

#include <cstdint>

#include "ir/context.h"
#include "rewrite/rule.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_stability.h"
#include "support/deadline.h"

namespace isomer::recipes {

struct JudgeOptions {
  uint64_t seed = 1;
  int instances = 512;
  Deadline until = {};
};

struct JudgedRule {
  rewrite::RuleVerdict verdict;
  rewrite::StabilityReport stability;
  bool overstated = false;  ///< the rule promises more stability than was measured
  bool cut = false;         ///< by the deadline, before a difference was seen: it says nothing
};

JudgedRule judge(ir::Context& ctx, const rewrite::Rule& rule, const JudgeOptions& options = {});

}  // namespace isomer::recipes
