#include "recipes/rule_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <set>
#include <system_error>

#include "cost/layout_cost.h"
#include "recipes/cost_choice.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_stability.h"
#include "support/errors.h"
#include "support/lexer.h"

namespace isomer::recipes {
namespace {

constexpr const char* kDisabled = "--disable-rule";
constexpr const char* kUnstable = "unstable in float32";
constexpr const char* kRounds = "not bit-exact";
constexpr const char* kWrong = "wrong: the sides differ";
constexpr const char* kUnchecked = "not checked in the time";

/// `reason_of`: null where a rule stays.
void leave_out(RuleChoice& choice, const std::function<const char*(rewrite::Rule&)>& reason_of) {
  std::vector<rewrite::Rule> kept;
  for (rewrite::Rule& rule : choice.rules.rules) {
    if (const char* const reason = reason_of(rule))
      choice.left_out[reason].push_back(rule.name);
    else
      kept.push_back(std::move(rule));
  }
  choice.rules.rules = std::move(kept);
}

/// The name of the rule that a word of --disable-rule means.
std::string name_of(const rewrite::RuleSet& rules, const std::string& word) {
  int64_t place = 0;
  if (!parse_integer(word, place)) return word;
  if (place < 1 || place > static_cast<int64_t>(rules.rules.size()))
    throw UsageError(fmt::format("--disable-rule {}: there are {} rules", word, rules.rules.size()));
  return rules.rules[static_cast<size_t>(place) - 1].name;
}

/// The path of a file however it was named.
std::string in_one_way(const std::string& file) {
  std::error_code none;
  return std::filesystem::weakly_canonical(file, none).string();
}

/// Of a rule that is not ours, at an eighth of the instances of `rules check`: what is wrong at sizes or
/// types that the model has is found at each application too. What differs on floats alone is unstable, not
/// wrong.
bool is_wrong(ir::Context& ctx, const rewrite::Rule& rule, const Deadline& until) {
  constexpr int kInstances = 16;
  rewrite::RuleCheckOptions options;
  options.instances = kInstances;
  options.equivalence.until = until;
  const verify::Verdict verdict = rewrite::check_rule(ctx, rule, options).verdict;
  return verdict.kind == verify::VerdictKind::kRefuted && !verdict.of_floats();
}

/// Why a rule is left out; null: it is not. What was measured goes into the rule.
const char* fault_of(ir::Context& ctx, rewrite::Rule& rule, bool is_shipped, const RuleWishes& wishes) {
  using rewrite::Stability;
  const bool strict = wishes.floats == FloatPromise::kStrict;
  const char* const unstable = wishes.floats == FloatPromise::kFast ? nullptr : kUnstable;
  if (rule.stability == Stability::kUnstable) return unstable;
  if (strict && rule.stability != Stability::kExact) return kRounds;
  if (is_shipped && !strict) return nullptr;
  if (wishes.until.passed()) return kUnchecked;
  const rewrite::StabilityReport report = rewrite::measure_stability(ctx, rule);
  if (strict && is_shipped) return rewrite::is_bit_exact(report) ? nullptr : kRounds;
  if (!is_shipped && is_wrong(ctx, rule, wishes.until)) return kWrong;
  if (report.measured == Stability::kUnstable) return unstable;
  if (report.evaluations == 0 || report.measured != Stability::kExact)
    rule.stability = Stability::kReassociates;
  return strict && !rewrite::is_bit_exact(report) ? kRounds : nullptr;
}

}  // namespace

RuleNeeds needs_of(const CostSource& cost, const formats::Dialect& dialect) {
  RuleNeeds needs;
  needs.measured = cost.is_measured();
  needs.attention = dialect.contrib || dialect.opset >= kFirstOpsetWithAttention;
  needs.contrib = dialect.contrib;
  needs.layouts = cost::layout_of(cost.name).has_value();
  return needs;
}

void disable_rules(RuleChoice& choice, const std::vector<std::string>& words) {
  std::set<std::string> names;
  for (const std::string& word : words) {
    if (word == kBodyRewrite) {
      choice.left_out[kDisabled].push_back(word);
      continue;
    }
    const std::string name = name_of(choice.rules, word);
    choice.rules.require(name);
    names.insert(name);
  }
  leave_out(choice,
            [&](const rewrite::Rule& rule) { return names.contains(rule.name) ? kDisabled : nullptr; });
}

RuleChoice choose_rules(ir::Context& ctx, const RuleWishes& wishes) {
  RuleChoice out;
  std::vector<std::string> files = wishes.files.empty() ? rule_files(wishes.needs) : wishes.files;
  files.insert(files.end(), wishes.more.begin(), wishes.more.end());
  for (const std::string& file : files) out.rules.append(rewrite::load_rules(ctx.ops(), file));

  rewrite::RuleSet not_needed;
  if (wishes.files.empty())
    for (const auto& [file, reason] : files_not_needed(wishes.needs))
      for (rewrite::Rule& rule : rewrite::load_rules(ctx.ops(), file).rules) {
        out.left_out[reason].push_back(rule.name);
        not_needed.rules.push_back(std::move(rule));
      }
  std::vector<std::string> disabled = wishes.disabled;
  std::erase_if(disabled, [&](const std::string& word) { return not_needed.find(word) != nullptr; });
  disable_rules(out, disabled);
  std::set<std::string> shipped;
  for (const std::string& file : all_rule_files()) shipped.insert(in_one_way(file));
  leave_out(out, [&](rewrite::Rule& rule) {
    return fault_of(ctx, rule, shipped.contains(in_one_way(rule.file)), wishes);
  });
  return out;
}

}  // namespace isomer::recipes
