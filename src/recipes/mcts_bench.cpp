#include "recipes/mcts_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "ir/op_table.h"
#include "recipes/load.h"
#include "recipes/rule_files.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"
#include "search/annealing.h"
#include "search/beam.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_graphs(const MctsBenchOptions& options) {
  if (!options.graphs.empty()) return options.graphs;
  return fs::path(rules_folder()).parent_path() / "tests/data/tensat/models/dag";
}

/// A name as the tables have it, and the file.
struct Model {
  std::string name, file;
};

std::vector<Model> models_of(const MctsBenchOptions& options) {
  std::vector<Model> out;
  if (options.models.empty())
    for (const std::string& name : mcts_models(options))
      out.push_back({name, (folder_of_graphs(options) / (name + ".dag")).string()});
  for (const std::string& word : options.models) {
    if (const PublishedModel* p = published_model(word); p != nullptr && p->model == word) {
      const fs::path file = folder_of_graphs(options) / (word + ".dag");
      if (!fs::exists(file))
        throw UsageError(fmt::format("{}: there is no {}; give its ONNX file instead", word, file.string()));
      out.push_back({word, file.string()});
      continue;
    }
    std::string name = fs::path(word).filename().string();
    name = name.substr(0, name.find('.'));
    constexpr std::string_view kTransducer = "transformer_transducer";
    if (name.starts_with(kTransducer)) name.replace(0, kTransducer.size(), "tt");
    out.push_back({name, word});
  }
  return out;
}

rewrite::RuleSet rules_of(const ir::OpTable& ops, const MctsBenchOptions& options, const std::string& model) {
  rewrite::RuleSet rules = tensat_rules(
      ops, rules_folder(), options.sound ? GroupedConvolutions::kSound : GroupedConvolutions::kAsTensat);
  // The variant file for NASRNN has, in place of multi-pattern rule 5, a copy of rule 1.
  if (model == "nasrnn" && !options.all_rules) {
    size_t multi = 0;
    for (size_t i = 0; i < rules.rules.size(); ++i)
      if (rules.rules[i].is_multi() && ++multi == 5) {
        rules.rules.erase(rules.rules.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
  }
  for (const std::string& name : options.disable_rules) rules.disable(name);
  return rules;
}

struct Pair {
  const char* name;
  problems::Extraction main;
  extract::Extractor final;
};
constexpr Pair kPairs[] = {
    {"default/default", problems::Extraction::kTree, extract::Extractor::kTreeGreedy},
    {"default/ilp", problems::Extraction::kTree, extract::Extractor::kAuto},
    {"ours/ours", problems::Extraction::kSharing, extract::Extractor::kSharing},
    {"ours/ilp", problems::Extraction::kSharing, extract::Extractor::kAuto},
    {"ilp/ilp", problems::Extraction::kExact, extract::Extractor::kAuto},
    {"corrected/ilp", problems::Extraction::kSharingCorrected, extract::Extractor::kAuto},
};

/// Other searches over the same problem, with the corrected cost function: the best state that each of them
/// met, extracted exactly.
MctsBenchRun run_other(const ir::Graph& graph, const rewrite::RuleSet& rules, const std::string& approach,
                       const std::string& cost, uint64_t seed, const MctsBenchOptions& options) {
  const double begin = thread_cpu_seconds();
  const std::unique_ptr<cost::CostModel> model = cost::make_cost_model(cost);
  problems::BuildEGraphOptions building;
  building.node_limit = building.node_multi = options.node_limit;
  building.extraction = problems::Extraction::kSharingCorrected;
  problems::BuildEGraph problem(graph, rules, *model, building);
  problems::BuildEGraph::State best = problem.initial();
  Limits limits;
  limits.seconds = options.final_seconds;
  limits.stop = options.stop;
  MctsBenchRun run;
  run.start_cost = extract::extract(problem.flatten(best), extract::Extractor::kAuto, limits).dag_cost;
  if (approach == "beam") {
    const auto found = search::beam(problem, {.width = 8, .limits = limits});
    best = found.best;
    run.stop_reason = to_string(found.stop_reason);
  } else {
    Rng rng(seed);
    const auto found =
        search::annealing(problem, {.steps = 20 * uint64_t{options.budget}, .limits = limits}, rng);
    best = found.best;
    run.stop_reason = to_string(found.stop_reason);
  }
  const double searched = thread_cpu_seconds();
  const extract::Extraction e = extract::extract(problem.flatten(best), extract::Extractor::kAuto, limits);
  run.cost = e.dag_cost;
  run.optimal = e.optimal;
  run.nodes = best.nodes;
  run.applications = problem.statistics().steps;
  run.search_seconds = searched - begin;
  run.final_seconds = thread_cpu_seconds() - searched;
  return run;
}

bool is_other(const std::string& approach) { return approach == "beam" || approach == "annealing"; }

MctsRunOptions options_of(const std::string& approach) {
  if (approach == "plus") return mcts_plus();
  MctsRunOptions out;
  for (const Pair& p : kPairs)
    if (approach == p.name) {
      out.main = p.main;
      out.final = p.final;
      return out;
    }
  throw UsageError(fmt::format("{}: expected one of {}", approach, fmt::join(mcts_approaches(), ", ")));
}

MctsBenchRun run_one(const Model& model, const std::string& device, const std::string& approach,
                     uint64_t seed, const MctsBenchOptions& options) {
  ir::Context ctx(ir::standard_ops());
  const Program program = load_program(ctx, model.file, {});
  const ir::Graph graph = in_taso_language(program.graph);
  const rewrite::RuleSet rules = rules_of(ctx.ops(), options, model.name);
  MctsBenchRun run;
  if (is_other(approach)) run = run_other(graph, rules, approach, "roofline:" + device, seed, options);
  run.model = model.name;
  run.device = device;
  run.approach = approach;
  run.seed = seed;
  if (is_other(approach)) return run;
  const bool larger = approach == "larger";
  if (approach == "tensat" || larger) {
    TensatOptions tensat;
    tensat.cost = "roofline:" + device;
    const PublishedModel* published = published_model(model.name);
    tensat.k_multi = options.k_multi > 0 ? options.k_multi : published != nullptr ? published->k_multi : 1;
    tensat.node_limit = tensat.node_multi = options.node_limit;
    tensat.iteration_limit = 10'000;
    if (larger) {
      tensat.node_limit = 25 * options.node_limit;
      tensat.node_multi = tensat.node_limit;
      tensat.k_multi = std::max(tensat.k_multi, 3u);
    }
    tensat.seconds = options.final_seconds;
    tensat.stop = options.stop;
    const TensatResult r = run_tensat(graph, rules, tensat);
    run.start_cost = r.start_cost;
    run.cost = r.cost;
    run.search_seconds = r.exploration.cpu_seconds;
    run.final_seconds = r.extraction.cpu_seconds;
    run.nodes = r.exploration.tensat_nodes;
    run.stop_reason = to_string(r.exploration.stop_reason);
    run.optimal = r.optimal;
    run.bound = r.bound;
    const std::vector<uint32_t> numbers = paper_rule_numbers(rules);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (r.exploration.rules[i].applied > 0) run.rules[numbers[i]] = r.exploration.rules[i].applied;
    return run;
  }
  MctsRunOptions mcts = options_of(approach);
  mcts.cost = "roofline:" + device;
  mcts.seed = seed;
  mcts.node_limit = options.node_limit;
  mcts.final_seconds = options.final_seconds;
  mcts.search.budget = options.budget;
  mcts.search.depth = options.depth;
  mcts.search.keep_tree = options.tree;
  mcts.search.limits.stop = options.stop;
  MctsRunResult r = run_mcts(graph, rules, mcts);
  run.start_cost = r.start_cost;
  run.cost = r.cost;
  run.search_seconds = r.search_seconds;
  run.final_seconds = r.final_seconds;
  run.nodes = r.nodes;
  run.rollouts = r.rollouts;
  run.applications = r.applications;
  run.stop_reason = to_string(r.stop_reason);
  run.optimal = r.optimal;
  for (const auto& step : r.steps) ++run.rules[step.rule];
  run.steps = std::move(r.steps);
  run.tree = std::move(r.tree);
  return run;
}

}  // namespace

const std::vector<std::string>& mcts_approaches() {
  static const std::vector<std::string> kAll = {"default/default", "default/ilp", "ours/ours",     "ours/ilp",
                                                "ilp/ilp",         "tensat",      "corrected/ilp", "plus",
                                                "larger",          "beam",        "annealing"};
  return kAll;
}

std::string settings_of(const MctsBenchOptions& options, const std::string& approach) {
  const MctsBenchOptions usual;
  std::string out;
  const auto differs = [&](const char* flag, const auto& value, const auto& other) {
    if (value != other) out += fmt::format("{}{} {}", out.empty() ? "" : " ", flag, value);
  };
  const auto set = [&](const char* flag, bool value) {
    if (value) out += fmt::format("{}{}", out.empty() ? "" : " ", flag);
  };
  const bool saturates = approach == "tensat" || approach == "larger";
  if (!saturates && approach != "beam") differs("--budget", options.budget, usual.budget);
  if (!saturates && !is_other(approach)) {
    differs("--depth", options.depth, usual.depth);
    differs("--tree", options.tree, usual.tree);
  }
  if (saturates) differs("--k-multi", options.k_multi, usual.k_multi);
  differs("--node-limit", options.node_limit, usual.node_limit);
  differs("--final-seconds", options.final_seconds, usual.final_seconds);
  set("--sound", options.sound);
  set("--all-rules", options.all_rules);
  for (const std::string& rule : options.disable_rules) differs("--disable-rule", rule, std::string());
  return out;
}

std::vector<std::string> mcts_models(const MctsBenchOptions& options) {
  std::vector<std::string> out;
  for (const PublishedModel& m : published_models())
    if (fs::exists(folder_of_graphs(options) / (std::string(m.model) + ".dag"))) out.emplace_back(m.model);
  if (out.empty())
    throw UsageError("no start graphs in " + folder_of_graphs(options).string() +
                     "; name their folder, or files");
  return out;
}

void run_mcts_bench(const MctsBenchOptions& options, const std::function<void(const MctsBenchFirst&)>& first,
                    const std::function<void(const MctsBenchRun&)>& done) {
  for (const std::string& approach : options.approaches)
    if (approach != "tensat" && approach != "larger" && !is_other(approach)) options_of(approach);
  for (const std::string& device : options.devices)
    for (const Model& model : models_of(options)) {
      {
        ir::Context ctx(ir::standard_ops());
        const Program program = load_program(ctx, model.file, {});
        first({model.name, device, first_costs(in_taso_language(program.graph), "roofline:" + device)});
      }
      for (const std::string& approach : options.approaches)
        for (uint64_t s = 0;
             s < (approach == "tensat" || approach == "larger" || approach == "beam" ? 1 : options.seeds);
             ++s) {
          if (options.stop.requested()) return;
          const uint64_t seed = options.first_seed + s;
          const std::string settings = settings_of(options, approach);
          if (options.known && options.known(model.name, device, approach, seed, settings)) continue;
          MctsBenchRun run = run_one(model, device, approach, seed, options);
          if (options.stop.requested()) return;
          run.settings = settings;
          done(run);
        }
    }
}

}  // namespace isomer::recipes
