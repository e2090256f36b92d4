// bench priors: the ablation of priors that are learned from the rule statistics of earlier searches.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <vector>

#include "api/session.h"
#include "cli/commands.h"
#include "evaluation/priors_bench.h"
#include "recipes/tensat.h"
#include "runtime/timing_statistics.h"

namespace isomer::cli {
namespace {

using evaluation::PriorsBenchRun;

/// `rules`: said beside the model where they are not sound.
void print_model(const std::vector<PriorsBenchRun>& runs, uint64_t most,
                 const evaluation::BenchRules& rules) {
  const bool published = rules.kind == evaluation::BenchRules::Kind::kAsTensat;
  const std::string model = published ? runs[0].model + ", published rules" : runs[0].model;
  double least = runs[0].start_cost;
  for (const PriorsBenchRun& r : runs) least = std::min(least, r.cost_after(most));
  for (const bool with : {false, true}) {
    // A bench that was stopped may have only one of the two.
    if (std::ranges::find(runs, with, &PriorsBenchRun::with_priors) == runs.end()) continue;
    std::vector<double> to_least, seconds;
    size_t reached = 0, of = 0;
    std::vector<double> after;
    std::optional<recipes::FoundCheck> check;
    std::string costs;
    for (const uint64_t within : {most / 64, most / 16, most / 4, most}) {
      double sum = 0, count = 0;
      for (const PriorsBenchRun& r : runs) {
        if (r.with_priors != with) continue;
        sum += r.cost_after(within);
        ++count;
      }
      costs += fmt::format(" {:.5g} |", sum / count);
    }
    for (const PriorsBenchRun& r : runs) {
      if (r.with_priors != with) continue;
      ++of;
      if (check && r.check) check->keep_worse(*r.check);
      if (!check) check = r.check;
      const std::optional<uint64_t> n = r.rollouts_to(least);
      reached += n.has_value();
      to_least.push_back(static_cast<double>(n.value_or(most)));
      seconds.push_back(r.cpu_seconds);
    }
    fmt::print("| {} | {} | {:.5g} |{} {:.5g} | {} of {} | {:.0f} | {:.3f} | {} |\n", model,
               with ? "learned" : "none", runs[0].start_cost, costs, least, reached, of,
               runtime::median(to_least), runtime::median(seconds), check ? check->words() : "not asked");
  }
}

}  // namespace

void add_priors(CLI::App& bench, Session& session) {
  auto o = std::make_shared<evaluation::PriorsBenchOptions>();
  CLI::App* c = bench.add_subcommand(
      "priors", "Search with priors learned from rule statistics of the other models, and without");
  c->add_option("models", o->models, "as in bench mcts; learned from are the others of these");
  c->add_option("--device", o->device, "analytic profile: a100, p100, t4, cpu")->capture_default_str();
  c->add_option("--budget", o->budget, "rollouts before each step")->capture_default_str();
  c->add_option("--rollouts", o->rollouts, "of a run, at most")
      ->check(CLI::Range(64, 1 << 30))
      ->capture_default_str();
  c->add_option("--learning-budget", o->learning_budget, "rollouts before each step of what is learned from")
      ->capture_default_str();
  c->add_option("--seeds", o->seeds, "runs of each search")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  c->add_option("--node-limit", o->node_limit, "in TENSAT's counting")->capture_default_str();
  c->add_option_function<std::string>(
       "--rules", [o](const std::string& w) { o->rules = evaluation::bench_rules(w); },
       "tensat (sound), or published (without the conditions that keep grouped convolutions right)")
      ->check(CLI::IsMember({std::string(recipes::kTensatRules), std::string(recipes::kPublishedRules)}))
      ->default_str(std::string(recipes::kTensatRules));
  c->add_flag("--check,!--no-check", o->check,
              "compare the programs found with their start graphs, over the field and on floats; on unless "
              "--no-check");
  c->callback([o, &session] {
    const api::StopRelay relay(session.stop);
    o->stop = relay.token();
    Store store = Store::of_user();
    const uint64_t n = o->rollouts;
    fmt::print(
        "Best cost met within so many rollouts (mean over seeds), {} profile; priors from the other models\n"
        "alone. Rollouts to the least: the median, a run that did not reach it counted as {}.\n\n"
        "| model | priors | start | {} | {} | {} | {} | least | reached | rollouts to the least | CPU s | "
        "same program "
        "|\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n",
        o->device, n, n / 64, n / 16, n / 4, n);
    std::vector<PriorsBenchRun> runs;
    const auto print = [&] {
      if (!runs.empty()) print_model(runs, n, o->rules);
      runs.clear();
      std::fflush(stdout);
    };
    evaluation::run_priors_bench(*o, store, [&](const PriorsBenchRun& run) {
      if (!runs.empty() && runs[0].model != run.model) print();
      runs.push_back(run);
    });
    print();
  });
}

}  // namespace isomer::cli
