#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "hlo/dag_hash.h"
#include "hlo/verify.h"
#include "passes/pass.h"
#include "recipes/hlo_check.h"
#include "recipes/hlo_rule_pass.h"
#include "recipes/hlo_search.h"
#include "runtime/hlo_files.h"
#include "support/deadline.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct HloPassesArgs {
  std::string file, output, pipeline;
  std::vector<std::string> only = {"algsimp"};
  size_t sweeps = passes::kMostSweeps;
  std::optional<double> seconds;
  bool json = false, dry = false;
};

using Passes = std::vector<std::shared_ptr<const passes::Pass>>;

/// What the passes propose, and nothing done.
void print_proposals(const passes::AlternativeGraph& graph, bool json) {
  const hlo::Module& module = graph.module();
  auto list = nlohmann::ordered_json::array();
  for (const passes::Choice& choice : graph.choices()) {
    const std::string target(module.text(module[choice.target].name));
    auto ways = nlohmann::ordered_json::array();
    for (const passes::Alternative& way : choice.ways) {
      ways.push_back({{"rule", graph.rule(way)}, {"opcode", hlo::name(module[way.value].opcode)}});
      if (!json)
        fmt::print("{}: {} => {} ({})\n", target, hlo::name(module[choice.target].opcode),
                   hlo::name(module[way.value].opcode), graph.rule(way));
    }
    list.push_back({{"target", target}, {"line", module.position(choice.target).line}, {"ways", ways}});
  }
  if (json)
    print_json({{"instructions", graph.originals()},
                {"choices", graph.choices().size()},
                {"alternatives", graph.alternatives().size()},
                {"list", list}});
  else
    fmt::print("{} choices, {} alternatives\n", graph.choices().size(), graph.alternatives().size());
}

/// What is asked for: passes together, or a pipeline.
struct Chosen {
  Passes passes;
  std::optional<passes::Pipeline> pipeline;
  std::string name;
};

Chosen chosen_by(const HloPassesArgs& args) {
  if (!args.pipeline.empty())
    return {.passes = {}, .pipeline = recipes::hlo_pipeline(args.pipeline), .name = args.pipeline};
  return {.passes = recipes::hlo_passes(args.only),
          .pipeline = {},
          .name = fmt::format("{}", fmt::join(args.only, ", "))};
}

/// Of a pipeline those of its dry stage, where it is its turn.
void print_proposals(hlo::Module module, const Chosen& chosen, bool json) {
  if (!chosen.pipeline) return print_proposals(passes::dry_run(std::move(module), chosen.passes), json);
  const passes::Decided stages = passes::decided(*chosen.pipeline);
  print_proposals(passes::dry_run(passes::run(std::move(module), stages.before).module, stages.passes), json);
}

/// Adds what was done after.
void add(passes::RunResult& out, passes::RunResult next) {
  out.module = std::move(next.module);
  out.sweeps += next.sweeps;
  out.taken += next.taken;
  out.at_rest = next.at_rest;
}

/// Ends after the sweep, or the stage of a pipeline, in which the time is over.
passes::RunResult run_until(hlo::Module module, const Chosen& chosen, size_t sweeps, const Deadline& until) {
  passes::RunResult out;
  out.module = std::move(module);
  if (chosen.pipeline) {
    bool all = true;
    for (const passes::Stage& stage : chosen.pipeline->stages) {
      if (until.passed()) {
        all = false;
        break;
      }
      add(out, passes::run(std::move(out.module), std::span(&stage, 1)));
      all = all && out.at_rest;
    }
    out.at_rest = all;
    return out;
  }
  while (out.sweeps < sweeps && !out.at_rest && !until.passed())
    add(out, passes::run_to_end(std::move(out.module), chosen.passes, 1));
  return out;
}

void run(const HloPassesArgs& args) {
  const NamedFile outputs[] = {{"-o", args.output}}, inputs[] = {{"file", args.file}};
  check_outputs(outputs, inputs);
  const Chosen chosen = chosen_by(args);
  print_left_out(chosen.pipeline ? passes::passes_of(chosen.pipeline->stages) : chosen.passes);
  hlo::Module module = runtime::read_hlo(args.file).module;
  if (args.dry) return print_proposals(std::move(module), chosen, args.json);
  const size_t before = module.instructions.size();
  const auto started = std::chrono::steady_clock::now();
  const Deadline until = args.seconds ? Deadline(*args.seconds, steady_clock()) : Deadline();
  const passes::RunResult result = run_until(module, chosen, args.sweeps, until);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  hlo::require_valid(result.module);
  const std::string hash = fmt::format("{:016x}", hlo::dag_hash(result.module));
  std::optional<recipes::FoundCheck> check;
  if (result.taken > 0) {
    constexpr double kCheckSeconds = 5;
    check = recipes::check_module(module, result.module, kCheckSeconds);
    recipes::require_right(*check, fmt::format("what {} makes of the module", chosen.name));
  }
  if (!args.output.empty()) runtime::write_hlo(args.output, result.module);
  if (args.json)
    return print_json({{"instructions_before", before},
                       {"instructions_after", result.module.instructions.size()},
                       {"dag_hash", hash},
                       {"sweeps", result.sweeps},
                       {"rewrites", result.taken},
                       {"at_rest", result.at_rest},
                       {"verification", words_of(check)},
                       {"held", held_of(check)},
                       {"seconds", seconds}});
  fmt::print("{} to {} instructions, {} rewrites in {} sweeps{}\n", before, result.module.instructions.size(),
             result.taken, result.sweeps,
             result.at_rest   ? ""
             : until.passed() ? ", not at rest: --time-limit"
                              : ", not at rest: --sweeps");
  fmt::print("held to the module: {}\n", words_of(check));
}

}  // namespace

void add_hlo_passes(CLI::App& app) {
  auto args = std::make_shared<HloPassesArgs>();
  CLI::App* command = app.add_subcommand("passes", "run XLA's passes, as they are written here, to the end");
  command->add_option("file", args->file, kHloFile)->required();
  CLI::Option* only =
      command->add_option("--only", args->only, "the passes, by XLA's names, or files of rules (.rules)")
          ->delimiter(',');
  command->add_option("--pipeline", args->pipeline, "in their place: " + recipes::about_hlo_pipelines())
      ->excludes(only);
  command->add_option("-o,--output", args->output, kHloOutput);
  command->add_option("--sweeps", args->sweeps, "at most so many goes over the module (of --only)")
      ->check(CLI::Range(1, 10000));
  command->add_option_function<std::string>(
      "--time-limit", [args](const std::string& t) { args->seconds = parse_seconds(t); },
      "end after the sweep, or the stage of a pipeline, in which it is over");
  command->add_flag("--dry", args->dry, "print what is proposed, and do nothing");
  command->add_flag("--json", args->json, "print one JSON object");
  command->callback([args] { run(*args); });
}

}  // namespace isomer::cli
