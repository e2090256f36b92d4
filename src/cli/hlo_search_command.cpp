#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "hlo/dag_hash.h"
#include "hlo/verify.h"
#include "recipes/hlo_rule_pass.h"
#include "recipes/hlo_search.h"
#include "runtime/hlo_files.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct HloSearchArgs {
  std::string file, output;
  recipes::HloSearchOptions options;
  bool json = false;
};

/// [how many modules were evaluated by then, the least cost], ...
nlohmann::ordered_json improvements(const recipes::HloSearchResult& r) {
  auto out = nlohmann::ordered_json::array();
  for (const auto& i : r.improvements) out.push_back({i.evaluated, i.cost});
  return out;
}

std::string confirmed_words(const recipes::HloSearchResult::Confirmed& c) {
  if (!c.is_complete() && c.stop_reason == StopReason::kSaturated)
    return "no: XLA does not run what the search met, or it computes something else; it is left out";
  if (!c.is_complete())
    return fmt::format("no: {} after {} of {} calls; what the search met is left out",
                       c.stop_reason == StopReason::kInterrupted ? "interrupted" : "time was over",
                       c.evaluations, recipes::kHloEvaluations);
  const auto of = [](const std::optional<runtime::MedianInterval>& m) {
    return m ? fmt::format("{:.3f} times as fast ({:.3f} to {:.3f})", m->median, m->low, m->high)
             : "not run, or it computes something else";
  };
  return fmt::format("beside pick-first's module it is {}, the cheapest that was met {}, by {} calls of each",
                     of(c.speedup), of(c.of_cheapest), c.evaluations);
}

nlohmann::ordered_json json_of(const std::optional<recipes::HloSearchResult::Confirmed>& c) {
  if (!c) return nullptr;
  const auto of = [](const std::optional<runtime::MedianInterval>& m) {
    return m ? nlohmann::ordered_json{m->median, m->low, m->high} : nlohmann::ordered_json(nullptr);
  };
  return {{"evaluations", c->evaluations}, {"speedup", of(c->speedup)}, {"of_cheapest", of(c->of_cheapest)}};
}

void run(HloSearchArgs a, const Session& session) {
  const NamedFile outputs[] = {{"-o", a.output}}, inputs[] = {{"file", a.file}};
  check_outputs(outputs, inputs);
  print_left_out(passes::passes_of(a.options.pipeline.stages));
  const hlo::Module module = runtime::read_hlo(a.file).module;
  const api::StopRelay relay(session.stop);
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  a.options.limits.stop = a.options.evaluation.stop = relay.token();
  a.options.evaluation.seed = a.options.seed;
  a.options.progress = &progress;
  a.options.evaluation.store = std::make_shared<Store>(Store::of_user());
  const recipes::HloSearchResult r = recipes::hlo_search(module, a.options);
  end_progress();
  hlo::require_valid(r.module);
  if (!a.output.empty()) runtime::write_hlo(a.output, r.module);
  if (a.json)
    return print_json({{"input", a.file},
                       {"output", a.output},
                       {"search", recipes::word_of(a.options.search)},
                       {"evaluator", a.options.evaluator},
                       {"cost_before", r.cost_before},
                       {"cost_pick_first", r.cost_pick_first},
                       {"cost_after", r.cost_after},
                       {"confirmed", json_of(r.confirmed)},
                       {"evaluated", r.evaluated},
                       {"improvements", improvements(r)},
                       {"listed_all", r.listed_all},
                       {"instructions_before", module.instructions.size()},
                       {"instructions_after", r.module.instructions.size()},
                       {"dag_hash", fmt::format("{:016x}", hlo::dag_hash(r.module))},
                       {"verification", words_of(r.check)},
                       {"held", held_of(r.check)},
                       {"stop_reason", to_string(r.stop_reason)},
                       {"seconds", r.seconds}});
  constexpr double kMicroseconds = 1e6;
  fmt::print("at the start {:.4g} us, pick-first {:.4g} us, {} {:.4g} us (by {})\n",
             kMicroseconds * r.cost_before, kMicroseconds * r.cost_pick_first,
             recipes::word_of(a.options.search), kMicroseconds * r.cost_after, a.options.evaluator);
  fmt::print("{} to {} instructions; {} different modules in {} ({})\n", module.instructions.size(),
             r.module.instructions.size(), r.evaluated, format_seconds(r.seconds), to_string(r.stop_reason));
  if (r.confirmed) fmt::print("confirmed: {}\n", confirmed_words(*r.confirmed));
  fmt::print("held to the module: {}\n", words_of(r.check));
  if (!a.output.empty()) fmt::print("written: {}\n", a.output);
}

}  // namespace

void print_left_out(std::span<const std::shared_ptr<const passes::Pass>> passes) {
  for (const std::string& line : recipes::left_out_of(passes)) fmt::print(stderr, "{}\n", line);
}

void add_hlo_search_options(CLI::App& command, recipes::HloSearchOptions& options) {
  CLI::Option* passes = command
                            .add_option_function<std::vector<std::string>>(
                                "--passes",
                                [&options](const std::vector<std::string>& names) {
                                  options.pipeline = recipes::only_passes(names);
                                },
                                "whose proposals are decided; of files of rules (.rules), too")
                            ->delimiter(',')
                            ->default_str("[algsimp]");
  command
      .add_option_function<std::string>(
          "--pipeline",
          [&options](const std::string& name) { options.pipeline = recipes::hlo_pipeline(name); },
          "whose dry stage is decided: " + recipes::about_hlo_pipelines())
      ->excludes(passes);
  command
      .add_option_function<std::string>(
          "--search",
          [&options](const std::string& word) { options.search = recipes::hlo_search_named(word); },
          fmt::format("{}", fmt::join(recipes::hlo_searches(), ", ")))
      ->default_str(recipes::word_of(options.search));
  command.add_option("--evaluator", options.evaluator, "xla, or roofline:DEVICE")->capture_default_str();
  add_disabled_passes(command, options.evaluation.disabled);
  add_xla_threads(command, options.evaluation.threads);
  command.add_option("--workers", options.evaluation.workers, "processes of XLA that time at once")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command.add_flag("!--fresh", options.evaluation.find_kept,
                   "time modules again that earlier runs have timed");
  command.add_option("--simulations", options.simulations, "of mcts, before the first step")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command.add_option("--alpha", options.alpha, "of beam: successors cost less than this times their state")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--expand", options.expand, "of beam: successors that a state may push")
      ->capture_default_str();
  command.add_option("--steps", options.steps, "of random: all walks together")->capture_default_str();
  command.add_option("--evaluations", options.evaluations,
                     "end after so many different modules; a few more may be evaluated");
  command.add_option("--seed", options.seed, "of the search and of the inputs")->capture_default_str();
  command.add_option_function<std::string>(
      "--time-limit", [&options](const std::string& t) { options.limits.seconds = parse_seconds(t); },
      fmt::format("of a module, for example {:g}s (the default)", options.limits.seconds));
}

void add_hlo_search(CLI::App& app, Session& session) {
  auto a = std::make_shared<HloSearchArgs>();
  a->options.limits.seconds = 60;
  CLI::App* command = app.add_subcommand("search", "decide each proposal of passes by a search");
  command->add_option("file", a->file, kHloFile)->required();
  command->add_option("-o,--output", a->output, kHloOutput);
  add_hlo_search_options(*command, a->options);
  command->add_flag("--json", a->json, "print one JSON object");
  command->callback([a, &session] { run(*a, session); });
}

}  // namespace isomer::cli
