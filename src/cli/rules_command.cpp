#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <array>
#include <memory>

#include "cli/commands.h"
#include "ir/op_table.h"
#include "recipes/rule_files.h"
#include "rewrite/rule_check.h"
#include "rewrite/rule_parser.h"
#include "verify/verdict.h"

namespace isomer::cli {
namespace {

std::vector<std::string> files_or_default(const std::vector<std::string>& files) {
  return files.empty() ? recipes::default_rule_files() : files;
}

/// A verdict for every rule of the files; the refuted ones make exit status 4.
void check(const std::vector<std::string>& files, bool json, Session& session) {
  size_t total = 0;
  std::array<size_t, 5> kinds{};
  ir::Context ctx(ir::standard_ops());
  for (const std::string& file : files_or_default(files)) {
    const rewrite::RuleSet set = rewrite::load_rules(ir::standard_ops(), file);
    for (const rewrite::Rule& rule : set.rules) {
      const rewrite::RuleVerdict verdict = rewrite::check_rule(ctx, rule);
      ++total;
      ++kinds[static_cast<size_t>(verdict.verdict.kind)];
      if (!json) fmt::print("{:<40} {}\n", rule.name, verify::summary(verdict.verdict));
      if (!json && !verdict.verdict.equivalent()) fmt::print("    at {}\n", verdict.instance);
    }
  }
  const auto count = [&](verify::VerdictKind kind) { return kinds[static_cast<size_t>(kind)]; };
  using Kind = verify::VerdictKind;
  fmt::print(
      fmt::runtime(
          json ? "{{\"rules\": {}, \"proved\": {}, \"sampled\": {}, \"tested\": {}, \"refuted\": {}, "
                 "\"unknown\": {}}}\n"
               : "{} rules: {} proved, {} equal at samples, {} tested on floats, {} refuted, {} unknown\n"),
      total, count(Kind::kProved), count(Kind::kSampled), count(Kind::kTested), count(Kind::kRefuted),
      count(Kind::kUnknown));
  if (count(Kind::kRefuted) > 0) session.status = 4;
}

}  // namespace

void add_rules(CLI::App& app, Session& session) {
  CLI::App* rules = app.add_subcommand("rules", "Look at rule sets: list, check");
  rules->require_subcommand(1);
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* list = rules->add_subcommand("list", "names, kinds and origins of the rules");
  list->add_option("files", *files, "rule files (default: the shipped set of the main job)");
  auto json = std::make_shared<bool>(false);
  CLI::App* verdicts = rules->add_subcommand("check", "a verdict for each rule, by the verifier");
  verdicts->add_option("files", *files, "rule files (default: the shipped set of the main job)");
  verdicts->add_flag("--json", *json, "print one JSON object on standard output");
  verdicts->callback([files, json, &session] { check(*files, *json, session); });
  list->callback([files] {
    for (const std::string& file : files_or_default(*files)) {
      const rewrite::RuleSet set = rewrite::load_rules(ir::standard_ops(), file);
      fmt::print("{}: {} rules\n", file, set.rules.size());
      for (const rewrite::Rule& r : set.rules)
        fmt::print("  {:<40} {:<7} {}\n", r.name, r.is_multi() ? "multi" : "single", r.origin);
    }
  });
}

}  // namespace isomer::cli
