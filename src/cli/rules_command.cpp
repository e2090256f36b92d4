#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "cli/commands.h"
#include "ir/op_table.h"
#include "recipes/rule_files.h"
#include "rewrite/rule_parser.h"

namespace isomer::cli {
namespace {

std::vector<std::string> files_or_default(const std::vector<std::string>& files) {
  return files.empty() ? recipes::default_rule_files() : files;
}

}  // namespace

void add_rules(CLI::App& app, Session&) {
  CLI::App* rules = app.add_subcommand("rules", "Look at rule sets: list");
  rules->require_subcommand(1);
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* list = rules->add_subcommand("list", "names, kinds and origins of the rules");
  list->add_option("files", *files, "rule files (default: the shipped set of the main job)");
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
