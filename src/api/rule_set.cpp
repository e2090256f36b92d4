#include "api/rule_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ir/context.h"
#include "ir/op_table.h"
#include "recipes/judge_rule.h"
#include "recipes/rule_files.h"
#include "recipes/tensat.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_print.h"
#include "support/clock.h"
#include "support/errors.h"
#include "support/unknown_word.h"

namespace isomer::api {
namespace {

rewrite::RuleSet of_files(const std::vector<std::string>& files) {
  rewrite::RuleSet out;
  for (const std::string& file : files) out.append(rewrite::load_rules(ir::standard_ops(), file));
  return out;
}

RuleJudgement judgement(const rewrite::Rule& rule, const recipes::JudgedRule& judged) {
  const rewrite::RuleVerdict& v = judged.verdict;
  RuleJudgement out;
  out.rule = rule.name;
  out.verdict = rewrite::to_string(v);
  out.holds = v.verdict.equivalent();
  out.overstated = judged.overstated;
  out.summary = rewrite::summary(v);
  out.scope = rewrite::summary(v.scope);
  if (v.verdict.equivalent()) out.arithmetic = rewrite::arithmetic_of(judged.stability);
  out.stability = rewrite::to_string(judged.stability.measured);
  out.instance = v.instance;
  out.counterexample = v.verdict.counterexample;
  return out;
}

RuleJudgement unjudged(const rewrite::Rule& rule) {
  RuleJudgement out;
  out.rule = rule.name;
  out.verdict = verify::to_string(verify::VerdictKind::kUnknown);
  out.summary = "unknown: no time was left for it";
  return out;
}

RuleJudgement judged_until(const Deadline& until, const rewrite::Rule& rule, int instances, uint64_t seed) {
  if (until.passed()) return unjudged(rule);
  ir::Context ctx(ir::standard_ops());
  const recipes::JudgedRule judged = recipes::judge(ctx, rule, {seed, instances, until});
  return judged.cut ? unjudged(rule) : judgement(rule, judged);
}

}  // namespace

RuleSet::RuleSet(rewrite::RuleSet rules)
    : rules_(std::make_shared<const rewrite::RuleSet>(std::move(rules))) {}

std::vector<std::string> RuleSet::shipped_names() {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::directory_iterator(recipes::rules_folder()))
    if (entry.path().extension() == ".rules") out.push_back(entry.path().stem().string());
  std::ranges::sort(out);
  out.insert(out.begin(), {"default", "all", "tensat"});
  return out;
}

RuleSet RuleSet::shipped(const std::string& name) {
  if (name == "default") return RuleSet(of_files(recipes::default_rule_files()));
  if (name == "all") return RuleSet(of_files(recipes::all_rule_files()));
  if (name == "tensat") return RuleSet(recipes::tensat_rules(ir::standard_ops(), recipes::rules_folder()));
  const std::vector<std::string> names = shipped_names();
  if (std::ranges::find(names, name) == names.end()) throw unknown_word("rule set", name, names);
  return load(recipes::rules_folder() + "/" + name + ".rules");
}

RuleSet RuleSet::load(const std::string& path) {
  return RuleSet(rewrite::load_rules(ir::standard_ops(), path));
}

RuleSet RuleSet::parse(const std::string& text, const std::string& name) {
  return RuleSet(rewrite::parse_rules(ir::standard_ops(), text, name));
}

RuleInfo RuleSet::info(size_t i) const {
  if (i >= size()) throw UsageError(fmt::format("there are {} rules, no number {}", size(), i));
  const rewrite::Rule& r = rules_->rules[i];
  return {r.name,       r.origin,
          r.aim,        r.file,
          r.line,       std::string(rewrite::to_string(r.stability)),
          r.is_multi(), rewrite::draw(ir::standard_ops(), r)};
}

std::vector<std::string> RuleSet::names() const {
  std::vector<std::string> out;
  for (const rewrite::Rule& r : rules_->rules) out.push_back(r.name);
  return out;
}

size_t RuleSet::number_of(const std::string& name) const {
  rules_->require(name);
  return static_cast<size_t>(rules_->find(name) - rules_->rules.data());
}

RuleSet RuleSet::choose(const std::vector<size_t>& numbers) const {
  rewrite::RuleSet out;
  for (size_t i : numbers) {
    if (i >= size()) throw UsageError(fmt::format("there are {} rules, no number {}", size(), i));
    out.rules.push_back(rules_->rules[i]);
  }
  return RuleSet(std::move(out));
}

RuleSet RuleSet::joined(const RuleSet& more) const {
  rewrite::RuleSet out = *rules_;
  out.append(*more.rules_);
  return RuleSet(std::move(out));
}

std::vector<RuleJudgement> RuleSet::check(int instances, double seconds, uint64_t seed,
                                          const StopToken& stop) const {
  if (instances < 1) throw UsageError("instances are at least 1");
  const Deadline until(seconds, steady_clock(), stop);
  std::vector<RuleJudgement> out;
  for (const rewrite::Rule& rule : rules_->rules) out.push_back(judged_until(until, rule, instances, seed));
  return out;
}

}  // namespace isomer::api
