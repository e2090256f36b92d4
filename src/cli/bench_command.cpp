// bench: the main job over many models (bench_models_command.cpp), and the evaluations of the papers, run
// again with their numbers beside. One subcommand a paper; each has
// its recipe (recipes/*_bench.h), prints tables that can be pasted, and with --json one record a line.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <set>

#include "api/session.h"
#include "cli/commands.h"
#include "cli/standard_output.h"
#include "evaluation/mcts_bench.h"
#include "evaluation/mcts_record.h"
#include "recipes/tensat.h"

namespace isomer::cli {
namespace {

using evaluation::MctsBenchRun;
using evaluation::MctsRecord;

struct Mean {
  double mean = 0, deviation = 0;
  explicit Mean(const std::vector<double>& values) {
    for (double v : values) mean += v / static_cast<double>(values.size());
    for (double v : values) deviation += (v - mean) * (v - mean);
    if (values.size() > 1) deviation = std::sqrt(deviation / static_cast<double>(values.size() - 1));
  }
};

std::string title(const std::string& model) {
  const published::mcts::Model* p = published::mcts::whole_model(model);
  if (p == nullptr) return model;
  return model == p->model ? std::string(p->title)
                           : fmt::format("{} ({})", p->title, model.substr(p->model.size() + 1));
}

void print_first(const std::vector<evaluation::MctsBenchFirst>& all, const std::string& device) {
  fmt::print(
      "\nThe start graphs by each extraction, {} profile, ms (published in brackets: measured there).\n\n",
      device);
  fmt::print(
      "| model | exact | default (tree) | Algorithm 2 | corrected |\n| --- | --- | --- | --- | --- |\n");
  for (const auto& f : all) {
    if (f.device != device) continue;
    const published::mcts::First* p = published::mcts::first_of(device, f.model);
    const auto beside = [&](double v) { return p != nullptr ? fmt::format(" ({:.4g})", v) : std::string(); };
    fmt::print("| {} | {:.6g}{} | {:.4g}{} | {:.6g}{} | {:.6g} |\n", title(f.model), f.costs.exact,
               beside(p != nullptr ? p->exact : 0), f.costs.tree, beside(p != nullptr ? p->tree : 0),
               f.costs.published, beside(p != nullptr ? p->sharing : 0), f.costs.corrected);
  }
}

/// What is known of the programs found, of any seed: the one that differs, else the first.
std::string same(const std::vector<const MctsBenchRun*>& runs) {
  for (const MctsBenchRun* r : runs)
    if (r->differs) return r->same;
  for (const MctsBenchRun* r : runs)
    if (r->same.empty()) return "not asked";
  return runs.front()->same;
}

struct Group {
  std::string model, approach, label;
  std::vector<const MctsBenchRun*> runs;
  Mean of(double (*f)(const MctsBenchRun&)) const {
    std::vector<double> values;
    for (const MctsBenchRun* r : runs) values.push_back(f(*r));
    return Mean(values);
  }
};

void print_runs(const std::vector<MctsBenchRun>& all, const std::string& device) {
  std::vector<Group> groups;
  for (const MctsBenchRun& r : all) {
    if (r.device != device) continue;
    const std::string label = r.settings.empty() ? r.approach : r.approach + " " + r.settings;
    if (groups.empty() || groups.back().model != r.model || groups.back().label != label)
      groups.push_back({r.model, r.approach, label, {}});
    groups.back().runs.push_back(&r);
  }
  fmt::print(
      "\nAs the paper's table {}: {} profile, ms; CPU seconds of search and extraction, one thread.\n\n",
      published::mcts::table_of_runs(device), device);
  fmt::print(
      "| model | main/final | original | optimised | speed-up % | e-nodes | seconds | rollouts/s | published "
      "speed-up % | published s | times faster | same program |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  double log_sum = 0;
  std::vector<std::string> counted;
  for (const Group& g : groups) {
    const Mean speedup = g.of([](const MctsBenchRun& r) { return r.speedup(); });
    const Mean seconds = g.of([](const MctsBenchRun& r) { return r.search_seconds + r.final_seconds; });
    const Mean rate = g.of([](const MctsBenchRun& r) {
      return r.search_seconds > 0 ? static_cast<double>(r.rollouts) / r.search_seconds : 0;
    });
    const published::mcts::Run* p = published::mcts::run_of(device, g.model, g.approach);
    fmt::print("| {} | {} | {:.4g} | {:.4g} | {:.2f} ± {:.2f} | {:.0f} | {:.3f} ± {:.3f} | {:.0f} |",
               title(g.model), g.label, g.runs[0]->start_cost,
               g.of([](const MctsBenchRun& r) { return r.cost; }).mean, speedup.mean, speedup.deviation,
               g.of([](const MctsBenchRun& r) { return static_cast<double>(r.nodes); }).mean, seconds.mean,
               seconds.deviation, rate.mean);
    // A variant is a smaller program: its time is not to be held against the whole one's.
    const bool whole = p != nullptr && g.model == p->model;
    const std::string end = fmt::format("| {} |", same(g.runs));
    if (p != nullptr)
      fmt::print(" {:.2f} ± {:.2f} | {} {}\n", p->speedup, p->speedup_deviation,
                 whole ? fmt::format("{:.2f} ± {:.2f} | {:.0f}", p->seconds, p->seconds_deviation,
                                     p->seconds / seconds.mean)
                       : "|",
                 end);
    else
      fmt::print(" | | {}\n", end);
    const bool sound = g.label.find(fmt::format("--rules {}", recipes::kPublishedRules)) == std::string::npos;
    if (whole && sound && g.approach == "ours/ilp" && p->seconds >= 10) {
      log_sum += std::log(p->seconds / seconds.mean);
      counted.push_back(fmt::format("{}{} {:.0f}", title(g.model), g.label.substr(g.approach.size()),
                                    p->seconds / seconds.mean));
    }
  }
  if (!counted.empty())
    fmt::print(
        "\nours/ilp, published seconds over ours where they are 10 or more, on other machines, with other "
        "costs "
        "and another solver: {}; geometric mean {:.0f}\n",
        fmt::join(counted, ", "), std::exp(log_sum / static_cast<double>(counted.size())));
  std::map<std::string, std::set<uint32_t>> used;
  for (const MctsBenchRun& r : all)
    if (r.device == device && r.seed == all[0].seed)
      for (const auto& [rule, count] : r.rules) used[r.approach].insert(rule);
  std::vector<std::string> theirs;
  for (const published::mcts::RulesUsed& p : published::mcts::kRulesUsed)
    theirs.push_back(fmt::format("{} {}", p.pair, p.rules));
  fmt::print("Distinct rules used, all models, first seed (paper: {}):", fmt::join(theirs, ", "));
  for (const auto& [approach, rules] : used) fmt::print(" {} {}", approach, rules.size());
  fmt::print("\n");
}

struct MctsArgs {
  evaluation::MctsBenchOptions options;
  evaluation::MctsBenchAxes axes;
  std::vector<std::string> rules;  ///< words of the last of these
  bool json = false, planned = false;
  std::string record, folder;
};

void run_mcts(MctsArgs& args, Session& session) {
  const api::StopRelay relay(session.stop);
  args.options.stop = relay.token();
  args.options.keep = !args.folder.empty();
  std::vector<evaluation::MctsBenchFirst> first;
  std::vector<MctsBenchRun> runs;
  MctsRecord kept;
  if (!args.record.empty()) kept.open(args.record);
  std::set<evaluation::MctsBenchKey> there;  // in this bench's results
  args.options.known = [&](const evaluation::MctsBenchKey& key) {
    const MctsRecord::Kept* known = kept.find(key);
    if (known == nullptr) return false;
    if (there.insert(key).second) {
      runs.push_back(known->run);
      if (args.json) fmt::print("{}\n", known->line);
    }
    return true;
  };
  std::function<void(const evaluation::MctsBenchFirst&)> begins = [&](const evaluation::MctsBenchFirst& f) {
    kept.add(f);
    first.push_back(f);
    if (args.json) fmt::print("{}\n", line_of(f));
  };
  for (const evaluation::MctsBenchOptions& settings : sweep(args.options, args.axes)) {
    if (args.planned) {
      for (evaluation::MctsBenchTask& task : plan(settings)) {
        if (kept.find(task.key) != nullptr || !there.insert(task.key).second) continue;
        if (!args.folder.empty()) task.words.insert(task.words.end(), {"--keep", args.folder});
        fmt::print("{}\n", line_of(task));
      }
      continue;
    }
    run_mcts_bench(settings, begins, [&](const MctsBenchRun& r) {
      runs.push_back(r);
      there.insert(r);
      keep(r, args.folder);
      kept.add(r);
      if (args.json) fmt::print("{}\n", line_of(r));
      if (!session.quiet && !args.json)
        note(fmt::format("{} {} {} {}seed {}: {:.4g} -> {:.4g} in {:.2f} s", r.device, r.model, r.approach,
                         r.settings.empty() ? "" : r.settings + " ", r.seed, r.start_cost, r.cost,
                         r.search_seconds + r.final_seconds));
    });
    begins = {};
  }
  if (args.json || args.planned) return;
  for (const std::string& device : args.options.devices) {
    print_first(first, device);
    if (!runs.empty()) print_runs(runs, device);
  }
}

void add_axes(CLI::App& c, evaluation::MctsBenchAxes& axes, std::vector<std::string>& rules) {
  const auto axis = [&](const char* flag, auto& values, const char* text) {
    c.add_option(flag, values, text)
        ->delimiter(',')
        ->capture_default_str()
        ->group("Swept (several, with commas: each with each)");
  };
  axis("--budget", axes.budget, "rollouts before each step");
  axis("--depth", axes.depth, "most steps of a simulation");
  axis("--node-limit", axes.node_limit, "in TENSAT's counting");
  axis("--k-multi", axes.k_multi, "of TENSAT (0: the paper's for each model)");
  axis("--regions", axes.regions, "plus: an action is a rule in one of so many parts of the program");
  axis("--at-once", axes.at_once,
       "rollouts of a tree that are under way at a time (0: the approach's own, 1)");
  axis("--trees", axes.trees, "that vote on each step (0: the approach's own, 1)");
  axis("--rules", rules,
       "tensat (sound), single (of these, those of one output), published (without the conditions that keep "
       "grouped convolutions right, as TENSAT ran them), or files of rules");
}

void add_mcts(CLI::App& bench, Session& session) {
  auto args = std::make_shared<MctsArgs>();
  evaluation::MctsBenchOptions* const o = &args->options;
  o->devices = {"a100", "p100"};
  o->approaches = {"default/default", "default/ilp", "ours/ours", "ours/ilp", "ilp/ilp", "tensat", "plus"};
  CLI::App* c = bench.add_subcommand(
      "mcts", "E-graphs built by Monte Carlo tree search (Hartmann, He, Yoneki 2024): tables 1 to 4");
  c->add_option(
      "models", o->models,
      "bert, inceptionv3, ... (TENSAT's start graphs), or files (.dag, .model, .onnx); default: all nine");
  c->add_option("--device", o->devices, "analytic profiles: a100, p100, t4, cpu")
      ->delimiter(',')
      ->capture_default_str();
  c->add_option("--approach", o->approaches,
                fmt::format("main/final extraction: {}", fmt::join(evaluation::mcts_approaches(), ", ")))
      ->delimiter(',')
      ->capture_default_str();
  c->add_option("--graphs", o->graphs,
                "folder of TENSAT's start graphs (default: those that come with Isomer)");
  args->axes = {{o->budget},  {o->depth}, {o->k_multi},    {o->regions},
                {o->at_once}, {o->trees}, {o->node_limit}, {}};
  args->rules = {o->rules.word()};
  add_axes(*c, args->axes, args->rules);
  c->add_option(
       "--workers", o->workers,
       "threads of a search, of use where rollouts are under way at once or trees vote; the result is "
       "the same with any number")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  c->add_option("--seeds", o->seeds, "runs of each search")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  c->add_option("--first-seed", o->first_seed, "")->capture_default_str();
  c->add_option("--final-seconds", o->final_seconds, "most seconds of the final extraction")
      ->capture_default_str();
  c->add_option("--disable-rule", o->disable_rules, "leave this rule out, by name (may be repeated)");
  c->add_option("--tree", o->tree, "nodes of the first step's search tree to be recorded, at most (0: none)")
      ->capture_default_str();
  c->add_flag("--check,!--no-check", o->check,
              "compare each program found with what it was found from, over the field and on floats (in ONNX "
              "Runtime, with "
              "made-up weights, where the interpreter would take long); on unless --no-check");
  c->add_flag("--all-rules", o->all_rules, "NASRNN too with all multi-pattern rules (the paper: one less)");
  c->add_flag(
      "--reuse-tree", o->reuse_tree,
      "the tree below the step that was taken is the next one's beginning (the paper's search begins anew)");
  c->add_flag("--priors", o->priors, "plus: priors from what the store holds of other models' rules");
  c->add_flag("--learn", o->learn,
              "plus: what its rules bring is kept in the store, for --priors of benches to come");
  c->add_flag("--json", args->json, "print one JSON object a line on standard output");
  c->add_option("--record", args->record,
                "write these lines to a file too, as they come; what it holds already is not run again");
  c->add_option("--keep", args->folder,
                "keep each run's program before and after, its steps, and pictures of the first and the last "
                "e-graph in this folder (bench/mcts_figures.py draws them)");
  c->add_flag("--plan", args->planned,
              "run nothing: print what would be run, one JSON object a line, with its command line");
  c->callback([args, &session] {
    for (const std::string& word : args->rules) args->axes.rules.push_back(evaluation::bench_rules(word));
    run_mcts(*args, session);
  });
}

}  // namespace

void add_bench(CLI::App& app, Session& session) {
  CLI::App* bench = app.add_subcommand("bench",
                                       "The main job over many models: models; the papers' evaluations "
                                       "again: hlo, mcts, mirage-search, priors, tensat");
  bench->require_subcommand(1);
  add_hlo_bench(*bench, session);
  add_mcts(*bench, session);
  add_models_bench(*bench, session);
  add_mirage_search(*bench, session);
  add_priors(*bench, session);
  add_tensat(*bench, session);
}

}  // namespace isomer::cli
