#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <numeric>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "recipes/hlo_subsets.h"
#include "support/errors.h"

namespace isomer::cli {
namespace {

struct HloDatasetArgs {
  std::vector<std::string> paths;
  std::string output;
  recipes::HloSubgraphOptions options;
  std::vector<uint64_t> instructions;
  bool json = false;
};

size_t percentile(const std::vector<size_t>& sorted, int percent) {
  constexpr size_t kAll = 100;
  return sorted.empty() ? 0 : sorted[(sorted.size() - 1) * static_cast<size_t>(percent) / kAll];
}

nlohmann::ordered_json object(const std::map<std::string, size_t>& counts) {
  auto out = nlohmann::ordered_json::object();
  for (const auto& [name, count] : by_count(counts)) out[name] = count;
  return out;
}

nlohmann::ordered_json to_json(const recipes::HloStatistics& s) {
  auto packages = nlohmann::ordered_json::array();
  for (const auto& [name, p] : s.packages)
    packages.push_back({{"package", name},
                        {"version", p.version},
                        {"licence", p.licence},
                        {"modules", p.modules},
                        {"instructions", p.instructions}});
  return {{"modules", s.instructions.size()},
          {"instructions", std::accumulate(s.instructions.begin(), s.instructions.end(), size_t{0})},
          {"instructions_least", percentile(s.instructions, 0)},
          {"instructions_p10", percentile(s.instructions, 10)},
          {"instructions_median", percentile(s.instructions, 50)},
          {"instructions_p90", percentile(s.instructions, 90)},
          {"instructions_most", percentile(s.instructions, 100)},
          {"with_elided_constants", s.with_elided},
          {"refused", s.refused},
          {"packages", packages},
          {"opcodes", object(s.opcodes)},
          {"element_types", object(s.element_types)}};
}

void run_stats(const HloDatasetArgs& a) {
  const recipes::HloStatistics s = recipes::hlo_statistics(a.paths);
  if (a.json) return print_json(to_json(s));
  fmt::print("{}; instructions: least {}, 10 % {}, median {}, 90 % {}, most {}\n",
             how_many(s.instructions.size(), "module"), percentile(s.instructions, 0),
             percentile(s.instructions, 10), percentile(s.instructions, 50), percentile(s.instructions, 90),
             percentile(s.instructions, 100));
  if (s.refused > 0) fmt::print("{} not read\n", how_many(s.refused, "file"));
  for (const auto& [name, p] : s.packages)
    if (!name.empty())
      fmt::print("{:>8} modules  {:>9} instructions  {} {} ({})\n", p.modules, p.instructions, name,
                 p.version, p.licence.empty() ? "licence not known" : p.licence);
  for (const auto& [opcode, count] : by_count(s.opcodes)) fmt::print("{:>8}  {}\n", count, opcode);
}

void print_subset(const recipes::HloSubset& r, const HloDatasetArgs& a, bool subgraphs) {
  if (a.json)
    return print_json({{"output", a.output},
                       {"modules", r.modules},
                       {"drawn", r.drawn},
                       {"added", r.added},
                       {"left_out", object(r.left_out)},
                       {"stop_reason", to_string(r.stop_reason)}});
  fmt::print("{} looked at{}, {} added to {}\n", how_many(r.modules, "module"),
             subgraphs ? fmt::format(", {} drawn", how_many(r.drawn, "sub-graph")) : "", r.added, a.output);
  for (const auto& [why, count] : by_count(r.left_out)) fmt::print("{:>8}  {}\n", count, why);
}

void run_subset(HloDatasetArgs a, Session& session, bool subgraphs) {
  const api::StopRelay relay(session.stop);
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  a.options.stop = relay.token();
  a.options.progress = &progress;
  if (!a.instructions.empty() && a.instructions[0] > a.instructions[1])
    throw UsageError("--instructions: expected the least number first");
  if (!a.instructions.empty() && subgraphs)
    a.options.size = {static_cast<uint32_t>(a.instructions[0]), static_cast<uint32_t>(a.instructions[1])};
  if (!a.instructions.empty() && !subgraphs) {
    a.options.filter.least = a.instructions[0];
    a.options.filter.most = a.instructions[1];
  }
  const recipes::HloSubset r = subgraphs ? recipes::hlo_subgraphs(a.paths, a.output, a.options)
                                         : recipes::hlo_filter(a.paths, a.output, a.options);
  end_progress();
  if (r.stop_reason == StopReason::kInterrupted) session.status = static_cast<int>(ExitStatus::kInterrupted);
  print_subset(r, a, subgraphs);
}

CLI::App* job(CLI::App& app, const char* name, const char* help, const std::shared_ptr<HloDatasetArgs>& a) {
  CLI::App* command = app.add_subcommand(name, help);
  command->add_option("paths", a->paths, "data sets, folders of texts, files")->required();
  command->add_flag("--json", a->json, "print one JSON object");
  return command;
}

/// Options of the jobs that make a data set.
void makes_one(CLI::App* command, const std::shared_ptr<HloDatasetArgs>& a, const char* instructions) {
  command->add_option("-o,--output", a->output, "the data set; it is made, or added to")->required();
  command->add_option("--instructions", a->instructions, instructions)->expected(2)->delimiter(',');
  command->add_option("--passes", a->options.filter.passes, "only where these propose something")
      ->delimiter(',');
  command
      ->add_option("--most-actions", a->options.filter.most_actions,
                   "only where the passes' first proposals can be decided in at most so many ways")
      ->check(CLI::PositiveNumber);
  command->add_option("--without", a->options.filter.without, "only what has none of these opcodes")
      ->delimiter(',');
  command->add_option("--count", a->options.count, "at most so many are added");
}

}  // namespace

void add_hlo_dataset(CLI::App& app, Session& session) {
  CLI::App* command = app.add_subcommand("dataset", "data sets of modules: filter, stats, subgraphs");
  command->require_subcommand(1);
  auto a = std::make_shared<HloDatasetArgs>();
  CLI::App* filter = job(*command, "filter", "a data set of the modules that pass, each once", a);
  makes_one(filter, a, "LEAST,MOST of the whole module");
  filter->callback([a, &session] { run_subset(*a, session, false); });
  CLI::App* stats = job(*command, "stats", "sizes, opcodes, element types, packages", a);
  stats->callback([a] { run_stats(*a); });
  CLI::App* subgraphs = job(*command, "subgraphs", "a data set of random sub-graphs, each once", a);
  makes_one(subgraphs, a, "LEAST,MOST of a sub-graph (10,20)");
  subgraphs->add_option("--tries", a->options.tries, "draws from each module")->capture_default_str();
  subgraphs->add_option("--seed", a->options.seed, "of the draws")->capture_default_str();
  subgraphs->callback([a, &session] { run_subset(*a, session, true); });
}

}  // namespace isomer::cli
