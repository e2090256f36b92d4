#include "recipes/rewriting.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <map>
#include <thread>
#include <unordered_map>
#include <unordered_set>

#include "extract/necessary.h"
#include "recipes/egraph_picture.h"
#include "recipes/mcts.h"
#include "recipes/rewriting_state.h"
#include "recipes/search_team.h"
#include "recipes/spellable.h"
#include "rewrite/pricer.h"
#include "support/errors.h"
#include "support/hash.h"
#include "support/rng.h"

namespace isomer::recipes {
namespace {

RuleChoice rules_for(ir::Context& ctx, const OptimizeOptions& options, const Ways& ways,
                     const formats::Dialect& dialect, const Spine& spine) {
  constexpr double kCheckShare = 0.3;  // of the time for searching
  return choose_rules(ctx, {options.rules, options.add_rules, options.disable_rules,
                            needs_of(ways.cost, dialect), ways.floats, spine.search().part(kCheckShare)});
}

std::string said_of(uint64_t contradictions) {
  if (contradictions == 0) return {};
  return fmt::format("{} rewrites joined values of different types; nothing was written", contradictions);
}

/// Exploring takes at most this share of the time limit, so that extraction has some left.
constexpr double kExploreShare = 0.6;

}  // namespace

void require_sound(const Growth& growth) {
  if (!growth.wrong.empty()) throw VerificationError(growth.wrong);
}

Rewriting::Rewriting(const ir::Graph& original, const OptimizeOptions& options, const Ways& ways,
                     Spine& spine, const formats::Dialect& dialect)
    : state_(std::make_unique<State>(original, options, ways, spine, dialect,
                                     rules_for(original.context(), options, ways, dialect, spine))) {}
Rewriting::~Rewriting() = default;

Growth Rewriting::explore() {
  Limits limits = state_->spine.limits();
  limits.seconds = state_->spine.remaining() * kExploreShare;
  return saturate(limits);
}

void Rewriting::offer(const BodyRewrites& rewrites) {
  State& s = *state_;
  rewrite::Alternatives& alternatives = s.saturation.alternatives();
  rewrite::EGraph& g = s.program.graph();
  for (const auto& rewrite : rewrites) {
    const egraph::ClassId root = s.program.first_class(rewrite->value());
    if (!root.valid()) continue;
    std::vector<egraph::ClassId> variables;
    rewrite::Instance instance;
    for (ir::ValueId operand : s.original.operands(rewrite->value())) {
      variables.push_back(s.program.first_class(operand));
      instance.tensors.push_back(g.data(g.find(variables.back())));
    }
    instance.roots.push_back(g.data(g.find(root)));
    s.bodies.push_back(rewrite);
    const rewrite::ExactFragment& after = rewrite->equation().after;
    const uint32_t source = alternatives.add_source(*rewrite);
    alternatives.insert({source, &after.fragment, after.payloads, {}, variables, std::array{root}}, instance);
  }
  g.rebuild();
}

size_t Rewriting::rules_used() const { return state_->rules.rules.size(); }
const std::map<std::string, std::vector<std::string>>& Rewriting::rules_left_out() const {
  return state_->choice.left_out;
}

Growth Rewriting::explore_to_the_end(double seconds) {
  Limits limits = state_->spine.limits();
  limits.iterations = Limits().iterations;
  limits.seconds = seconds;
  return saturate(limits);
}

Growth Rewriting::saturate(const Limits& limits) {
  State& s = *state_;
  rewrite::SaturateOptions saturate;
  saturate.limits = limits;
  saturate.k_multi = static_cast<uint32_t>(std::max(0, s.options.k_multi));
  saturate.grouping = true;
  saturate.allow_unstable = true;  // what may not be used is no longer among the rules
  saturate.progress = [&](uint64_t iteration, size_t e_nodes, size_t) {
    Progress p;
    p.phase = "explore";
    if (limits.iterations != Limits().iterations)
      p.fraction = std::min(1.0, static_cast<double>(iteration) /
                                     static_cast<double>(std::max<uint64_t>(1, limits.iterations)));
    p.seconds_left = s.spine.remaining();
    p.note = fmt::format("{} e-nodes", e_nodes);
    s.spine.progress().update(p);
    return true;
  };
  const rewrite::SaturateReport report = s.saturation.run(saturate);
  s.growth = {{"explore.search_seconds", report.search_seconds},
              {"explore.apply_seconds", report.apply_seconds},
              {"explore.multi_seconds", report.multi_seconds},
              {"explore.rebuild_seconds", report.rebuild_seconds},
              {"explore.cycle_seconds", report.cycle_seconds},
              {"explore.matches", static_cast<double>(report.matches)},
              {"explore.matches_applied", static_cast<double>(report.matches_applied)}};
  // Rules of several operators are asked in the first iterations only: later ones may match.
  const bool all_asked =
      report.iterations <= saturate.k_multi || std::ranges::none_of(s.rules.rules, &rewrite::Rule::is_multi);
  s.closed = report.stop_reason == StopReason::kSaturated && all_asked;
  return {report.e_nodes, report.e_classes, report.iterations, report.stop_reason,
          said_of(report.contradictions)};
}

void Rewriting::file_growth() const {
  auto& numbers = state_->spine.record().numbers;
  std::erase_if(numbers, [](const auto& number) { return number.first.starts_with("explore."); });
  for (const auto& [name, value] : state_->growth) numbers[name] = value;
}

bool Rewriting::closed() const { return state_->closed; }

uint64_t Rewriting::most_nodes_of_search() const {
  // Beyond this a rollout takes tens of milliseconds, and what it finds is found in smaller e-graphs.
  constexpr uint64_t kMostNodes = 10'000;
  return std::min(state_->options.node_limit,
                  std::max<uint64_t>(kMostNodes, 2 * state_->program.source_nodes()));
}

Growth Rewriting::search(cost::CostModel& model, double seconds) {
  State& s = *state_;
  const double began = thread_cpu_seconds();
  auto seen = std::make_shared<SearchRecord>();
  {
    std::vector<egraph::NodeId> all(s.program.source_nodes());
    for (size_t i = 0; i < all.size(); ++i) all[i] = egraph::NodeId(static_cast<uint32_t>(i));
    seen->first = picture(s.program, all);
    seen->start_nodes = s.program.graph().live_nodes();
  }
  rewrite::SaturateOptions groups;
  groups.limits = s.spine.limits();
  groups.limits.seconds = s.spine.remaining();
  groups.limits.iterations = 0;
  groups.grouping = true;
  s.saturation.run(groups);

  problems::BuildEGraphOptions building;
  building.limit_by_tensat_count = false;
  building.node_limit = most_nodes_of_search();
  building.node_multi = building.node_limit;
  building.allow_unstable = true;  // what may not be used is no longer among the rules
  const MctsRunOptions plus = mcts_plus();
  building.floats = s.ways.floats;
  building.extraction = plus.main;
  building.prices = rewrite::kSmallConstantsFirst;  // as `pick` has them
  SearchTeam team(s.original, s.rules, model, building, static_cast<size_t>(s.options.search_at_once),
                  &s.program.graph());
  problems::BuildEGraph& problem = team.first();
  search::MctsOptions options = plus.search;
  options.limits = s.spine.limits();
  options.limits.seconds = seconds;
  options.limits.nodes = Limits().nodes;
  options.limits.iterations = Limits().iterations;
  constexpr size_t kDrawnTree = 150;
  options.keep_tree = kDrawnTree;
  options.at_once = static_cast<uint32_t>(team.problems().size());
  Rng rng(s.options.seed);
  const unsigned workers = std::max(std::thread::hardware_concurrency(), 1u);
  const auto found = search::mcts<problems::BuildEGraph>(team.problems(), options, rng, workers,
                                                         [&](double cost, uint64_t n) {
                                                           Progress p;
                                                           p.phase = "search";
                                                           p.best = cost;
                                                           p.seconds_left = s.spine.remaining();
                                                           p.note = fmt::format("{} rollouts", n);
                                                           s.spine.progress().update(p);
                                                         });
  std::vector<uint32_t> steps;
  for (const auto& step : found.steps) steps.push_back(step.action);
  const auto named_rule = [&](uint32_t action) { return problem.rule(action).rule->name; };
  problems::BuildEGraph::State state = problem.initial();
  for (const auto& step : found.steps) {
    problem.advance(state, step.action);
    seen->steps.push_back({named_rule(step.action), step.cost, state.nodes, step.rollouts, step.cpu_seconds});
  }
  for (const auto& node : found.tree)
    seen->tree.push_back({node.parent, seen->tree.empty() ? "" : named_rule(node.action), node.visits,
                          node.worth, node.cost, node.saturated});
  problem.replay(found.best < found.cost ? found.best_actions : steps, s.saturation.alternatives());
  s.closed = false;

  rewrite::ExtractOptions drawn;
  drawn.extractor = extract::Extractor::kDagGreedy;
  drawn.prices = rewrite::kSmallConstantsFirst;
  seen->last =
      picture(s.program, rewrite::extract(s.program, s.saturation.alternatives(), model, drawn).nodes);
  seen->start_cost = cost::graph_cost(model, s.original);
  RunRecord& record = s.spine.record();
  record.search = std::move(seen);
  record.texts["search.stop_reason"] = to_string(found.stop_reason);
  record.numbers["search.rollouts"] = static_cast<double>(found.rollouts);
  record.numbers["search.applications"] = static_cast<double>(found.applications);
  record.numbers["search.cpu_seconds"] = thread_cpu_seconds() - began + found.helper_seconds;
  return {s.program.graph().live_nodes(), s.program.graph().live_classes(), found.steps.size(),
          found.stop_reason, said_of(s.program.analysis().contradictions())};
}

rewrite::TensorExtraction Rewriting::pick(cost::CostModel& model, const PickOptions& wanted) const {
  const State& s = *state_;
  rewrite::ExtractOptions options;
  options.prices = rewrite::kSmallConstantsFirst;
  options.allowed = [&, can = spellable(s.program, s.dialect)](egraph::NodeId n) {
    return (!wanted.allowed || wanted.allowed(n)) && can(n);
  };
  options.extractor = wanted.greedy ? extract::Extractor::kDagGreedy : s.ways.extractor;
  options.limits = s.spine.limits();
  options.limits.seconds = std::min(s.spine.remaining(), wanted.seconds);
  options.limits.nodes = Limits().nodes;
  options.start = wanted.start;
  if (out_of_time() || options.limits.seconds <= 0) {
    options.extractor = extract::Extractor::kDagGreedy;
    options.limits = {};
  }
  return rewrite::extract(s.program, s.saturation.alternatives(), model, options);
}

bool Rewriting::out_of_time() const {
  return state_->spine.remaining() <= 0 || state_->spine.limits().stop.requested();
}

void Rewriting::ask(std::span<const egraph::NodeId> nodes,
                    const std::function<void(const cost::NodeCostQuery&)>& question) const {
  rewrite::for_each_query(state_->program.graph(), state_->program.context(), nodes, question);
}

void Rewriting::ask_apart(cost::CostModel& model, const Question& shared, const Question& open) const {
  State& s = *state_;
  rewrite::ExtractOptions options;
  options.prices = rewrite::kSmallConstantsFirst;
  options.allowed = spellable(s.program, s.dialect);
  const egraph::FlatProblem flat = rewrite::flat_problem(s.program, model, options);
  const std::vector<bool> in_all = extract::in_every_selection(flat.problem);
  std::vector<egraph::NodeId> of_all, of_some;
  for (size_t i = 0; i < flat.node_of.size(); ++i) (in_all[i] ? of_all : of_some).push_back(flat.node_of[i]);
  ask(of_all, shared);
  ask(of_some, open);
}

std::vector<std::string> Rewriting::families(const rewrite::TensorExtraction& extraction) const {
  std::map<std::string, size_t> uses;
  const rewrite::Alternatives& applied = state_->saturation.alternatives();
  for (uint32_t i : extraction.instances) ++uses[applied.source_of(applied.applications()[i]).family()];
  std::vector<std::string> out;
  for (const auto& [family, count] : uses) out.push_back(family);
  return out;
}

std::function<bool(egraph::NodeId)> Rewriting::without(const std::string& family) const {
  return [this, family](egraph::NodeId n) {
    const rewrite::Alternatives& applied = state_->saturation.alternatives();
    const uint32_t made_by = applied.maker(n);
    return made_by == rewrite::Alternatives::kNone ||
           applied.source_of(applied.applications()[made_by]).family() != family;
  };
}

std::function<bool(egraph::NodeId)> Rewriting::at_random(double share, uint64_t seed) const {
  return [this, share, seed](egraph::NodeId n) {
    const uint32_t made_by = state_->saturation.alternatives().maker(n);
    return made_by == rewrite::Alternatives::kNone || Rng(hash_combine(seed, made_by)).uniform() < share;
  };
}

}  // namespace isomer::recipes
