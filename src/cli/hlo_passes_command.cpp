#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "hlo/dag_hash.h"
#include "hlo/verify.h"
#include "ir/op_table.h"
#include "passes/pass.h"
#include "recipes/hlo_alternative.h"
#include "recipes/hlo_check.h"
#include "recipes/hlo_rule_pass.h"
#include "recipes/hlo_search.h"
#include "runtime/hlo_files.h"
#include "support/deadline.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/possible.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct HloPassesArgs {
  std::string file, output, pipeline;
  std::vector<std::string> only = {"algsimp"};
  size_t sweeps = passes::kMostSweeps;
  Limits limits;
  bool json = false, dry = false, verdicts = false;
};

/// What becomes of the equation that a proposal states.
std::string verdict_on(const passes::AlternativeGraph& graph, const passes::Alternative& way,
                       LimitWatch& watch) {
  constexpr double kSeconds = 1;
  if (const StopReason reason = watch.check_now(); reason != StopReason::kRunning)
    return fmt::format("unknown: {}", to_string(reason));
  ir::Context ctx(ir::standard_ops());
  const auto stated = possible([&] { return recipes::stated(ctx, graph, way); });
  if (!stated) return fmt::format("unknown: {}", stated.why_not);
  verify::EquivalenceOptions options;
  options.until = Deadline(std::min(kSeconds, watch.remaining()), steady_clock());
  const verify::Verdict verdict = stated->check(ctx, {}, options);
  const std::string_view word = verify::to_string(verdict.kind);
  return verdict.kind == verify::VerdictKind::kUnknown ? fmt::format("{}: {}", word, verdict.note)
                                                       : std::string(word);
}

/// Why there is no further sweep.
StopReason stop_reason_of(const passes::RunResult& result, LimitWatch& watch) {
  if (result.at_rest) return StopReason::kSaturated;
  const StopReason reason = watch.check_now();
  return reason == StopReason::kRunning ? StopReason::kIterationLimit : reason;
}

/// What the passes propose, and nothing done; `before`: why what stands before them in a pipeline ended.
void print_proposals(const passes::AlternativeGraph& graph, const HloPassesArgs& args, LimitWatch& watch,
                     StopReason before = StopReason::kSaturated) {
  const hlo::Module& module = graph.module();
  auto list = nlohmann::ordered_json::array();
  for (const passes::Choice& choice : graph.choices()) {
    const std::string target(module.text(module[choice.target].name));
    auto ways = nlohmann::ordered_json::array();
    for (const passes::Alternative& way : choice.ways) {
      ways.push_back({{"rule", graph.rule(way)}, {"opcode", hlo::name(module[way.value].opcode)}});
      if (args.verdicts) ways.back()["verdict"] = verdict_on(graph, way, watch);
      if (!args.json)
        fmt::print("{}: {} => {} ({}){}\n", target, hlo::name(module[choice.target].opcode),
                   hlo::name(module[way.value].opcode), graph.rule(way),
                   args.verdicts ? ": " + ways.back()["verdict"].get<std::string>() : "");
    }
    list.push_back({{"target", target}, {"line", module.position(choice.target).line}, {"ways", ways}});
  }
  if (args.json)
    print_json({{"instructions", graph.originals()},
                {"choices", graph.choices().size()},
                {"alternatives", graph.alternatives().size()},
                {"stop_reason", to_string(before)},
                {"list", list}});
  else
    fmt::print("{} choices, {} alternatives{}\n", graph.choices().size(), graph.alternatives().size(),
               before == StopReason::kSaturated
                   ? ""
                   : fmt::format(", of a module that the stages before left early: {}", to_string(before)));
}

/// Those of the dry stage, where it is its turn.
void print_proposals(hlo::Module module, const passes::Pipeline& pipeline, const HloPassesArgs& args,
                     LimitWatch& watch) {
  const passes::Decided stages = passes::decided(pipeline);
  passes::RunResult before = passes::run(std::move(module), stages.before, &watch);
  const StopReason reason = stop_reason_of(before, watch);
  print_proposals(passes::dry_run(std::move(before.module), stages.passes), args, watch, reason);
}

/// "", ", not at rest: iteration-limit", ", not at rest: interrupted"
std::string rest_of(StopReason reason) {
  return reason == StopReason::kSaturated ? "" : fmt::format(", not at rest: {}", to_string(reason));
}

void run(const HloPassesArgs& args, Session& session) {
  const NamedFile outputs[] = {{"-o", args.output}}, inputs[] = {{"file", args.file}};
  check_outputs(outputs, inputs);
  const std::string name =
      args.pipeline.empty() ? fmt::format("{}", fmt::join(args.only, ", ")) : args.pipeline;
  const passes::Pipeline pipeline =
      args.pipeline.empty() ? recipes::only_passes(args.only) : recipes::hlo_pipeline(args.pipeline);
  print_left_out(passes::passes_of(pipeline.stages));
  hlo::Module module = runtime::read_hlo(args.file).module;
  const api::StopRelay relay(session.stop);
  Limits limits = args.limits;
  limits.stop = relay.token();
  LimitWatch watch(limits);
  if (args.dry) {
    print_proposals(std::move(module), pipeline, args, watch);
    if (watch.check_now() == StopReason::kInterrupted)
      session.status = static_cast<int>(ExitStatus::kInterrupted);
    return;
  }
  const size_t before = module.instructions.size();
  const passes::RunResult result = passes::run(module, pipeline.stages, &watch, args.sweeps);
  const double seconds = watch.elapsed();
  const StopReason reason = stop_reason_of(result, watch);
  if (reason == StopReason::kInterrupted) session.status = static_cast<int>(ExitStatus::kInterrupted);
  hlo::require_valid(result.module);
  const std::string hash = fmt::format("{:016x}", hlo::dag_hash(result.module));
  std::optional<recipes::FoundCheck> check;
  if (result.taken > 0) {
    constexpr double kCheckSeconds = 5;
    check = recipes::check_module(module, result.module, kCheckSeconds);
    recipes::require_right(*check, fmt::format("what {} makes of the module", name));
  }
  if (!args.output.empty()) runtime::write_hlo(args.output, result.module);
  if (args.json)
    return print_json({{"instructions_before", before},
                       {"instructions_after", result.module.instructions.size()},
                       {"dag_hash", hash},
                       {"sweeps", result.sweeps},
                       {"rewrites", result.taken},
                       {"at_rest", result.at_rest},
                       {"stop_reason", to_string(reason)},
                       {"verification", words_of(check)},
                       {"held", held_of(check)},
                       {"seconds", seconds}});
  fmt::print("{} to {} instructions, {} rewrites in {} sweeps{}\n", before, result.module.instructions.size(),
             result.taken, result.sweeps, rest_of(reason));
  fmt::print("held to the module: {}\n", words_of(check));
}

}  // namespace

void add_hlo_passes(CLI::App& app, Session& session) {
  auto args = std::make_shared<HloPassesArgs>();
  CLI::App* command = app.add_subcommand("passes", "run XLA's passes, as they are written here, to the end");
  command->add_option("file", args->file, kHloFile)->required();
  CLI::Option* only =
      command->add_option("--only", args->only, "the passes, by XLA's names, or files of rules (.rules)")
          ->delimiter(',');
  command->add_option("--pipeline", args->pipeline, "in their place: " + recipes::about_hlo_pipelines())
      ->excludes(only);
  command->add_option("-o,--output", args->output, kHloOutput);
  command
      ->add_option("--sweeps", args->sweeps,
                   "at most so many goes over the module (of a pipeline: of each stage)")
      ->check(CLI::Range(1, 10000));
  command->add_option_function<std::string>(
      "--time-limit", [args](const std::string& t) { args->limits.seconds = parse_seconds(t); },
      "no further sweep or verdict begins then; what was done stands (default: none)");
  CLI::Option* dry = command->add_flag("--dry", args->dry, "print what is proposed, and do nothing");
  command->add_flag("--verdicts", args->verdicts, "and whether each proposal holds, by its equation")
      ->needs(dry);
  command->add_flag("--json", args->json, "print one JSON object");
  command->callback([args, &session] { run(*args, session); });
}

}  // namespace isomer::cli
