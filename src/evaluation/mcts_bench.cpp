#include "evaluation/mcts_bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <filesystem>

#include "evaluation/mcts_bench_run.h"
#include "ir/op_table.h"
#include "ir/print.h"
#include "recipes/load.h"
#include "recipes/rule_files.h"
#include "recipes/start_graphs.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"
#include "rewrite/rule_parser.h"
#include "rewrite/rule_print.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/unknown_word.h"

namespace isomer::evaluation {
namespace {

namespace fs = std::filesystem;

fs::path folder_of_graphs(const MctsBenchOptions& options) {
  if (!options.graphs.empty()) return options.graphs;
  return recipes::start_graphs_folder();
}

}  // namespace

std::vector<MctsModel> mcts_files(const MctsBenchOptions& options) {
  std::vector<MctsModel> out;
  if (options.models.empty())
    for (const std::string& name : mcts_models(options))
      out.push_back({name, (folder_of_graphs(options) / (name + ".dag")).string(), name});
  for (const std::string& word : options.models) {
    if (published::mcts::model_of(word) != nullptr) {
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
  using Kind = BenchRules::Kind;
  const Kind kind = options.rules.kind;
  rewrite::RuleSet rules =
      kind == Kind::kFile
          ? rewrite::load_rules(ops, options.rules.file)
          : recipes::tensat_rules(ops, recipes::rules_folder(),
                                  kind == Kind::kAsTensat ? recipes::GroupedConvolutions::kAsTensat
                                                          : recipes::GroupedConvolutions::kSound);
  if (kind == Kind::kSingle) std::erase_if(rules.rules, [](const rewrite::Rule& r) { return r.is_multi(); });
  // The variant file for NASRNN has, in place of multi-pattern rule 5, a copy of rule 1.
  const bool all = kind == Kind::kSound || kind == Kind::kAsTensat;
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
  const ir::Graph graph = recipes::in_taso_language(recipes::load_program(ctx, model.file, {}).graph);
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
  differs("--rules", options.rules.word(), usual.rules.word());
  set("--all-rules", options.all_rules);
  if (approach.way == Way::kPlus) {
    set("--priors", options.priors);
    differs("--regions", options.regions, usual.regions);
  }
  for (const std::string& rule : options.disable_rules) differs("--disable-rule", rule, std::string());
  return out;
}

}  // namespace

const Approach& approach_of(const std::string& name) {
  const auto it = std::ranges::find_if(kApproaches, [&](const Approach& a) { return name == a.name; });
  if (it == std::end(kApproaches)) throw unknown_word("approach", name, mcts_approaches());
  return *it;
}

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
  for (const published::mcts::Model& m : published::mcts::models())
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
    std::map<recipes::LearnedFrom, recipes::RuleStatistics> learned;
    if (options.priors) {
      Store store = Store::of_user();
      learned = recipes::kept_statistics(store, "roofline:" + device);
    }
    for (const MctsModel& model : mcts_files(options)) {
      const std::string inputs = mcts_inputs(model, device, options);
      const recipes::LearnedFrom from{model.name, inputs};
      const std::vector<recipes::RuleStatistics> experience = recipes::of_others(learned, from);
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
              .experience = informed ? experience : std::vector<recipes::RuleStatistics>(),
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
      const recipes::Program program = recipes::load_program(ctx, task.file, {});
      first({task.key.model, task.key.device,
             recipes::first_costs(recipes::in_taso_language(program.graph), "roofline:" + task.key.device)});
    }
    begun = of;
    if (options.known && options.known(task.key)) continue;
    const MctsBenchRun run = run_one(task, options);
    if (options.stop.requested()) return;
    done(run);
  }
}

}  // namespace isomer::evaluation
