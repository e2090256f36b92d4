#include "problems/decide_passes.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "hlo/dag_hash.h"

namespace isomer::problems {

DecidePasses::DecidePasses(hlo::Module module, DecidePassesOptions options, HloEvaluator& evaluator)
    : options_(std::move(options)), evaluator_(evaluator), initial_(state_of(std::move(module))) {}

DecidePasses::State DecidePasses::state_of(hlo::Module module) const {
  State out;
  out.key = hlo::dag_hash(module);
  out.module = std::make_shared<const hlo::Module>(std::move(module));
  return out;
}

const passes::AlternativeGraph& DecidePasses::alternatives(const State& state) const {
  if (!state.graph) {
    auto graph = std::make_shared<passes::AlternativeGraph>(passes::dry_run(*state.module, options_.passes));
    state.graph = std::move(graph);
  }
  return *state.graph;
}

std::vector<uint32_t> DecidePasses::factors(const State& state) const {
  return alternatives(state).factors();
}

DecidePasses::Action DecidePasses::first(const State& state) const {
  return alternatives(state).first_of_each();
}

std::vector<DecidePasses::Action> DecidePasses::actions(const State& state) const {
  std::vector<Action> out;
  const std::vector<uint32_t> all = factors(state);
  if (all.empty()) return out;
  if (search::joint_actions(all, options_.most_joint_actions)) {
    Action next(all.size(), 0);
    while (search::next_decisions(all, next)) out.push_back(next);
    return out;
  }
  listed_all_ = false;
  const Action first_ways = first(state);
  out.push_back(first_ways);
  for (size_t d = 0; d < all.size(); ++d) {
    Action without = first_ways;
    without[d] = 0;
    out.push_back(std::move(without));
    for (uint32_t way = 1; way < all[d]; ++way) {
      Action alone(all.size(), 0);
      alone[d] = way;
      out.push_back(std::move(alone));
    }
  }
  return out;
}

DecidePasses::State DecidePasses::step(const State& state, const Action& action) const {
  passes::Applied applied = alternatives(state).apply(action);
  hlo::Module next = std::move(applied.module);
  if (!options_.clean_up.empty()) next = passes::run_to_end(std::move(next), options_.clean_up).module;
  State out = state_of(std::move(next));
  if (options_.keep_ways) keep_way(state, action, applied, out.key);
  return out;
}

void DecidePasses::keep_way(const State& from, const Action& action, const passes::Applied& applied,
                            uint64_t to) const {
  if (to == initial_.key || steps_.contains(to)) return;  // so that ways never turn back
  const passes::AlternativeGraph& graph = alternatives(from);
  std::vector<TakenDecision> taken;
  for (uint32_t d = 0; d < action.size(); ++d) {
    if (action[d] == 0 ||
        std::ranges::find(applied.refused, d, &passes::Refusal::choice) != applied.refused.end())
      continue;
    const passes::Choice& choice = graph.choices()[d];
    taken.push_back({std::string(from.module->text((*from.module)[choice.target].name)),
                     std::string(graph.rule(choice.ways[action[d] - 1]))});
  }
  steps_[to] = {from.key, std::move(taken)};
}

DecisionWay DecidePasses::way_to(const State& state) const {
  DecisionWay out;
  for (auto at = steps_.find(state.key); at != steps_.end(); at = steps_.find(at->second.from))
    out.push_back(at->second.taken);
  std::ranges::reverse(out);
  return out;
}

double DecidePasses::cost(const State& state) {
  if (options_.stop.requested()) options_.spent.request();
  if (const auto known = costs_.find(state.key); known != costs_.end()) return known->second;
  const hlo::Module* const one[] = {state.module.get()};
  return keep(state, evaluator_.costs(one)[0]);
}

double DecidePasses::keep(const State& state, double cost) {
  costs_[state.key] = cost;
  if (options_.keep_cheapest > 0) {
    cheapest_.insert(std::ranges::upper_bound(cheapest_, cost, {}, &Costed::cost),
                     {{state.module, nullptr, state.key}, cost});
    if (cheapest_.size() > options_.keep_cheapest) cheapest_.pop_back();
  }
  if (improvements_.empty() || cost < improvements_.back().cost)
    improvements_.push_back({costs_.size(), cost});
  if (costs_.size() >= options_.evaluations) options_.spent.request();
  return cost;
}

void DecidePasses::prepare(const std::vector<State>& states) {
  std::vector<const hlo::Module*> modules;
  std::vector<const State*> fresh;
  std::unordered_set<uint64_t> asked;
  for (const State& state : states)
    if (!costs_.contains(state.key) && asked.insert(state.key).second) {
      modules.push_back(state.module.get());
      fresh.push_back(&state);
    }
  if (modules.empty()) return;
  const std::vector<double> found = evaluator_.costs(modules);
  for (size_t i = 0; i < fresh.size(); ++i) keep(*fresh[i], found[i]);
}

PickFirstResult pick_first(DecidePasses& problem, uint64_t most_steps) {
  PickFirstResult out{problem.initial(), 0, {}, false};
  for (uint64_t i = 0; i < most_steps; ++i) {
    const DecidePasses::Action action = problem.first(out.last);
    if (action.empty()) {
      out.at_rest = true;
      break;
    }
    DecidePasses::State next = problem.step(out.last, action);
    if (next.key == out.last.key) break;  // all were refused
    out.actions.push_back(action);
    out.last = std::move(next);
  }
  out.cost = problem.cost(out.last);
  return out;
}

}  // namespace isomer::problems
