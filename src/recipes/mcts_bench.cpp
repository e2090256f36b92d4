#include "recipes/mcts_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <optional>

#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/found_check.h"
#include "recipes/load.h"
#include "recipes/repeated_blocks.h"
#include "recipes/rule_files.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_print.h"
#include "search/annealing.h"
#include "search/beam.h"
#include "search/random_walks.h"
#include "support/errors.h"
#include "support/hash.h"

namespace isomer::recipes {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_graphs(const MctsBenchOptions& options) {
  if (!options.graphs.empty()) return options.graphs;
  return fs::path(rules_folder()).parent_path() / "tests/data/tensat/models/dag";
}

}  // namespace

std::vector<MctsModel> mcts_files(const MctsBenchOptions& options) {
  std::vector<MctsModel> out;
  if (options.models.empty())
    for (const std::string& name : mcts_models(options))
      out.push_back({name, (folder_of_graphs(options) / (name + ".dag")).string(), name});
  for (const std::string& word : options.models) {
    if (published_model(word) != nullptr) {
      const fs::path file = folder_of_graphs(options) / (word + ".dag");
      if (!fs::exists(file))
        throw UsageError(fmt::format("{}: there is no {}; give its ONNX file instead", word, file.string()));
      out.push_back({word, file.string(), word});
      continue;
    }
    std::string name = fs::path(word).filename().string();
    name = name.substr(0, name.find('.'));
    constexpr std::string_view kTransducer = "transformer_transducer";
    if (name.starts_with(kTransducer)) name.replace(0, kTransducer.size(), "tt");
    out.push_back({name, word, word});
  }
  return out;
}

rewrite::RuleSet mcts_rules(const ir::OpTable& ops, const MctsBenchOptions& options,
                            const std::string& model) {
  const bool single = options.rules == "single", published = options.rules == kPublishedRules;
  const bool all = options.rules == kTensatRules || published;
  rewrite::RuleSet rules =
      single || all ? tensat_rules(ops, rules_folder(),
                                   published ? GroupedConvolutions::kAsTensat : GroupedConvolutions::kSound)
                    : rewrite::load_rules(ops, options.rules);
  if (single) std::erase_if(rules.rules, [](const rewrite::Rule& r) { return r.is_multi(); });
  // The variant file for NASRNN has, in place of multi-pattern rule 5, a copy of rule 1.
  if (all && model == "nasrnn" && !options.all_rules) {
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

std::string mcts_inputs(const MctsModel& model, const std::string& device, const MctsBenchOptions& options) {
  ir::Context ctx(ir::standard_ops());
  const ir::Graph graph = in_taso_language(load_program(ctx, model.file, {}).graph);
  uint64_t hash = hash_string(ir::print(graph));
  const auto prices = cost::make_cost_model("roofline:" + device);
  for (const double cost : cost::node_costs(*prices, graph))
    hash = hash_combine(hash, std::bit_cast<uint64_t>(cost));
  for (rewrite::Rule rule : mcts_rules(ctx.ops(), options, model.name).rules) {
    rule.file.clear();  // where it stands is not what it does
    rule.line = 0;
    rule.origin.clear();
    hash = hash_combine(hash_string(rewrite::draw(ctx.ops(), rule), hash), rule.symmetric ? 1 : 0);
  }
  return fmt::format("{:016x}", hash);
}

namespace {

enum class Way : uint8_t {
  kTree,  ///< Monte Carlo tree search over the growth of an e-graph, as in the paper
  kPlus,  ///< the same with what we add
  kBlocks,
  kSaturation,
  kLargerSaturation,
  kBeam,
  kRandom,
  kAnnealing,
};

struct Approach {
  const char* name;  ///< for tree searches: main/final extraction
  Way way = Way::kTree;
  problems::Extraction main{};
  extract::Extractor final{};

  bool saturates() const { return way == Way::kSaturation || way == Way::kLargerSaturation; }
  bool grows_otherwise() const { return way >= Way::kBeam; }
  bool takes_seeds() const { return !saturates() && way != Way::kBeam; }
};

/// Those of the paper first.
constexpr Approach kApproaches[] = {
    {"default/default", Way::kTree, problems::Extraction::kTree, extract::Extractor::kTreeGreedy},
    {"default/ilp", Way::kTree, problems::Extraction::kTree, extract::Extractor::kAuto},
    {"ours/ours", Way::kTree, problems::Extraction::kSharing, extract::Extractor::kSharing},
    {"ours/ilp", Way::kTree, problems::Extraction::kSharing, extract::Extractor::kAuto},
    {"ilp/ilp", Way::kTree, problems::Extraction::kExact, extract::Extractor::kAuto},
    {"tensat", Way::kSaturation},
    {"corrected/ilp", Way::kTree, problems::Extraction::kSharingCorrected, extract::Extractor::kAuto},
    {"plus", Way::kPlus},
    {"larger", Way::kLargerSaturation},
    {"beam", Way::kBeam},
    {"random", Way::kRandom},
    {"annealing", Way::kAnnealing},
    {"blocks", Way::kBlocks},
};

/// Throws UsageError where there is none of that name.
const Approach& approach_of(const std::string& name) {
  const auto it = std::ranges::find_if(kApproaches, [&](const Approach& a) { return name == a.name; });
  if (it == std::end(kApproaches))
    throw UsageError(fmt::format("{}: expected one of {}", name, fmt::join(mcts_approaches(), ", ")));
  return *it;
}

/// Other searches over the same problem, with the corrected cost function: the best state that each of them
/// met, extracted exactly.
MctsBenchRun run_other(const ir::Graph& graph, const rewrite::RuleSet& rules, Way way,
                       const std::string& cost, uint64_t seed, const MctsBenchOptions& options,
                       std::optional<ir::Graph>& program_found) {
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
  if (way == Way::kBeam) {
    const auto found = search::beam(problem, {.width = 8, .limits = limits});
    best = found.best;
    run.stop_reason = to_string(found.stop_reason);
  } else if (way == Way::kRandom) {
    Rng rng(seed);
    const auto found =
        search::random_walks(problem, {.steps = 20 * uint64_t{options.budget}, .limits = limits}, rng);
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
  if (options.check) program_found = cheapest_program(graph, best.graph, *model, limits);
  return run;
}

/// As far as they are not the defaults.
std::vector<std::string> flags_of(const MctsBenchOptions& options, const Approach& approach) {
  const MctsBenchOptions usual;
  std::vector<std::string> out;
  const auto differs = [&](const char* flag, const auto& value, const auto& other) {
    if (value == other) return;
    out.emplace_back(flag);
    out.push_back(fmt::format("{}", value));
  };
  const auto set = [&](const char* flag, bool value) {
    if (value) out.emplace_back(flag);
  };
  if (approach.takes_seeds()) differs("--budget", options.budget, usual.budget);
  if (!approach.saturates() && !approach.grows_otherwise()) {
    differs("--depth", options.depth, usual.depth);
    differs("--at-once", options.at_once, usual.at_once);
    differs("--trees", options.trees, usual.trees);
    set("--reuse-tree", options.reuse_tree && approach.way == Way::kTree);
    differs("--tree", options.tree, usual.tree);
  }
  if (approach.saturates()) differs("--k-multi", options.k_multi, usual.k_multi);
  differs("--node-limit", options.node_limit, usual.node_limit);
  differs("--final-seconds", options.final_seconds, usual.final_seconds);
  differs("--rules", options.rules, usual.rules);
  set("--all-rules", options.all_rules);
  if (approach.way == Way::kPlus) {
    set("--priors", options.priors);
    differs("--regions", options.regions, usual.regions);
  }
  for (const std::string& rule : options.disable_rules) differs("--disable-rule", rule, std::string());
  return out;
}

MctsRunOptions options_of(const Approach& approach) {
  if (approach.way != Way::kTree) return mcts_plus();
  MctsRunOptions out;
  out.main = approach.main;
  out.final = approach.final;
  return out;
}

/// One run: the program, what is made of it, and what is kept and checked of that.
class OneRun {
 public:
  OneRun(const MctsBenchTask& task, const MctsBenchOptions& options)
      : task_(task),
        options_(options),
        approach_(approach_of(task.key.approach)),
        cost_("roofline:" + task.key.device),
        program_(load_program(ctx_, task.file, {})),
        graph_(in_taso_language(program_.graph)),
        rules_(mcts_rules(ctx_.ops(), options, task.key.model)) {}

  MctsBenchRun operator()() {
    if (approach_.grows_otherwise())
      by_other();
    else if (approach_.saturates())
      by_saturation();
    else
      by_tree_search();
    return std::move(run_);
  }

 private:
  void by_other() {
    std::optional<ir::Graph> found;
    run_ = run_other(graph_, rules_, approach_.way, cost_, task_.key.seed, options_, found);
    static_cast<MctsBenchKey&>(run_) = task_.key;
    if (found) check(graph_, *found);
  }

  void by_saturation() {
    static_cast<MctsBenchKey&>(run_) = task_.key;
    TensatOptions tensat;
    tensat.cost = cost_;
    const PublishedModel* published = published_whole(task_.key.model);
    tensat.k_multi = options_.k_multi > 0 ? options_.k_multi : published != nullptr ? published->k_multi : 1;
    tensat.node_limit = tensat.node_multi = options_.node_limit;
    tensat.iteration_limit = 10'000;
    if (approach_.way == Way::kLargerSaturation) {
      tensat.node_limit = 25 * options_.node_limit;
      tensat.node_multi = tensat.node_limit;
      tensat.k_multi = std::max(tensat.k_multi, 3u);
    }
    tensat.seconds = options_.final_seconds;
    tensat.stop = options_.stop;
    if (options_.keep) tensat.watch = watch();
    const TensatResult r = run_tensat(graph_, rules_, tensat);
    run_.start_cost = r.start_cost;
    run_.cost = r.cost;
    run_.search_seconds = r.exploration.cpu_seconds;
    run_.final_seconds = r.extraction.cpu_seconds;
    run_.nodes = r.exploration.tensat_nodes;
    run_.stop_reason = to_string(r.exploration.stop_reason);
    run_.optimal = r.optimal;
    run_.bound = r.bound;
    const std::vector<uint32_t> numbers = paper_rule_numbers(rules_);
    for (size_t i = 0; i < numbers.size(); ++i)
      if (r.exploration.rules[i].applied > 0) run_.rules[numbers[i]] = r.exploration.rules[i].applied;
    keep(r.graph);
    check(graph_, r.graph);
  }

  MctsRunOptions tree_search() {
    MctsRunOptions out = options_of(approach_);
    out.cost = cost_;
    out.seed = task_.key.seed;
    out.node_limit = options_.node_limit;
    out.final_seconds = options_.final_seconds;
    if (approach_.way == Way::kPlus) out.regions = options_.regions;
    out.search.budget = options_.budget;
    out.search.depth = options_.depth;
    if (options_.at_once > 0) out.search.at_once = options_.at_once;
    if (options_.trees > 0) out.trees = options_.trees;
    out.search.reuse_subtree = out.search.reuse_subtree || options_.reuse_tree;
    out.workers = options_.workers;
    out.search.keep_tree = options_.tree;
    out.search.limits.stop = options_.stop;
    if (options_.keep) out.watch = watch();
    out.experience = task_.experience;
    return out;
  }

  void by_tree_search() {
    static_cast<MctsBenchKey&>(run_) = task_.key;
    const bool by_blocks = approach_.way == Way::kBlocks;
    MctsRunOptions mcts = tree_search();
    RuleStatistics statistics;
    const bool learns = options_.learn && approach_.way == Way::kPlus;
    if (learns) mcts.statistics = &statistics;
    if (!by_blocks)
      mcts.found = [this](const ir::Graph& from, const ir::Graph& found) { check(from, found); };
    MctsRunResult r =
        by_blocks ? run_mcts_by_blocks(graph_, rules_, mcts).run : run_mcts(graph_, rules_, mcts);
    if (learns && !options_.stop.requested()) {
      Store store = Store::of_user();
      recipes::keep(store, mcts.cost, task_.from, statistics);
    }
    run_.start_cost = r.start_cost;
    run_.cost = r.cost;
    run_.search_seconds = r.search_seconds;
    run_.final_seconds = r.final_seconds;
    run_.nodes = r.nodes;
    run_.rollouts = r.rollouts;
    run_.applications = r.applications;
    run_.stop_reason = to_string(r.stop_reason);
    run_.optimal = r.optimal;
    for (const auto& step : r.steps) ++run_.rules[step.rule];
    run_.steps = std::move(r.steps);
    run_.tree = std::move(r.tree);
    keep(r.graph);
    if (by_blocks) check(graph_, r.graph);
  }

  EGraphViewer watch() {
    return [this](const rewrite::TensorEGraph& seen, std::span<const egraph::NodeId> picked) {
      EGraphPicture shown = picture(seen, picked);
      if (!before_) before_ = shown;
      kept_->search.first = *before_;
      kept_->search.last = std::move(shown);
    };
  }

  void keep(const ir::Graph& result) {
    if (!options_.keep) return;
    const char* const in_part = approach_.way == Way::kBlocks ? " (in a part)" : "";
    kept_->input = ir::print(graph_);
    kept_->output = ir::print(result);
    kept_->search.start_cost = run_.start_cost;
    kept_->search.start_nodes = kept_->search.first.nodes.size();
    for (const auto& s : run_.steps)
      kept_->search.steps.push_back(
          {fmt::format("{} {}{}", s.rule, s.name, in_part), s.cost, s.nodes, s.rollouts, s.cpu_seconds});
    for (const auto& n : run_.tree)
      kept_->search.tree.push_back(
          {n.parent, std::to_string(n.action), n.visits, n.worth, n.cost, n.saturated});
    run_.kept = kept_;
  }

  void check(const ir::Graph& from, const ir::Graph& found) {
    if (!options_.check || options_.stop.requested()) return;
    constexpr double kSeconds = 60;
    const FoundCheck seen = check_found(from, found, kSeconds, options_.stop);
    if (compared_)
      compared_->keep_worse(seen);
    else
      compared_ = seen;
    run_.same = compared_->words();
    run_.differs = compared_->differs();
    if (seen.floats.kind == verify::VerdictKind::kUnknown)
      run_.unchecked = seen.floats.note;
    else
      run_.error = std::max(run_.error.value_or(0), seen.floats.max_relative_error);
  }

  const MctsBenchTask& task_;
  const MctsBenchOptions& options_;
  const Approach& approach_;
  const std::string cost_;
  ir::Context ctx_{ir::standard_ops()};
  const Program program_;
  const ir::Graph graph_;
  const rewrite::RuleSet rules_;
  MctsBenchRun run_;
  std::optional<EGraphPicture> before_;
  std::shared_ptr<MctsBenchKept> kept_ = std::make_shared<MctsBenchKept>();
  std::optional<FoundCheck> compared_;
};

}  // namespace

const std::vector<std::string>& mcts_approaches() {
  static const std::vector<std::string> kAll = [] {
    std::vector<std::string> out;
    for (const Approach& a : kApproaches) out.emplace_back(a.name);
    return out;
  }();
  return kAll;
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

std::vector<MctsBenchOptions> sweep(const MctsBenchOptions& options, const MctsBenchAxes& axes) {
  std::vector<MctsBenchOptions> out{options};
  const auto along = [&](auto field, const auto& values) {
    std::vector<MctsBenchOptions> longer;
    for (const auto& value : values)
      for (MctsBenchOptions one : out) {
        one.*field = value;
        longer.push_back(std::move(one));
      }
    if (!values.empty()) out = std::move(longer);
  };
  along(&MctsBenchOptions::budget, axes.budget);
  along(&MctsBenchOptions::depth, axes.depth);
  along(&MctsBenchOptions::node_limit, axes.node_limit);
  along(&MctsBenchOptions::k_multi, axes.k_multi);
  along(&MctsBenchOptions::regions, axes.regions);
  along(&MctsBenchOptions::at_once, axes.at_once);
  along(&MctsBenchOptions::trees, axes.trees);
  along(&MctsBenchOptions::rules, axes.rules);
  return out;
}

std::vector<MctsBenchTask> plan(const MctsBenchOptions& options) {
  if (options.learn && options.trees > 1)
    throw UsageError("--learn: only with one tree: what the others' rollouts bring is not seen");
  for (const std::string& name : options.approaches) approach_of(name);
  std::vector<MctsBenchTask> out;
  for (const std::string& device : options.devices) {
    std::map<LearnedFrom, RuleStatistics> learned;
    if (options.priors) {
      Store store = Store::of_user();
      learned = kept_statistics(store, "roofline:" + device);
    }
    for (const MctsModel& model : mcts_files(options)) {
      const std::string inputs = mcts_inputs(model, device, options);
      const LearnedFrom from{model.name, inputs};
      const std::vector<RuleStatistics> experience = of_others(learned, from);
      for (const std::string& name : options.approaches) {
        const Approach& approach = approach_of(name);
        const std::vector<std::string> flags = flags_of(options, approach);
        const bool informed = options.priors && approach.way == Way::kPlus;
        const std::string with = informed ? fmt::format("{}+{:016x}", inputs, hash_of(experience)) : inputs;
        for (uint64_t s = 0; s < (approach.takes_seeds() ? options.seeds : 1); ++s) {
          const uint64_t seed = options.first_seed + s;
          MctsBenchTask task{
              .key = {model.name, device, name, seed, fmt::format("{}", fmt::join(flags, " ")), with},
              .file = model.file,
              .from = from,
              .experience = informed ? experience : std::vector<RuleStatistics>(),
              .words = {"bench", "mcts", model.word, "--device", device, "--approach", name, "--first-seed",
                        std::to_string(seed), "--seeds", "1"}};
          task.words.insert(task.words.end(), flags.begin(), flags.end());
          if (!options.check) task.words.emplace_back("--no-check");
          if (!options.graphs.empty()) task.words.insert(task.words.end(), {"--graphs", options.graphs});
          out.push_back(std::move(task));
        }
      }
    }
  }
  return out;
}

void run_mcts_bench(const MctsBenchOptions& options, const std::function<void(const MctsBenchFirst&)>& first,
                    const std::function<void(const MctsBenchRun&)>& done) {
  std::string begun;
  for (const MctsBenchTask& task : plan(options)) {
    if (options.stop.requested()) return;
    const std::string of = task.key.device + "\n" + task.key.model;
    if (first && of != begun) {
      ir::Context ctx(ir::standard_ops());
      const Program program = load_program(ctx, task.file, {});
      first({task.key.model, task.key.device,
             first_costs(in_taso_language(program.graph), "roofline:" + task.key.device)});
    }
    begun = of;
    if (options.known && options.known(task.key)) continue;
    const MctsBenchRun run = OneRun(task, options)();
    if (options.stop.requested()) return;
    done(run);
  }
}

}  // namespace isomer::recipes
