#include "recipes/learning.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "ir/op_table.h"
#include "recipes/load.h"
#include "recipes/mcts.h"
#include "recipes/rule_choice.h"
#include "recipes/start_graphs.h"
#include "recipes/taso_language.h"
#include "recipes/tensat.h"
#include "support/errors.h"

namespace isomer::recipes {
namespace {

namespace fs = std::filesystem;

/// A word names a start graph, if no file.
std::string file_of(const std::string& model) {
  if (model.find_first_of("./") != std::string::npos || fs::exists(model)) return model;
  const fs::path file = start_graphs_folder() / (model + ".dag");
  if (!fs::exists(file))
    throw UsageError(fmt::format("{}: its start graph is not installed; name a file", model));
  return file.string();
}

}  // namespace

struct LearningEnvironment::Parts {
  explicit Parts(const LearningOptions& o)
      : options(o),
        as_tensat(o.rules == LearningRules::kTensat),
        program(load_program(ctx, file_of(o.model), o.dims)),
        graph(as_tensat ? in_taso_language(program.graph) : program.graph),
        rules(as_tensat ? tensat_rules(ctx.ops(), rules_folder()) : choose_rules(ctx, {}).rules),
        prices(cost::make_cost_model(o.cost)),
        problem(graph, rules, *prices, building()) {
    // By the paper's numbers.
    const std::vector<uint32_t> numbers = paper_rule_numbers(rules);
    const auto count = static_cast<uint32_t>(numbers.size());
    std::vector<uint32_t> by_action(size_t{count} * o.regions);
    for (uint32_t region = 0; region < o.regions; ++region)
      for (uint32_t rule = 0; rule < count; ++rule)
        by_action[region * count + numbers[rule]] = region * count + rule;
    for (uint32_t action : by_action) names.push_back(problem.name(action));
    environment.emplace(problem, std::move(by_action), options.episodes, options.environment);
    if (environment->nodes(0) >= options.node_limit)
      throw UsageError(fmt::format("the program itself has {} nodes: node_limit must be above that",
                                   environment->nodes(0)));
  }
  problems::BuildEGraphOptions building() const {
    problems::BuildEGraphOptions out;
    out.node_limit = out.node_multi = options.node_limit;
    out.extraction = options.extraction;
    out.keys_at_end = false;
    out.limit_by_tensat_count = as_tensat;
    constexpr uint32_t kMost = 1000;
    if (options.regions == 0 || options.regions > kMost)
      throw UsageError(fmt::format("regions {}: expected 1 to {}", options.regions, kMost));
    out.regions = options.regions;
    return out;
  }

  LearningOptions options;
  const bool as_tensat;
  ir::Context ctx{ir::standard_ops()};
  Program program;
  ir::Graph graph;
  rewrite::RuleSet rules;
  std::unique_ptr<cost::CostModel> prices;
  problems::BuildEGraph problem;
  std::vector<std::string> names;
  std::optional<problems::Environment> environment;
};

LearningEnvironment::LearningEnvironment(const LearningOptions& options)
    : parts_(std::make_unique<Parts>(options)) {}
LearningEnvironment::~LearningEnvironment() = default;

problems::Environment& LearningEnvironment::environment() { return *parts_->environment; }
const std::vector<std::string>& LearningEnvironment::rule_names() const { return parts_->names; }
const LearningOptions& LearningEnvironment::options() const { return parts_->options; }

std::vector<std::string> LearningEnvironment::operator_names() const {
  const ir::OpTable& ops = parts_->ctx.ops();
  std::vector<std::string> out;
  for (uint32_t i = 0; i < ops.size(); ++i) out.emplace_back(ops.get(ir::OpId(i)).name);
  return out;
}

}  // namespace isomer::recipes
