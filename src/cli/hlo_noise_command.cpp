#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "api/session.h"
#include "cli/hlo_commands.h"
#include "cli/print_json.h"
#include "published/hloenv.h"
#include "recipes/hlo_noise.h"
#include "runtime/hlo_files.h"
#include "support/units.h"

namespace isomer::cli {
namespace {

struct HloNoiseArgs {
  std::vector<std::string> files;
  recipes::HloNoiseOptions options;
  bool json = false;
};

nlohmann::ordered_json row(const recipes::NoiseSummary& s) {
  return {{"ratios", s.ratios},
          {"least", s.least},
          {"p1", s.p1},
          {"median", s.median},
          {"p99", s.p99},
          {"largest", s.largest},
          {"bounds_99_9", {s.low, s.high}},
          {"bounds_observed", s.observed},
          {"normal_bounds_99_9", {s.normal_low, s.normal_high}},
          {"covered", s.covered}};
}

void print_row(const std::string& name, const std::string& runtime, const recipes::NoiseSummary& s) {
  fmt::print(
      "{:<40} {:>10} {:>7} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f} {:>7.3f}   {:.3f} to {:.3f}   {:.3f} to "
      "{:.3f}\n",
      name, runtime, s.ratios, s.least, s.p1, s.median, s.p99, s.largest, s.low, s.high, s.normal_low,
      s.normal_high);
}

void run(HloNoiseArgs a, Session& session) {
  const api::StopRelay relay(session.stop);
  const RunHooks hooks = terminal_hooks(session);
  api::HookProgress progress(hooks);
  a.options.stop = relay.token();
  a.options.progress = &progress;
  std::vector<double> all;
  std::vector<std::pair<std::string, recipes::HloNoise>> rows;
  for (const std::string& file : a.files) {
    if (!rows.empty() && *session.stop) break;
    const hlo::Module module = runtime::read_hlo(file).module;
    recipes::HloNoise found = recipes::hlo_noise(module, a.options);
    if (found.ratios.empty()) break;  // stopped
    rows.emplace_back(file, std::move(found));
    const recipes::HloNoise& noise = rows.back().second;
    all.insert(all.end(), noise.ratios.begin(), noise.ratios.end());
  }
  end_progress();
  if (*session.stop) session.status = static_cast<int>(ExitStatus::kInterrupted);
  if (all.empty()) return fmt::print(stderr, "stopped before the first ratio\n");
  const recipes::NoiseSummary together = recipes::noise_of(all);
  if (a.json) {
    auto list = nlohmann::ordered_json::array();
    for (const auto& [file, noise] : rows) {
      nlohmann::ordered_json one = row(recipes::noise_of(noise.ratios));
      one["file"] = file;
      one["runtime_us"] = noise.runtime_us;
      one["all_ratios"] = noise.ratios;
      list.push_back(std::move(one));
    }
    return print_json({{"rounds", a.options.rounds},
                       {"together", row(together)},
                       {"published_bounds", published::hloenv::kNoiseBounds},
                       {"published_bound_of_table_1", published::hloenv::kNoiseBoundOfTable1},
                       {"modules", list}});
  }
  fmt::print("{:<40} {:>10} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7}   {:<14}   {}\n", "a module against itself",
             "us", "ratios", "least", "1 %", "median", "99 %", "largest", "99.9 % within", "if normal");
  for (const auto& [file, noise] : rows)
    print_row(file, fmt::format("{:.1f}", noise.runtime_us), recipes::noise_of(noise.ratios));
  if (rows.size() > 1) print_row("all", "", together);
  if (!together.observed)
    fmt::print(
        "too few ratios for bounds of 99.9 % ({}): the least and the largest stand there; between them "
        "lie, with "
        "95 % confidence, {:.2f} % of all\n",
        recipes::kEnoughRatios, 100 * together.covered);
  fmt::print("HloEnv's bounds on its machine: {} and {} ({} at the head of its table 1)\n",
             published::hloenv::kNoiseBounds[0], published::hloenv::kNoiseBounds[1],
             published::hloenv::kNoiseBoundOfTable1);
}

}  // namespace

void add_hlo_noise(CLI::App& app, Session& session) {
  auto a = std::make_shared<HloNoiseArgs>();
  CLI::App* command =
      app.add_subcommand("noise", "how far timings of a module by XLA lie apart: it is timed against itself");
  command->add_option("files", a->files, "HLO modules as XLA writes them, or StableHLO as jax exports it")
      ->required();
  command->add_option("--ratios", a->options.ratios, "of each module")
      ->check(CLI::Range(1, 1000000))
      ->capture_default_str();
  command->add_option("--rounds", a->options.rounds, "calls that a time is the least of")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command->add_option("--loads", a->options.loads, "processes that the ratios are spread over")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  add_xla_threads(*command, a->options.threads);
  command->add_option_function<std::string>(
      "--time-limit", [a](const std::string& t) { a->options.time_limit = parse_seconds(t); },
      "of each module, for example 60s (the default)");
  command->add_option("--seed", a->options.seed, "of the inputs")->capture_default_str();
  command->add_flag("--json", a->json, "print one JSON object");
  command->callback([a, &session] { run(*a, session); });
}

}  // namespace isomer::cli
