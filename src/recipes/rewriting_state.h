// What Rewriting holds, for its own sources.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "recipes/bodies.h"
#include "recipes/rewriting.h"
#include "recipes/rule_choice.h"
#include "rewrite/saturate.h"

namespace isomer::recipes {

struct Rewriting::State {
  const ir::Graph& original;
  const OptimizeOptions& options;
  Ways ways;
  Spine& spine;
  formats::Dialect dialect;
  RuleChoice choice;
  rewrite::RuleSet& rules = choice.rules;
  rewrite::TensorEGraph program;
  rewrite::Saturation saturation;
  BodyRewrites bodies;                   ///< sources of `saturation`'s alternatives, beside rules
  std::map<std::string, double> growth;  ///< of the last saturation, as the record names it
  bool closed = false;
  std::unordered_map<uint64_t, ir::ConstantId> folded;  ///< candidates share most of their constants
  std::unordered_set<uint32_t> checked;                 ///< of these, by number

  State(const ir::Graph& graph, const OptimizeOptions& given, const Ways& chosen, Spine& runner,
        const formats::Dialect& output, RuleChoice chosen_rules)
      : original(graph),
        options(given),
        ways(chosen),
        spine(runner),
        dialect(output),
        choice(std::move(chosen_rules)),
        program(graph, chosen.floats),
        saturation(program, rules) {}

  /// What a rule achieves, in words. Rules that do not say, and merged operators, are told by their name.
  std::string aim_of(const std::string& rule) const {
    if (rule == kBodyRewrite) return "bodies of If, Loop and Scan are rewritten";
    const rewrite::Rule* known = rules.find(rule);
    if (known == nullptr) return "operators of one kind are merged (" + rule + ")";
    return known->aim.empty() ? "the rule " + rule + " is applied" : known->aim;
  }
};

}  // namespace isomer::recipes
