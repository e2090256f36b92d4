// Which rules a run has, and which it leaves out and why: one policy for all commands.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "formats/onnx.h"
#include "recipes/choices.h"
#include "recipes/rule_files.h"
#include "rewrite/rule.h"
#include "support/deadline.h"
#include "support/float_promise.h"

namespace isomer::recipes {

struct RuleWishes {
  std::vector<std::string> files;     ///< instead of the shipped ones
  std::vector<std::string> more;      ///< beside the shipped ones, or beside `files`
  std::vector<std::string> disabled;  ///< names, or places in the list of all of them, from 1
  RuleNeeds needs;                    ///< of the shipped ones
  FloatPromise floats = FloatPromise::kFinite;
  Deadline until;  ///< for checking rules that are not shipped: what is not checked by then is left out
};

struct RuleChoice {
  rewrite::RuleSet rules;
  std::map<std::string, std::vector<std::string>> left_out;  ///< reason -> rules, in the order of their files
};

/// The name of all alternatives that have better bodies (recipes/bodies.h), as rules have one.
inline constexpr const char* kBodyRewrite = "better-body";

/// What a run that prices by this cost and writes in this dialect needs.
RuleNeeds needs_of(const CostSource& cost, const formats::Dialect& dialect);

/// Shipped rules are as stable as they say (`isomer rules check` holds them to it); others are measured, and
/// under FloatPromise::kStrict those too that say they are exact: zeros, infinities and NaN count there. What
/// a rule was measured to be is what it then says. Throws InputError; UsageError when there is no rule that
/// is to be disabled.
RuleChoice choose_rules(ir::Context& ctx, const RuleWishes& wishes);

/// Leaves rules out, by name or by place in the list. Throws UsageError.
void disable_rules(RuleChoice& choice, const std::vector<std::string>& words);

}  // namespace isomer::recipes
