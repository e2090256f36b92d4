#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "recipes/hlo_optimize.h"
#include "recipes/hlo_search.h"
#include "runtime/hlo_files.h"
#include "runtime/xla.h"
#include "support/errors.h"
#include "support/outputs.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct RunArgs {
  std::string file, other;
  runtime::XlaOptions options;
  double tolerance = 1e-4;
  bool json = false;
};

nlohmann::ordered_json row(const std::string& file, const runtime::XlaProgram& p) {
  if (!p.ran()) return {{"file", file}, {"error", p.error}};
  return {{"file", file},
          {"asynchronous_us", p.asynchronous_us},
          {"full_us", p.full_us},
          {"compute_us", p.compute_us}};
}

void print_row(const std::string& file, const runtime::XlaProgram& p) {
  if (!p.ran())
    fmt::print("{}: XLA does not run it: {}\n", file, p.error);
  else
    fmt::print("{}: {:.1f} us a call, {:.1f} us with transfers, {:.1f} us of computing\n", file,
               p.asynchronous_us, p.full_us, p.compute_us);
}

void run(const RunArgs& a, Session& session) {
  std::vector<std::string> files = {a.file}, texts;
  if (!a.other.empty()) files.push_back(a.other);
  for (const std::string& file : files) texts.push_back(runtime::read_hlo(file).text_for_xla());
  runtime::Xla xla;
  runtime::XlaOptions options = a.options;
  options.all_timings = true;
  const std::vector<runtime::XlaProgram> ran = xla.race(texts, options);
  const bool both = ran.size() == 2 && ran[0].ran() && ran[1].ran();
  const bool agree = both && ran[1].difference && *ran[1].difference <= a.tolerance;
  for (const runtime::XlaProgram& p : ran)
    if (!p.ran()) session.status = static_cast<int>(ExitStatus::kBadInput);
  if (both && !agree) session.status = static_cast<int>(ExitStatus::kVerificationFailed);
  if (a.json) {
    auto list = nlohmann::ordered_json::array();
    for (size_t i = 0; i < ran.size(); ++i) list.push_back(row(files[i], ran[i]));
    nlohmann::ordered_json out = {{"xla", xla.version(a.options)}, {"modules", list}};
    if (both) {
      const runtime::PairedTiming paired = runtime::pair_up(ran[0].samples, ran[1].samples);
      out["outputs_agree"] = agree;
      out["difference"] =
          ran[1].difference ? nlohmann::ordered_json(*ran[1].difference) : nlohmann::ordered_json();
      out["speedup"] = {{"median", paired.wall_ratio.median},
                        {"low", paired.wall_ratio.low},
                        {"high", paired.wall_ratio.high}};
    }
    return print_json(out);
  }
  for (size_t i = 0; i < ran.size(); ++i) print_row(files[i], ran[i]);
  if (!both) return;
  const runtime::PairedTiming paired = runtime::pair_up(ran[0].samples, ran[1].samples);
  fmt::print("the second is {:.3f} times as fast ({:.3f} to {:.3f}, in one process)\n",
             paired.wall_ratio.median, paired.wall_ratio.low, paired.wall_ratio.high);
  if (!ran[1].difference)
    fmt::print("outputs differ\n");
  else
    fmt::print("outputs {}: {:.2g} of the largest element\n", agree ? "agree" : "differ", *ran[1].difference);
}

struct OptimizeArgs {
  std::string file, output, search{recipes::kByRules};
  recipes::HloOptimizeOptions options;
  bool json = false;
};

void print_result(const OptimizeArgs& a, const recipes::HloOptimizeResult& r, size_t before) {
  if (r.changed)
    fmt::print(
        "{:.3f} times as fast as XLA's program of the input ({:.3f} to {:.3f}, {} evaluations): {:.1f} to "
        "{:.1f} us\n"
        "made by: {}; {} to {} instructions; outputs differ by {:.2g} of the largest element\n"
        "held to the module: {}\n",
        r.speedup.median, r.speedup.low, r.speedup.high, r.evaluations, r.runtime_before_us,
        r.runtime_after_us, r.made_by, before, r.module.instructions.size(), r.difference, words_of(r.check));
  else
    fmt::print("nothing was faster beyond doubt; the module is as it was ({:.1f} us)\n", r.runtime_before_us);
  for (const recipes::HloCandidate& c : r.candidates)
    if (c.no_time) {
      fmt::print("{}: {}; a larger --time-limit may find more\n", c.made_by, c.dropped);
      break;
    }
  size_t timed = 0;
  for (const recipes::HloCandidate& c : r.candidates) timed += c.runtime_us > 0;
  fmt::print("{} programs, {} of them timed, in {}\n", r.candidates.size(), timed, format_seconds(r.seconds));
  if (!a.output.empty()) fmt::print("written: {}\n", a.output);
}

void print_result_json(const OptimizeArgs& a, const recipes::HloOptimizeResult& r, size_t before) {
  auto candidates = nlohmann::ordered_json::array();
  for (const recipes::HloCandidate& c : r.candidates)
    candidates.push_back({{"made_by", c.made_by},
                          {"instructions", c.instructions},
                          {"dag_hash", fmt::format("{:016x}", c.dag_hash)},
                          {"runtime_us", c.runtime_us > 0 ? nlohmann::ordered_json(c.runtime_us) : nullptr},
                          {"dropped", c.dropped}});
  print_json({{"input", a.file},
              {"output", a.output},
              {"changed", r.changed},
              {"made_by", r.made_by},
              {"instructions_before", before},
              {"instructions_after", r.module.instructions.size()},
              {"runtime_before_us", r.runtime_before_us},
              {"runtime_after_us", r.runtime_after_us},
              {"speedup", {{"median", r.speedup.median}, {"low", r.speedup.low}, {"high", r.speedup.high}}},
              {"evaluations", r.evaluations},
              {"outputs_agree", true},
              {"verification", words_of(r.check)},
              {"held", held_of(r.check)},
              {"difference", r.difference},
              {"xla", r.xla},
              {"candidates", candidates},
              {"seconds", r.seconds}});
}

void optimize(OptimizeArgs a, const Session& session) {
  const NamedFile outputs[] = {{"-o", a.output}}, inputs[] = {{"file", a.file}};
  check_outputs(outputs, inputs);
  a.options.search = recipes::hlo_candidates_named(a.search);
  const runtime::HloFile file = runtime::read_hlo(a.file);
  const hlo::Module& module = file.module;
  const api::StopRelay relay(session.stop);
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  a.options.stop = relay.token();
  a.options.progress = &progress;
  a.options.store = std::make_shared<Store>(Store::of_user());
  const recipes::HloOptimizeResult result = recipes::hlo_optimize(file, a.options);
  end_progress();
  if (!a.output.empty() && result.changed) runtime::write_hlo(a.output, result.module);
  if (!a.output.empty() && !result.changed) runtime::write_unchanged(a.output, file);
  if (a.json)
    print_result_json(a, result, module.instructions.size());
  else
    print_result(a, result, module.instructions.size());
}

}  // namespace

void add_xla_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "of XLA")->check(CLI::Range(1, 1024))->capture_default_str();
}

void add_disabled_passes(CLI::App& command, std::vector<std::string>& passes) {
  command.add_option("--disable-pass", passes, "passes of XLA that are left out")->delimiter(',');
}

void add_hlo_run(CLI::App& app, Session& session) {
  auto a = std::make_shared<RunArgs>();
  CLI::App* command = app.add_subcommand("run", "compile and time it by XLA (the Python package jax)");
  command->add_option("file", a->file, kHloFile)->required();
  command->add_option("--compare", a->other, "another module, on the same inputs and in turn with the first");
  command->add_option("--tolerance", a->tolerance, "of outputs, as a part of the largest element")
      ->capture_default_str();
  add_xla_threads(*command, a->options.threads);
  command->add_option("--rounds", a->options.rounds, "samples of each module")
      ->check(CLI::Range(1, 100000))
      ->capture_default_str();
  command->add_option("--seed", a->options.seed, "of the inputs")->capture_default_str();
  add_disabled_passes(*command, a->options.disabled);
  command->add_flag("--json", a->json, "print one JSON object");
  command->callback([a, &session] {
    const api::StopRelay relay(session.stop);
    a->options.stop = relay.token();
    run(*a, session);
  });
}

void add_hlo_optimize(CLI::App& app, Session& session) {
  auto a = std::make_shared<OptimizeArgs>();
  CLI::App* command = app.add_subcommand("optimize", "an equal module that XLA runs faster, or the same one");
  command->add_option("file", a->file, kHloFile)->required();
  command->add_option("-o,--output", a->output, kHloOutput);
  command->add_option("--passes", a->options.passes, "whose proposals are tried")
      ->delimiter(',')
      ->capture_default_str();
  command
      ->add_option("--search", a->search,
                   fmt::format("rules (all of them, one, all but one), or of single decisions: {}",
                               fmt::join(recipes::hlo_searches(), ", ")))
      ->capture_default_str();
  add_xla_threads(*command, a->options.threads);
  command->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->options.time_limit = parse_seconds(t); },
      "for example 60s (the default)");
  command->add_option("--tolerance", a->options.tolerance, "of outputs, as a part of the largest element")
      ->capture_default_str();
  command->add_option("--seed", a->options.seed, "of the inputs")->capture_default_str();
  command->add_flag("--json", a->json, "print one JSON object");
  command->callback([a, &session] { optimize(*a, session); });
}

}  // namespace isomer::cli
