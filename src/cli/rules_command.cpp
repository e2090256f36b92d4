#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "ir/op_table.h"
#include "recipes/rule_files.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_print.h"
#include "rewrite/rule_stability.h"
#include "support/errors.h"
#include "support/rng.h"
#include "verify/verdict.h"

namespace isomer::cli {
namespace {

struct RulesArgs {
  std::vector<std::string> files, names;
  bool json = false, dot = false;
  int instances = 16;
  int sample = 0;
  uint64_t seed = 1;
};

std::vector<std::string> files_or_default(const std::vector<std::string>& files) {
  return files.empty() ? recipes::default_rule_files() : files;
}

std::vector<rewrite::Rule> chosen_rules(const RulesArgs& args) {
  rewrite::RuleSet set;
  for (const std::string& file : files_or_default(args.files))
    set.append(rewrite::load_rules(ir::standard_ops(), file));
  if (!args.names.empty()) {
    for (const std::string& name : args.names)
      if (set.find(name) == nullptr) throw UsageError("there is no rule named " + name);
    std::erase_if(set.rules, [&](const rewrite::Rule& r) {
      return std::ranges::find(args.names, r.name) == args.names.end();
    });
  }
  if (args.sample > 0) {
    Rng rng(args.seed);
    while (set.rules.size() > static_cast<size_t>(args.sample))
      set.rules.erase(set.rules.begin() + static_cast<std::ptrdiff_t>(rng.below(set.rules.size())));
  }
  return std::move(set.rules);
}

/// What the verifier and the stability measurement say of one rule.
struct Judged {
  rewrite::RuleVerdict verdict;
  rewrite::StabilityReport stability;
  bool overstated = false;  ///< the file promises more stability than was measured
};

Judged judge(ir::Context& ctx, const rewrite::Rule& rule, const RulesArgs& args) {
  rewrite::RuleCheckOptions options;
  options.seed = args.seed;
  options.instances = args.instances;
  rewrite::StabilityOptions stability;
  stability.seed = args.seed;
  stability.instances = std::max(2, args.instances / 2);
  Judged out{rewrite::check_rule(ctx, rule, options), rewrite::measure_stability(ctx, rule, stability),
             false};
  out.overstated = out.stability.evaluations > 0 && out.stability.measured > rule.stability;
  return out;
}

/// A verdict for every rule of the files; refuted ones, and ones less stable than they say, make exit
/// status 4.
void check(const RulesArgs& args, Session& session) {
  using Kind = verify::VerdictKind;
  std::array<size_t, 5> kinds{};
  size_t unstable = 0, overstated = 0;
  double error = 0;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  const std::vector<rewrite::Rule> rules = chosen_rules(args);
  for (const rewrite::Rule& rule : rules) {
    ir::Context ctx(ir::standard_ops());
    const Judged judged = judge(ctx, rule, args);
    const verify::Verdict& v = judged.verdict.verdict;
    ++kinds[static_cast<size_t>(v.kind)];
    if (v.kind == Kind::kProved) error = std::max(error, v.error_probability());
    unstable += judged.stability.measured == rewrite::Stability::kUnstable;
    overstated += judged.overstated;
    const auto measured = rewrite::to_string(judged.stability.measured);
    if (args.json) {
      list.push_back({{"rule", rule.name},
                      {"verdict", verify::to_string(v.kind)},
                      {"how", verify::summary(v)},
                      {"error_probability", v.error_probability()},
                      {"instances", judged.verdict.instances},
                      {"integers", judged.verdict.other_dtypes},
                      {"stability", rewrite::to_string(rule.stability)},
                      {"measured_stability", measured},
                      {"stability_reason", judged.stability.reason},
                      {"spreads_infinities", judged.stability.spreads_infinities}});
      continue;
    }
    fmt::print("{:<40} {}; {}\n", rule.name, verify::summary(v), measured);
    if (!v.equivalent()) fmt::print("    at {}\n", judged.verdict.instance);
    if (!judged.stability.reason.empty()) fmt::print("    unstable: {}\n", judged.stability.reason);
    if (judged.overstated)
      fmt::print("    the file says {}, measured {}\n", rewrite::to_string(rule.stability), measured);
  }
  const auto count = [&](Kind kind) { return kinds[static_cast<size_t>(kind)]; };
  // Sampled: equal over the field, but integers among the inputs, which no probability can be stated for.
  const size_t tested = count(Kind::kTested) + count(Kind::kSampled);
  if (args.json) {
    const nlohmann::ordered_json out = {{"rules", rules.size()},
                                        {"proved", count(Kind::kProved)},
                                        {"tested", tested},
                                        {"refuted", count(Kind::kRefuted)},
                                        {"unknown", count(Kind::kUnknown)},
                                        {"sampled", count(Kind::kSampled)},
                                        {"error_probability", error},
                                        {"unstable", unstable},
                                        {"stability_overstated", overstated},
                                        {"list", list}};
    fmt::print("{}\n", out.dump());
  } else {
    fmt::print(
        "{} rules: {} proved (error < 2^{:.0f}), {} tested, {} refuted, {} unknown; {} unstable, {} less "
        "stable than "
        "declared\n",
        rules.size(), count(Kind::kProved), error > 0 ? std::ceil(std::log2(error)) : -1000.0, tested,
        count(Kind::kRefuted), count(Kind::kUnknown), unstable, overstated);
  }
  if (count(Kind::kRefuted) > 0 || overstated > 0) session.status = 4;
}

void show(const RulesArgs& args) {
  for (const rewrite::Rule& rule : chosen_rules(args)) {
    if (args.dot) {
      fmt::print("{}", rewrite::to_dot(ir::standard_ops(), rule));
      continue;
    }
    ir::Context ctx(ir::standard_ops());
    const Judged judged = judge(ctx, rule, args);
    fmt::print("{}\n  {}\n  measured: {}{}\n", rewrite::draw(ir::standard_ops(), rule),
               verify::summary(judged.verdict.verdict), rewrite::to_string(judged.stability.measured),
               judged.stability.reason.empty() ? "" : ": " + judged.stability.reason);
    if (!judged.verdict.instance.empty()) fmt::print("  for example at {}\n", judged.verdict.instance);
  }
}

void list(const RulesArgs& args) {
  for (const std::string& file : files_or_default(args.files)) {
    const rewrite::RuleSet set = rewrite::load_rules(ir::standard_ops(), file);
    fmt::print("{}: {} rules\n", file, set.rules.size());
    for (const rewrite::Rule& r : set.rules)
      fmt::print("  {:<40} {:<7} {:<13} {}\n", r.name, r.is_multi() ? "multi" : "single",
                 rewrite::to_string(r.stability), r.origin);
  }
}

}  // namespace

void add_rules(CLI::App& app, Session& session) {
  CLI::App* rules = app.add_subcommand("rules", "Look at rule sets: list, show, check");
  rules->require_subcommand(1);
  auto args = std::make_shared<RulesArgs>();
  constexpr const char* kFiles = "rule files (default: the shipped set of the main job)";
  CLI::App* names = rules->add_subcommand("list", "names, kinds, stability and origins of the rules");
  names->add_option("files", args->files, kFiles);
  names->callback([args] { list(*args); });

  CLI::App* drawn = rules->add_subcommand("show", "one rule, drawn, with its verdict");
  drawn->add_option("name", args->names, "its name")->required()->expected(1);
  drawn->add_option("--rules", args->files, kFiles);
  drawn->add_flag("--dot", args->dot, "as a graph for dot");
  drawn->callback([args] { show(*args); });

  CLI::App* verdicts =
      rules->add_subcommand("check", "a verdict for each rule by the verifier, and its stability, measured");
  verdicts->add_option("files", args->files, kFiles);
  verdicts->add_option("--rule", args->names, "only this rule (may be repeated)")->allow_extra_args(false);
  verdicts->add_option("--instances", args->instances, "types and attributes that each rule is checked at")
      ->capture_default_str();
  verdicts->add_option("--sample", args->sample, "check so many rules, drawn at random (0: all)")
      ->capture_default_str();
  verdicts->add_option("--seed", args->seed, "seed of every random choice")->capture_default_str();
  verdicts->add_flag("--json", args->json, "print one JSON object on standard output");
  verdicts->callback([args, &session] { check(*args, session); });
}

}  // namespace isomer::cli
